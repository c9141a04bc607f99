package import Banks
import CBOR
package import CitiesProtocol
import CivilTime

/// `banks.resident`: the server's side, an opened index of locations.
///
/// It keeps the file mapped as long as it lives, and ``index`` borrows from that mapping: hold on to this object while
/// the index or any slice of its rows is in use.
package final class ResidentBanks: @unchecked Sendable {
  /// The kind of the file.
  ///
  /// Raise the row version with any change to the sections of ``BankIndex``, to ``BankRow``'s encoding, to the ids or to
  /// the folding of names: the importer then makes the file anew, and an older server refuses it.
  package static let kind = ResidentKind(
    code: "BANK", name: "bank index", fileName: "banks.resident", rowVersion: 2, remedy: "citiesd-sync run")
  /// The section that holds ``Summary`` in CBOR.
  package static let summarySection: FourBytes = "META"
  /// The feeds that it is made from, in the order of ``FeedName/all``; a location's bank is called like its feed.
  package static let feeds: [FeedName] = [.swedbankEE, .swedbankLV, .swedbankLT, .imaginary]

  /// What the importer tells about its work.
  package struct Summary: Codable, Equatable, Sendable {
    /// Locations in the index.
    package var records: UInt64
    /// What each feed gave; a feed without a copy is left out.
    package var feeds: [Part]

    /// Puts the parts together.
    package init(records: UInt64, feeds: [Part]) { (self.records, self.feeds) = (records, feeds) }

    /// Whether any of the data is made up.
    package var isSample: Bool { feeds.contains(where: \.sample) }
  }

  /// What one feed gave.
  package struct Part: Codable, Equatable, Sendable {
    /// The feed.
    package var feed: FeedName
    /// Locations of it.
    package var records: UInt64
    /// Records of it that were skipped as bad.
    package var skipped: UInt64
    /// Whether it is one of the made-up samples.
    package var sample: Bool

    /// Puts the counts together.
    package init(feed: FeedName, records: UInt64, skipped: UInt64 = 0, sample: Bool = false) {
      (self.feed, self.records, self.skipped, self.sample) = (feed, records, skipped, sample)
    }
  }

  /// The file.
  package let file: ResidentFile
  /// Answers from the file.
  package let index: BankIndex
  /// The importer's counts.
  package let summary: Summary
  /// The rules of the index's time zones.
  package let zones: ZoneTable
  /// Why a zone has no rules, a line each: whether its locations are open is unknown then.
  package let zoneProblems: [String]

  /// Opens the index at `path`; the rules of its time zones are read from `zones`.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  /// - Complexity: as ``ResidentFile/init(path:kind:verify:)``.
  package convenience init(
    path: String, zones: ZoneFolder = .system, verify: ResidentFile.Verification = .automatic
  ) throws(ResidentError) {
    try self.init(file: ResidentFile(path: path, kind: Self.kind, verify: verify), zones: zones)
  }

  /// Takes the sections of `file`.
  package init(file: ResidentFile, zones folder: ZoneFolder = .system) throws(ResidentError) {
    let summaryBytes = try file.section(Self.summarySection)
    do {
      summary = try CBORDecoder().decode(Summary.self, from: summaryBytes)
    } catch {
      throw file.error(.contents("section \(Self.summarySection): \(error)"))
    }
    do {
      index = try BankIndex(sections: { file[FourBytes($0.rawValue)] })
    } catch {
      throw file.error(.contents(error.message))
    }
    guard summary.records == UInt64(index.count) else {
      throw file.error(.contents("\(summary.records) records are declared, the index holds \(index.count)"))
    }
    var problems: [String] = []
    zones = ZoneTable(for: index) { name in
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

  /// What the file holds, as 64 bits.
  package var generation: Generation { file.generation }
  /// Locations in all.
  package var count: Int { index.count }
}

extension ResidentBanks {
  /// Orders the locations of `builder` and encodes a row for each: the importer's side.
  ///
  /// - Throws: what the encoder throws for a row; it takes every ``BankLocation`` that passed the rules.
  /// - Complexity: O(n log n) for n locations.
  package static func image(
    of builder: consuming BankIndexBuilder, fingerprint: UInt64, feeds: [Part]
  ) throws -> ResidentImage {
    let count = builder.count
    return try image(try builder.build(row: row), count: count, fingerprint, feeds)
  }

  /// The image of locations that have their ids already: what a file with these rows must look like.
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
