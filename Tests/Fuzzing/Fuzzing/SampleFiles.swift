import Banks
import Cities
import CitiesProtocol
import FeedSync
import Resident
import TestSupport

/// Small resident files with everything that a row can have.
enum SampleFiles {
  private static let list = """
    [{"_id":707860,"name":"Hurzuf","country":"UA","coord":{"lon":34.283333,"lat":44.549999}},
    {"_id":2950159,"name":"Berlin","country":"DE","coord":{"lon":13.41053,"lat":52.524368},"population":3426354,
    "region_code":"16","region":"Berlin","timezone":"Europe/Berlin","alternatenames":["BER","Berlino","Берлин"]},
    {"_id":5083330,"name":"Berlin","country":"US","coord":{"lon":-71.18508,"lat":44.46867},"population":9367},
    {"_id":1099511627776,"name":"São Paulo","country":"BR","coord":{"lon":-46.63611,"lat":-23.5475},
    "population":10021295,"timezone":"America/Sao_Paulo","alternatenames":["SAO","聖保羅"]}]
    """

  /// Four cities.
  static func cities() throws -> ResidentImage {
    try CityBuild(SourceFile(bytes: Array(list.utf8)), name: "list").image
  }

  /// The locations of one bank.
  static func banks() throws -> ResidentImage {
    let importer = BankImporter(try SyncConfiguration(environment: [:], user: 1_000))
    return try image(importer, [.imaginary])
  }

  /// The samples of trade.
  static func trade() throws -> ResidentImage { try image(TradeImporter(), Subject.trade.feeds) }

  private static func image(_ importer: some SubjectImporter, _ feeds: [FeedName]) throws -> ResidentImage {
    let parts = try feeds.map { feed in
      try importer.parse(feed, source(feed), name: feed.rawValue, progress: { _ in })
    }
    return try importer.image(of: parts, fingerprint: 1, progress: { _ in })
  }

  /// The sample of a feed; for cities the list above.
  static func source(_ feed: FeedName) throws -> [UInt8] {
    guard feed != .cities else { return Array(list.utf8) }
    return try Repository.bytes(Repository.path("contrib/data/sample/\(feed.rawValue).json"))
  }
}
