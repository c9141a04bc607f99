import CitiesProtocol
import Resident
import TestSupport

@testable import FeedSync

/// Sources of all feeds: what an importer accepts must make a file that verification calls sound.
///
/// The first byte of an input chooses the feed.
final class ImporterTarget: FuzzTarget {
  static let name = "importers"

  private static let own = Array(
    """
    {"feeds":{"my-points":{"format":"geojson","url":"/a","country":"FI","zone":"Europe/Helsinki"},
    "my-table":{"format":"csv","url":"/b","country":"FI","zone":"Europe/Helsinki"}}}
    """.utf8)
  private static let feeds = FeedName.all + ["my-points", "my-table"].map { FeedName(rawValue: $0) }

  private let folder: TemporaryFolder
  private let banks: BankImporter

  init() throws {
    folder = try TemporaryFolder()
    let tree = try ConfigurationTree(json: Self.own, of: "sync.json")
    banks = BankImporter(SyncConfiguration(tree, environment: [:], ConfigurationFaults()))
  }

  static var seeds: [[UInt8]] {
    get throws {
      let samples = try FeedName.all.map { try SampleFiles.source($0) }
      let points = """
        {"type":"FeatureCollection","features":[{"type":"Feature","id":"a","geometry":{"type":"Point",
        "coordinates":[24.9,60.1]},"properties":{"kind":"atm","name":"Kamppi","address":"Kamppi 1","hours":"24/7"}}]}
        """
      let table =
        "id,kind,name,address,region,lat,lon,phone\n1,branch,Kallio,\"Fleminginkatu 1, A\",Uusimaa,60.2,24.9,\n"
      let dump =
        "588409\tTallinn\tTallinn\tReval,TLL\t59.43696\t24.75353\tP\tPPLC\tEE\t\t01\t784\t\t\t394024\t\t22"
        + "\tEurope/Tallinn\t2024-05-05\n"
      let all = samples + [Array(points.utf8), Array(table.utf8)]
      return all.enumerated().map { [UInt8($0)] + $1.prefix(4_000) } + [[0] + Array(dump.utf8)]
    }
  }

  func run(_ input: [UInt8]) throws {
    var input = FuzzInput(input)
    let feed = Self.feeds[input.number(width: 1) % Self.feeds.count]
    let source = input.remainder()
    switch feed.servedSubject {
    case .cities: try take(source, of: feed, by: CityImporter(allowsEmpty: true))
    case .trade: try take(source, of: feed, by: TradeImporter())
    default: try take(source, of: feed, by: banks)
    }
  }

  private func take(_ source: [UInt8], of feed: FeedName, by importer: some SubjectImporter) throws {
    guard let parsed = try? importer.parse(feed, source, name: feed.rawValue, progress: { _ in }) else { return }
    let image = try importer.image(of: [parsed], fingerprint: 1, progress: { _ in })
    let path = folder.path("made")
    try image.write(to: path)
    do { _ = try Verification.line(for: path) } catch { throw FuzzFinding("imported, but not sound: \(error)") }
  }
}
