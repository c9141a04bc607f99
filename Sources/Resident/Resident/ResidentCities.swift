import CBOR
package import Cities
package import CitiesProtocol

/// `cities.index`: the server's side, an opened city index.
///
/// It keeps the file mapped as long as it lives, and ``index`` borrows from that mapping: hold on to this object while
/// the index or any slice of its rows is in use.
package final class ResidentCities: @unchecked Sendable {
  /// The kind of the file.
  ///
  /// Raise the row version with any change to the sections of ``CityIndex``, to ``CityRow``'s encoding or to
  /// the folding of names: the importer then rebuilds the file, and an older server refuses it.
  package static let kind = ResidentKind(
    code: "CITY", name: "city index", fileName: "cities.index", rowVersion: 3,
    remedy: "citiesd-sync run --force cities")
  /// The section that holds ``Summary`` in CBOR.
  package static let summarySection: FourBytes = "META"

  /// The importer's counts.
  package struct Summary: Codable, Equatable, Sendable {
    /// Cities in the index.
    package var records: UInt64
    /// Records of the source that were skipped as bad.
    package var skipped: UInt64
    /// Records of the source that are equal to one that is kept.
    package var repeated: UInt64
    /// Records of the source in whose place another one about the same city is kept.
    package var replaced: UInt64

    /// Puts the counts together.
    package init(records: UInt64, skipped: UInt64 = 0, repeated: UInt64 = 0, replaced: UInt64 = 0) {
      (self.records, self.skipped) = (records, skipped)
      (self.repeated, self.replaced) = (repeated, replaced)
    }

    /// All counts.
    package var counts: RecordCounts {
      RecordCounts(kept: records, repeated: repeated, replaced: replaced, skipped: skipped)
    }
  }

  /// The file.
  package let file: ResidentFile
  /// Answers from the file.
  package let index: CityIndex
  /// The importer's counts.
  package let summary: Summary

  /// Opens the index at `path`.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  /// - Complexity: as ``ResidentFile/init(path:kind:verify:)``.
  package convenience init(path: String, verify: ResidentFile.Verification = .automatic) throws(ResidentError) {
    try self.init(file: ResidentFile(path: path, kind: Self.kind, verify: verify))
  }

  /// Takes the sections of `file`.
  package init(file: ResidentFile) throws(ResidentError) {
    let summaryBytes = try file.section(Self.summarySection)
    do {
      summary = try CBORDecoder().decode(Summary.self, from: summaryBytes)
    } catch {
      throw file.error(.contents("section \(Self.summarySection): \(error)"))
    }
    do {
      index = try CityIndex(sections: { file[FourBytes($0.rawValue)] })
    } catch {
      throw file.error(.contents(error.message))
    }
    guard summary.records == UInt64(index.count) else {
      throw file.error(.contents("\(summary.records) records are declared, the index holds \(index.count)"))
    }
    self.file = file
  }

  /// What the file holds, as 64 bits.
  package var generation: Generation { file.generation }
  /// Cities in all.
  package var count: Int { index.count }
}

extension ResidentCities {
  /// Orders the cities of `builder` and encodes a row for each: the importer's side.
  ///
  /// - Throws: what the encoder throws for a row; it takes every ``City`` that passed the rules.
  /// - Complexity: O(n log n) for n cities.
  package static func image(
    of builder: consuming CityIndexBuilder, fingerprint: UInt64, skipped: UInt64 = 0, repeated: UInt64 = 0,
    replaced: UInt64 = 0
  ) throws -> ResidentImage {
    let encoder = CBOREncoder()
    var records: UInt64 = 0
    let sections = try builder.build { city in
      records += 1
      return try encoder.encode(CityRow(city))
    }
    let summary = Summary(records: records, skipped: skipped, repeated: repeated, replaced: replaced)
    let ordered = CitySection.allCases.compactMap { section in
      sections[section].map { (name: FourBytes(section.rawValue), bytes: $0) }
    }
    return ResidentImage(
      kind: kind, fingerprint: fingerprint, sections: [(summarySection, try encoder.encode(summary))] + ordered)
  }
}

extension CityRow {
  /// The wire's form of a city.
  package init(_ city: City) {
    self.init(
      id: city.id, lat: city.latitude, lon: city.longitude, name: city.name, country: city.country,
      population: city.population)
  }
}
