package import Banks
import CBOR
package import CitiesProtocol
import Geodesy
import System
import Text

/// `banks.resident`, opened by the server: an index of locations.
///
/// The file stays mapped as long as this object lives, and ``index`` borrows from the mapping: keep the object while
/// the index or a slice of its rows is in use.
///
/// `Sendable` because its properties are constants that borrow from read-only bytes.
package final class ResidentBanks: ResidentContent, @unchecked Sendable {
  /// The kind of the file.
  ///
  /// Raise the row version with any change to the sections of ``BankIndex``, to ``BankRow``'s encoding, to the ids or
  /// to the folding of names: the importer then rebuilds the file, and an older server refuses it.
  package static let kind = ResidentKind(
    code: "BANK", name: "bank index", fileName: "banks.resident", rowVersion: 5, remedy: RebuildCommand.banks)
  /// The section that holds ``Summary`` in CBOR.
  package static let summarySection: FourBytes = "META"

  /// The importer's counts.
  package struct Summary: Codable, Equatable, Sendable {
    /// Locations in the index.
    package var records: UInt64
    /// The counts of each feed with a copy.
    package var feeds: [Part]

    /// Makes a summary.
    package init(records: UInt64, feeds: [Part]) { (self.records, self.feeds) = (records, feeds) }

    /// Whether any of the data is sample data.
    package var isSample: Bool { feeds.contains(where: \.sample) }
  }

  /// The counts of one feed.
  package struct Part: Codable, Equatable, Sendable {
    /// The feed.
    package var feed: FeedName
    /// Its locations.
    package var records: UInt64
    /// Its records that were skipped as bad.
    package var skipped: UInt64
    /// Whether it is one of the samples.
    package var sample: Bool

    /// Makes the counts.
    package init(feed: FeedName, records: UInt64, skipped: UInt64 = 0, sample: Bool = false) {
      (self.feed, self.records, self.skipped, self.sample) = (feed, records, skipped, sample)
    }
  }

  /// The file.
  package let file: ResidentFile
  /// The index in the file.
  package let index: BankIndex
  /// The importer's counts.
  package let summary: Summary
  /// The built-in feeds, then the user-defined ones in the file; a location's bank has the name of its feed.
  package let allFeeds: [FeedName]
  /// The rules of the index's time zones, and the holidays of its countries.
  package let calendar: LocalCalendar
  /// Why zones have no rules, one line per zone; whether their locations are open is unknown.
  package let zoneProblems: [String]

  /// Reads the sections of `file`, with the system's time zone rules.
  package convenience init(file: ResidentFile) throws(ResidentError) { try self.init(file: file, zones: .system) }

  /// Reads the sections of `file`, with the time zone rules in `folder`.
  package init(file: ResidentFile, zones folder: ZoneFolder) throws(ResidentError) {
    summary = try file.value(in: Self.summarySection)
    allFeeds = Subject.banks.feeds + summary.feeds.map(\.feed).filter { $0.subject != .banks }
    do {
      index = try BankIndex(sections: { file[FourBytes($0.rawValue)] })
    } catch {
      throw file.error(.contents(error.message))
    }
    try file.requireRecords(summary.records, held: index.count)
    var problems: [String] = []
    calendar = LocalCalendar(for: index) { name in
      guard name != BankLocation.unknownZone else { return nil }
      do throws(ZoneFolderError) {
        return try folder.rules(for: name)
      } catch {
        problems.append("\(error); whether its locations are open is unknown")
        return nil
      }
    }
    zoneProblems = problems
    self.file = file
  }

  /// The number of locations.
  package var count: Int { index.count }
}

extension ResidentBanks {
  /// Sorts the locations of `builder` and encodes a row for each, for the importer.
  ///
  /// - Throws: any error of the encoder; it encodes every valid ``BankLocation``.
  /// - Complexity: O(n log n) for n locations.
  package static func image(
    of builder: consuming BankIndexBuilder, fingerprint: UInt64, feeds: [Part]
  ) throws -> ResidentImage {
    let count = builder.count
    return try image(try builder.build(row: row), count: count, fingerprint, feeds)
  }

  /// The image of locations that already have ids: the expected file for these rows.
  ///
  /// - Throws: as ``image(of:fingerprint:feeds:)``.
  /// - Complexity: O(n log n) for n locations.
  static func image(
    ofIdentified locations: [(id: String, location: BankLocation)], fingerprint: UInt64, feeds: [Part]
  ) throws -> ResidentImage {
    try image(
      try BankIndexBuilder.sections(of: locations, row: row), count: locations.count, fingerprint, feeds)
  }

  private static func row(_ id: String, _ location: BankLocation) throws -> [UInt8] {
    try CBOREncoder().encode(BankRow(id: id, location))
  }

  private static func image(
    _ sections: [BankSection: [UInt8]], count: Int, _ fingerprint: UInt64, _ feeds: [Part]
  ) throws -> ResidentImage {
    let summary = try CBOREncoder().encode(Summary(records: UInt64(count), feeds: feeds))
    let ordered = BankSection.allCases.compactMap { section in
      sections[section].map { (name: FourBytes(section.rawValue), bytes: $0) }
    }
    return ResidentImage(kind: kind, fingerprint: fingerprint, sections: [(summarySection, summary)] + ordered)
  }
}

extension ResidentBanks {
  /// Bytes of the longest row that is served; real rows have a few hundred.
  package static let maximumRowBytes = 64 << 10

  /// Checks that the rows at `ranks` are well formed, so that they cannot corrupt a reply.
  ///
  /// - Throws: ``ResidentError`` with the rank of the first malformed row.
  /// - Complexity: O(k) in the bytes of the rows, about 10 µs per location.
  package func prove(_ ranks: Range<Int>) throws(ResidentError) {
    for rank in ranks {
      if let problem = Self.problem(ofRow: index.row(at: rank)) {
        throw file.error(.contents("section ROWS, rank \(rank): \(problem)"))
      }
    }
  }

  /// Why `bytes` are not exactly one row; `nil` if they are.
  ///
  /// - Complexity: O(n) in the bytes.
  package static func problem(ofRow bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count <= maximumRowBytes else {
      return "the row has \(bytes.count) bytes, more than \(maximumRowBytes)"
    }
    var reader = CBORReader(bytes)
    do {
      // First the deterministic encoding, which the decoder does not require.
      try reader.skip()
      try reader.finish()
      _ = try CBORDecoder().decode(BankRow.self, from: bytes.bytes)
      return nil
    } catch {
      return "the row is not an encoded location: \(error)"
    }
  }
}

extension ResidentBanks {
  /// Checks everything that the importer guarantees: each row is the encoding of a valid location with a unique id, and
  /// every other section follows from the rows.
  ///
  /// - Throws: ``ResidentError`` with the section and the first contradiction in it.
  /// - Complexity: O(n log n) for n locations.
  package func verify() throws(ResidentError) {
    var locations: [(id: String, location: BankLocation)] = []
    var ids: Set<TextKey> = []
    for rank in 0..<count {
      guard let row = try? CBORDecoder().decode(BankRow.self, from: index.row(at: rank).bytes) else {
        throw file.contradiction("section ROWS, rank \(rank): the row is not an encoded location")
      }
      let location = BankLocation(row)
      if let problem = BankRule.problem(with: location) {
        throw file.contradiction("section ROWS, rank \(rank): \(problem)")
      }
      guard row.id.hasPrefix("\(row.bank)-"), ids.insert(row.id) else {
        throw file.contradiction("section ROWS, rank \(rank): \"\(row.id.excerpt(80))\" is not an id of its own")
      }
      locations.append((row.id, location))
    }
    try file.requireEqual(
      to: Self.image(ofIdentified: locations, fingerprint: file.header.fingerprint, feeds: summary.feeds))
  }
}

extension BankLocation {
  /// The location described by a wire row; the row's id contains the source's.
  package init(_ row: BankRow) {
    let kinds: [BankRow.Kind: LocationKind] = [.branch: .branch, .atm: .atm, .bna: .bna]
    self.init(
      bank: row.bank, kind: kinds[row.kind] ?? .unknown(row.code), name: row.name, address: row.address,
      region: row.region, country: row.country, point: GeoPoint(latitude: row.lat, longitude: row.lon), zone: row.zone)
    (availability, info, phone, email, website) = (row.availability, row.info, row.phone, row.email, row.website)
    (noCash, coinStation, isSuspicious) = (row.noCash, row.coinStation, row.suspicious == true)
    hours = row.hours.map { stretches in
      let holidays = (row.holidayHours ?? []).map { (WeeklyHours.Stretch.holiday, $0.opens, $0.closes) }
      return WeeklyHours(
        (stretches.map { ($0.day, $0.opens, $0.closes) } + holidays).compactMap {
          WeeklyHours.Stretch(weekday: $0, opens: $1, closes: $2)
        },
        namesHolidays: row.holidayHours != nil, closedDays: (row.closedDays ?? []).compactMap { ClosedDay($0) })
    }
  }
}

extension BankRow {
  /// The wire row of a location with `id`.
  package init(id: String, _ location: BankLocation) {
    self.init(
      id: id, bank: location.bank, kind: Kind(location.kind), name: location.name, address: location.address,
      region: location.region, country: location.country, countryName: CountryName.name(of: location.country),
      lat: location.point.latitude, lon: location.point.longitude, zone: location.zone)
    if location.kind.category == .unknown { code = location.kind.code }
    (availability, info) = (location.availability, location.info)
    (noCash, coinStation) = (location.noCash, location.coinStation)
    (phone, email, website) = (location.phone, location.email, location.website)
    suspicious = location.isSuspicious ? true : nil
    guard let known = location.hours else { return }
    hours = (0..<WeeklyHours.Stretch.holiday).flatMap { known.stretches(on: $0) }
      .map { OpeningHours(day: $0.weekday, opens: $0.opens, closes: $0.closes) }
    if !known.closedDays.isEmpty { closedDays = known.closedDays.map(\.description) }
    guard known.namesHolidays else { return }
    holidayHours = known.stretches(on: WeeklyHours.Stretch.holiday)
      .map { HolidayHours(opens: $0.opens, closes: $0.closes) }
  }
}

extension BankRow.Kind {
  fileprivate init(_ kind: LocationKind) { self.init(rawValue: kind.category.rawValue) }
}
