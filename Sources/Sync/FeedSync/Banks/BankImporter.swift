import Banks
package import CitiesProtocol
package import Resident

/// Makes `banks.resident` from the feeds with locations.
///
/// A bad record is counted, told with its position and skipped; a file that is none, or has no good record, is refused:
/// also an empty list, as an upstream that is out of order looks the same.
package struct BankImporter: SubjectImporter {
  /// JSON values of one file that are accepted, about 200,000 locations: they are decoded all at once, which takes up to
  /// 1 GiB of memory for the worst of them.
  package static let maximumValues = 2_000_000

  private let places: [FeedName: BankPlace]
  private let zones: ZoneFolder

  /// The four feeds.
  package var feeds: [FeedName] { ResidentBanks.feeds }
  /// `banks.resident`.
  package var kind: ResidentKind { ResidentBanks.kind }

  /// Takes country and time zone of each feed from `configuration`; zones must be in the folder `zones`.
  package init(_ configuration: SyncConfiguration, zones: ZoneFolder = .system) {
    places = Dictionary(uniqueKeysWithValues: BankFeed.all.map { ($0.name, $0.place(configuration[$0.name])) })
    self.zones = zones
  }

  /// Checks the feed's time zone and country.
  package func check(_ feed: FeedName) throws(FeedError) {
    guard let format = BankFeed.all.first(where: { $0.name == feed }), let place = places[feed] else { return }
    try format.check(place, zones)
  }

  /// Reads one feed's bytes; `badData` also if its configured zone or country does not exist.
  package func examine(_ feed: FeedName, _ bytes: [UInt8]) throws(FeedError) -> FeedContents {
    try check(feed)
    var builder = BankIndexBuilder()
    return try read(feed, bytes, into: &builder)
  }

  /// Orders the locations of all copies in one index.
  ///
  /// A wrong setting of one feed is that feed's failure (``check(_:)``) and not the others': its locations stay, and
  /// without the rules of a time zone it is unknown whether they are open.
  package func image(of copies: [FeedName: SourceCopy]) throws(FeedError) -> ResidentImage {
    var builder = BankIndexBuilder()
    var parts: [ResidentBanks.Part] = []
    var hash = XXH64()
    for feed in feeds {
      guard let copy = copies[feed] else { continue }
      do throws(FeedError) {
        let contents = try read(feed, copy.bytes, into: &builder)
        parts.append(
          .init(feed: feed, records: contents.counts.kept, skipped: contents.counts.skipped, sample: copy.isSample))
      } catch {
        throw FeedError(error.reason, "feed \(feed.rawValue): \(error)")
      }
      update(&hash, feed, copy)
    }
    do {
      return try ResidentBanks.image(of: builder, fingerprint: hash.value, feeds: parts)
    } catch {
      throw FeedError(.badData, "\(error)")
    }
  }

  private func read(
    _ feed: FeedName, _ bytes: [UInt8], into builder: inout BankIndexBuilder
  ) throws(FeedError) -> FeedContents {
    guard let format = BankFeed.all.first(where: { $0.name == feed }), let configured = places[feed] else {
      throw FeedError(.unavailable, "\(feed.rawValue) is no feed with locations")
    }
    let place = format.sound(configured)
    var notes = ImportNotes(source: feed.rawValue)
    var invalidText = InvalidText(bytes, key: format.file.listKey)
    let before = builder.count
    for (index, record) in try records(format, bytes, place).enumerated() {
      take(record, at: index + 1, &notes, &invalidText, into: &builder)
    }
    guard builder.count > before else {
      let skipped = notes.skipped == 0 ? "" : ", \(notes.skipped) records were skipped"
      throw FeedError(.badData, (["no location in it\(skipped)"] + notes.lines).joined(separator: "\n"))
    }
    return try FeedContents(notes, kept: builder.count - before)
  }

  private func records(_ feed: BankFeed, _ bytes: [UInt8], _ place: BankPlace) throws(FeedError) -> [BankRecord] {
    do {
      try bytes.requireJSONValues(atMost: Self.maximumValues)
      return try feed.file.records(in: bytes, of: place)
    } catch {
      throw FeedError(.badData, "\(error); nothing was taken from it")
    }
  }

  /// Adds a good record; equal ones are as many locations.
  private func take(
    _ record: BankRecord, at position: Int, _ notes: inout ImportNotes, _ invalidText: inout InvalidText,
    into builder: inout BankIndexBuilder
  ) {
    notes.countRecord()
    switch record.result {
    case .failure(let problem): notes.skip(position, invalidText.clause(problem, at: position))
    case .success(let location):
      do throws(BankProblem) {
        try builder.add(location)
        for remark in record.remarks { notes.remark(position, remark) }
      } catch {
        notes.skip(position, "\(error)")
      }
    }
  }

  /// Everything that the index depends on, but for the program; lengths keep neighbours apart.
  private func update(_ hash: inout XXH64, _ feed: FeedName, _ copy: SourceCopy) {
    let place = places[feed]
    for text in [feed.rawValue, place?.country ?? "", place?.zone ?? "", copy.isSample ? "sample" : ""] {
      (Array(text.utf8) + [0]).withUnsafeBytes { hash.update($0) }
    }
    withUnsafeBytes(of: UInt64(copy.bytes.count).littleEndian) { hash.update($0) }
    copy.bytes.withUnsafeBytes { hash.update($0) }
  }
}
