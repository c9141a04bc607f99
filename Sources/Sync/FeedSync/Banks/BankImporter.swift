package import Banks
package import CitiesProtocol
import Geodesy
package import Resident

/// Makes `banks.resident` from the feeds with locations.
///
/// A bad record is counted, reported with its position and skipped. A file in another format, or without a good record,
/// is refused. So is an empty list: a broken upstream looks the same.
package struct BankImporter: SubjectImporter {
  /// Most JSON values in a file, about 200,000 locations: they are decoded all at once, which takes up to 1 GiB in the
  /// worst case.
  package static let maximumValues = 2_000_000

  private let known: [FeedName: BankFeed]
  private let zones: ZoneFolder
  private let surroundings: PlaceSurroundings

  /// This build's feeds, then the user's own by name.
  package let feeds: [FeedName]
  /// `banks.resident`.
  package var kind: ResidentKind { ResidentBanks.kind }

  /// Also feeds of the user's own that are no longer configured.
  package func feeds(of file: ResidentFile) -> [FeedName] {
    let summary: ResidentBanks.Summary? = try? file.value(in: ResidentBanks.summarySection)
    return summary?.feeds.map(\.feed) ?? feeds
  }

  /// Takes the country and time zone of each feed from `configuration`; zones must exist in the folder `zones`.
  ///
  /// Without `surroundings`, no city is known.
  package init(
    _ configuration: SyncConfiguration, zones: ZoneFolder = .system, surroundings: PlaceSurroundings? = nil
  ) {
    feeds = Subject.banks.feeds + configuration.ownFeeds
    known = Dictionary(
      uniqueKeysWithValues: feeds.compactMap { name in
        BankFeed(name, configuration[name]).map { (name, $0) }
      })
    self.zones = zones
    self.surroundings = surroundings ?? PlaceSurroundings(zones: zones)
  }

  /// Checks the feed's time zone and country.
  package func check(_ feed: FeedName) throws(FeedError) {
    if let problem = known[feed]?.problems(zones).first { throw FeedError(.badData, problem.sentence) }
    try prepare()
  }

  /// Opens the list of cities, which says where a location is.
  package func prepare() throws(FeedError) { try surroundings.check() }

  /// The feed's country and time zone, the format of a user-defined feed, and the list of cities.
  package func settings(of feed: FeedName) -> [String] {
    known[feed].map { $0.settings + surroundings.identity } ?? []
  }

  /// Reads one feed's locations.
  ///
  /// - Throws: ``FeedError`` if it has no good record.
  package func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<BankIndexBuilder> {
    guard let source = known[feed] else {
      throw FeedError(.unavailable, "\(feed.rawValue) is not a feed of locations")
    }
    var builder = BankIndexBuilder()
    var (notes, places): (ImportNotes, [PlaceSample.Place]) = (ImportNotes(source: name), [])
    let bytes = try bytes.listText(name: name)
    var lines = LineCounter(bytes)
    do {
      try bytes.requireJSONValues(atMost: Self.maximumValues)
      try source.format.file.readRecords(in: bytes, of: source.validPlace) { position, record in
        take(record, at: position, &notes, &lines, &places, into: &builder)
      }
    } catch {
      throw FeedError(.badData, "\(error); nothing was imported")
    }
    try surroundings.check()
    return ParsedFeed(feed, try FeedContents(notes, kept: builder.count), builder, places: places)
  }

  /// Orders the locations of all feeds in one index.
  ///
  /// An invalid setting fails that feed alone (``check(_:)``): its locations stay, and without the rules of a time zone
  /// it is unknown whether they are open.
  package func image(
    of parts: consuming [ParsedFeed<BankIndexBuilder>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage {
    var builder = BankIndexBuilder()
    var feeds: [ResidentBanks.Part] = []
    for part in parts {
      builder.add(part.records)
      let counts = part.contents.counts
      feeds.append(.init(feed: part.feed, records: counts.kept, skipped: counts.skipped, sample: part.isSample))
    }
    do {
      return try ResidentBanks.image(of: builder, fingerprint: fingerprint, feeds: feeds)
    } catch {
      throw FeedError(.badData, "\(error)")
    }
  }

  /// Adds a good record.
  ///
  /// Equal records are separate locations. The position 0,0, which files have instead of none, is left out.
  private func take(
    _ read: BankFile.Record, at position: Int, _ notes: inout ImportNotes, _ lines: inout LineCounter,
    _ places: inout [PlaceSample.Place], into builder: inout BankIndexBuilder
  ) {
    notes.countRecord()
    var remarks: [String] = []
    do throws(RecordProblem) {
      var location = try read(&remarks)
      guard location.point != GeoPoint(latitude: 0, longitude: 0) else {
        throw RecordProblem("the position 0,0 stands for none")
      }
      if let remark = surroundings.describe(&location) { remarks.append(remark) }
      do { try builder.add(location) } catch { throw RecordProblem("\(error)") }
      places.append(PlaceSample.Place(location))
      notes.remark(position, remarks)
    } catch {
      notes.note(position, .skipped, error.clause(&lines))
    }
  }
}
