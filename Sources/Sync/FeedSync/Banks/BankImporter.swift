package import Banks
package import CitiesProtocol
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
  package init(_ configuration: SyncConfiguration, zones: ZoneFolder = .system) {
    feeds = Subject.banks.feeds + configuration.ownFeeds
    known = Dictionary(
      uniqueKeysWithValues: feeds.compactMap { name in
        BankFeed(name, configuration[name]).map { (name, $0) }
      })
    self.zones = zones
  }

  /// Checks the feed's time zone and country.
  package func check(_ feed: FeedName) throws(FeedError) {
    guard let problem = known[feed]?.problems(zones).first else { return }
    throw FeedError(.badData, problem.sentence)
  }

  /// The feed's country and time zone, and the format of a user-defined feed.
  package func settings(of feed: FeedName) -> [String] { known[feed]?.settings ?? [] }

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
    var notes = ImportNotes(source: name)
    var lines = LineCounter(bytes)
    do {
      try bytes.requireJSONValues(atMost: Self.maximumValues)
      try source.format.file.readRecords(in: bytes, of: source.validPlace) { position, record in
        take(record, at: position, &notes, &lines, into: &builder)
      }
    } catch {
      throw FeedError(.badData, "\(error); nothing was imported")
    }
    return ParsedFeed(try FeedContents(notes, kept: builder.count), builder)
  }

  /// Orders the locations of all feeds in one index.
  ///
  /// An invalid setting fails that feed alone (``check(_:)``): its locations stay, and without the rules of a time zone
  /// it is unknown whether they are open.
  package func image(
    of parts: consuming [FeedPart<BankIndexBuilder>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage {
    var builder = BankIndexBuilder()
    var feeds: [ResidentBanks.Part] = []
    for part in parts {
      builder.add(part.parsed.records)
      let counts = part.parsed.contents.counts
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
  /// Equal records are separate locations.
  private func take(
    _ record: BankRecord, at position: Int, _ notes: inout ImportNotes, _ lines: inout LineCounter,
    into builder: inout BankIndexBuilder
  ) {
    notes.countRecord()
    switch record.result {
    case .failure(let problem): notes.note(position, .skipped, problem.clause(&lines))
    case .success(let location):
      do throws(BankProblem) {
        try builder.add(location)
        for remark in record.remarks { notes.remark(position, remark) }
      } catch {
        notes.note(position, .skipped, "\(error)")
      }
    }
  }
}
