package import Banks
package import CitiesProtocol
package import Resident

/// Makes `banks.resident` from the feeds with locations.
///
/// A bad record is counted, reported with its position and skipped. A file in another format, or without a good record, is
/// refused: also an empty list, because an upstream that is out of order looks the same.
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

  /// Country and time zone of the feed.
  package func settings(of feed: FeedName) -> [String] { places[feed].map { [$0.country, $0.zone] } ?? [] }

  /// Reads one feed's locations.
  ///
  /// - Throws: ``FeedError`` if there is no good record in it.
  package func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<BankIndexBuilder> {
    guard let format = BankFeed.all.first(where: { $0.name == feed }), let configured = places[feed] else {
      throw FeedError(.unavailable, "\(feed.rawValue) is not a feed of locations")
    }
    var builder = BankIndexBuilder()
    var notes = ImportNotes(source: name)
    var lines = LineCounter(bytes)
    do {
      try bytes.requireJSONValues(atMost: Self.maximumValues)
      try format.file.readRecords(in: bytes, of: format.sound(configured)) { position, record in
        take(record, at: position, &notes, &lines, into: &builder)
      }
    } catch {
      throw FeedError(.badData, "\(error); nothing was taken from it")
    }
    guard builder.count > 0 else {
      let skipped = notes.skipped == 0 ? "" : ", \(notes.skipped) records were skipped"
      throw FeedError(.badData, (["no location in it\(skipped)"] + notes.lines).joined(separator: "\n"))
    }
    return ParsedFeed(try FeedContents(notes, kept: builder.count), builder)
  }

  /// Orders the locations of all feeds in one index.
  ///
  /// A wrong setting of one feed is that feed's failure (``check(_:)``) and not the others': its locations stay, and
  /// without the rules of a time zone it is unknown whether they are open.
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

  /// Adds a good record; equal ones are as many locations.
  private func take(
    _ record: BankRecord, at position: Int, _ notes: inout ImportNotes, _ lines: inout LineCounter,
    into builder: inout BankIndexBuilder
  ) {
    notes.countRecord()
    switch record.result {
    case .failure(let problem): notes.skip(position, problem.clause(&lines))
    case .success(let location):
      do throws(BankProblem) {
        try builder.add(location)
        for remark in record.remarks { notes.remark(position, remark) }
      } catch {
        notes.skip(position, "\(error)")
      }
    }
  }
}

/// One of the feeds with locations: its format, and what it is taken for unless something else is configured.
struct BankFeed: Sendable {
  /// The feed.
  let name: FeedName
  /// The upstream format.
  let file: any BankFile
  private let usualCountry: String
  private let usualZone: String

  /// All of them, in the order of ``ResidentBanks/feeds``.
  static let all = [
    BankFeed(.swedbankEE, SwedbankFile(), "EE", "Europe/Tallinn"),
    BankFeed(.swedbankLV, SwedbankFile(), "LV", "Europe/Riga"),
    BankFeed(.swedbankLT, SwedbankFile(), "LT", "Europe/Vilnius"),
    BankFeed(.imaginary, ImaginaryFile(), "BA", "Europe/Sarajevo"),
  ]

  private init(_ name: FeedName, _ file: any BankFile, _ country: String, _ zone: String) {
    (self.name, self.file, usualCountry, usualZone) = (name, file, country, zone)
  }

  /// What `configuration` makes of the feed's locations.
  func place(_ configuration: FeedConfiguration) -> BankPlace {
    BankPlace(
      bank: name.rawValue, country: configuration.country ?? usualCountry, zone: configuration.timezone ?? usualZone)
  }

  /// Refuses a place that no location can have: an unknown zone would make opening hours wrong, and no zone is a guess.
  ///
  /// - Throws: ``FeedError`` with the configuration's key.
  func check(_ place: BankPlace, _ zones: ZoneFolder) throws(FeedError) {
    do throws(ZoneFolderError) {
      _ = try zones.rules(for: place.zone)
    } catch {
      throw FeedError(.badData, "\(error); \(remedy("timezone", "Europe/Vilnius"))")
    }
    guard isCode(place.country) else {
      throw FeedError(
        .badData, "no country \"\(place.country.prefix(40))\": expected two capital letters; \(remedy("country", "LT"))"
      )
    }
  }

  /// The zone of locations whose configured zone is not even a name: there are no rules for it, so that hours are unknown.
  private static let unknownZone = "Etc/Unknown"

  /// `place` with values that an index accepts in the place of wrong ones, for locations that are stored already.
  func sound(_ place: BankPlace) -> BankPlace {
    BankPlace(
      bank: place.bank, country: isCode(place.country) ? place.country : usualCountry,
      zone: ZoneFolder.isName(place.zone) ? place.zone : Self.unknownZone)
  }

  private func isCode(_ country: String) -> Bool {
    country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  private func remedy(_ key: String, _ example: String) -> String {
    """
    correct feeds.\(name.rawValue).\(key) in the configuration, or \
    \(SyncConfiguration.variable(of: name))_\(key.uppercased()), as \(example)
    """
  }
}
