import CBOR
package import Cities
package import CitiesProtocol
import System

/// `cities.index`, opened by the server.
///
/// The file stays mapped as long as this object lives, and ``index`` borrows from the mapping: keep the object while
/// the index or a slice of its rows is in use.
///
/// `Sendable` because its properties are constants that borrow from read-only bytes.
package final class ResidentCities: ResidentContent, @unchecked Sendable {
  /// The kind of the file.
  ///
  /// Raise the row version with any change to the sections of ``CityIndex``, to ``CityRow``'s encoding or to
  /// the folding of names: the importer then rebuilds the file, and an older server refuses it.
  package static let kind = ResidentKind(
    code: "CITY", name: "city index", fileName: "cities.index", rowVersion: 7,
    remedy: RebuildCommand.cities, maximumBytes: 16 << 30)
  /// The section that holds ``Summary`` in CBOR.
  package static let summarySection: FourBytes = "META"

  /// The importer's counts.
  package struct Summary: Codable, Equatable, Sendable {
    /// Cities in the index.
    package var records: UInt64
    /// Records of the source that were skipped as bad.
    package var skipped: UInt64
    /// Records of the source that add nothing to a kept one.
    package var repeated: UInt64
    /// Records of the source that another record of the same city replaces.
    package var replaced: UInt64

    /// Makes a summary.
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
  /// The index in the file.
  package let index: CityIndex
  /// The importer's counts.
  package let summary: Summary

  /// Reads the sections of `file`.
  package init(file: ResidentFile) throws(ResidentError) {
    summary = try file.value(in: Self.summarySection)
    do {
      index = try CityIndex(sections: { file[FourBytes($0.rawValue)] })
    } catch {
      throw file.error(.contents(error.message))
    }
    try file.requireRecords(summary.records, held: index.count)
    self.file = file
  }

  /// The number of cities.
  package var count: Int { index.count }
}

extension ResidentCities {
  /// Sorts the cities of `builder` and encodes a row for each, for the importer.
  ///
  /// Sections of more than `memoryLimit` bytes in total are kept in a temporary file.
  ///
  /// - Throws: any error of the encoder, which encodes every valid ``City``; ``CityIndexError`` if a section would
  ///   exceed its 32-bit offsets.
  /// - Complexity: O(n log n) for n cities.
  package static func image(
    of builder: consuming CityIndexBuilder, fingerprint: UInt64, skipped: UInt64 = 0, repeated: UInt64 = 0,
    replaced: UInt64 = 0, memoryLimit: Int = SectionGatherer.memoryLimit
  ) throws -> ResidentImage {
    var writer = CBORWriter()
    var gatherer = SectionGatherer(memoryLimit: memoryLimit)
    var records: UInt64 = 0
    try builder.build { city in
      records += 1
      writer.removeAll()
      try writer.write(city)
      return writer.bytes
    } into: { section, bytes in
      gatherer.take(FourBytes(section.rawValue), bytes)
    }
    let summary = Summary(records: records, skipped: skipped, repeated: repeated, replaced: replaced)
    gatherer.take(summarySection, try CBOREncoder().encode(summary))
    let names = [summarySection] + CitySection.allCases.map { FourBytes($0.rawValue) }
    return ResidentImage(kind: kind, fingerprint: fingerprint, gathered: try gatherer.finish(names))
  }
}

extension CBORWriter {
  /// Appends a city's row as ``CBOREncoder`` would, in a tenth of the time.
  ///
  /// - Throws: ``CBORError`` if a coordinate is not a number.
  mutating func write(_ city: City) throws(CBORError) {
    try writeMap(CityRow.CodingKeys.self) { (row) throws(CBORError) in
      row.write(.id, city.id)
      try row.write(.lat) { (writer) throws(CBORError) in try writer.writeDouble(city.latitude) }
      try row.write(.lon) { (writer) throws(CBORError) in try writer.writeDouble(city.longitude) }
      row.write(.name, city.name)
      row.write(.country, city.country)
      row.write(.population, city.population)
    }
  }
}

extension CityRow {
  /// The wire row of a city.
  package init(_ city: City) {
    self.init(
      id: city.id, lat: city.latitude, lon: city.longitude, name: city.name, country: city.country,
      population: city.population)
  }
}

extension ResidentCities {
  /// Checks that the rows, orders and keys at `ranks` cannot corrupt a reply.
  ///
  /// Checksums show that a file is unchanged, not who wrote it. This check keeps malformed bytes out of replies;
  /// ``verify()`` checks that they are the right ones.
  ///
  /// - Throws: ``ResidentError`` with the section and the first contradiction in it.
  /// - Complexity: O(k) in the bytes of the rows and keys at `ranks`, about 0.3 µs per city.
  package func prove(_ ranks: Range<Int>) throws(ResidentError) {
    if let problem = index.problem(at: ranks) { throw file.error(.contents(problem.message)) }
    for rank in ranks {
      if let problem = Self.problem(ofRows: index.row(at: rank), count: 1) {
        throw file.error(.contents("section ROWS, rank \(rank): \(problem)"))
      }
    }
  }

  /// Why `bytes` are not `count` rows back to back; `nil` if they are.
  ///
  /// - Complexity: O(n) in the bytes; allocates nothing unless there is a problem.
  package static func problem(ofRows bytes: UnsafeRawBufferPointer, count: Int) -> String? {
    var reader = CBORReader(bytes)
    do throws(CBORError) {
      for _ in 0..<count {
        if let problem = try problem(ofNextRow: &reader) { return problem }
      }
      try reader.finish()
      return nil
    } catch {
      return "the row is not an encoded city: \(error)"
    }
  }

  /// Reads one row: the keys of ``CityRow`` and no other, with values that ``CityRule`` accepts.
  private static func problem(ofNextRow reader: inout CBORReader) throws(CBORError) -> String? {
    var map = try reader.readMap()
    var found = 0
    while let key = try reader.nextKey(of: &map) {
      let isSound: Bool
      if CBORReader.text(key, is: "id") {
        isSound = try reader.readUnsigned() > 0
      } else if CBORReader.text(key, is: "lat") {
        isSound = abs(try reader.readDouble()) <= 90
      } else if CBORReader.text(key, is: "lon") {
        isSound = abs(try reader.readDouble()) <= 180
      } else if CBORReader.text(key, is: "name") {
        isSound = (1...CityRule.maximumNameBytes).contains(try reader.readText().count)
      } else if CBORReader.text(key, is: "country") {
        isSound = try reader.readText().count <= CityRule.maximumCountryBytes
      } else if CBORReader.text(key, is: "population") {
        isSound = try reader.readUnsigned() <= CityRule.maximumPopulation
        found -= 1
      } else {
        isSound = false
      }
      guard isSound else { return "the row has an unexpected \"\(String(decoding: key.prefix(32), as: UTF8.self))\"" }
      found += 1
    }
    return found == requiredKeys ? nil : "the row has \(found) of \(requiredKeys) keys"
  }

  /// The number of required keys: all but `population`.
  private static var requiredKeys: Int { 5 }
}

extension ResidentCities {
  /// Checks everything that the importer guarantees: each row is the encoding of a valid city, and every other section
  /// follows from the rows.
  ///
  /// - Throws: ``ResidentError`` with the section and the first contradiction in it.
  /// - Complexity: O(n log n), about 2 s and 200 bytes per city for 235,000 cities.
  package func verify() throws(ResidentError) {
    var builder = CityIndexBuilder()
    let alternates = index.alternates()
    var countries: [String] = []
    for rank in 0..<count {
      do {
        var city = City(try CBORDecoder().decode(CityRow.self, from: index.row(at: rank).bytes))
        countries.append(city.country)
        (city.alternates, city.languages) = (alternates[rank].keys.map(\.text), alternates[rank])
        let place = index.surroundings(of: rank)
        (city.regionCode, city.region) = (String(text: place.regionCode), String(text: place.region))
        (city.countyCode, city.zone) = (String(text: place.countyCode), String(text: place.zone))
        guard try builder.add(city) == .kept else {
          throw file.contradiction("section ROWS, rank \(rank): the city is in the file twice")
        }
      } catch let error as ResidentError {
        throw error
      } catch let problem as CityProblem {
        throw file.contradiction("section ROWS, rank \(rank): \(problem)")
      } catch {
        throw file.contradiction("section ROWS, rank \(rank): the row is not an encoded city: \(error)")
      }
    }
    builder.areaNames = index.areaNames(countryCodes: countries)
    try file.requireEqual(
      to: Self.image(
        of: builder, fingerprint: file.header.fingerprint, skipped: summary.skipped, repeated: summary.repeated,
        replaced: summary.replaced))
  }
}

extension City {
  /// The city described by a wire row.
  package init(_ row: CityRow) {
    self.init(
      id: row.id, name: row.name, country: row.country, latitude: row.lat, longitude: row.lon,
      population: row.population)
  }
}

extension String {
  /// The text of bytes in a file; invalid UTF-8 becomes U+FFFD, which no valid file has there.
  fileprivate init(text: UnsafeRawBufferPointer) { self.init(decoding: text, as: UTF8.self) }
}
