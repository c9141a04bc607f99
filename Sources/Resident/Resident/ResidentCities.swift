import Base
import CBOR
package import Cities
package import CitiesProtocol
import System

/// `cities.index`: the server's side, an opened city index.
///
/// It keeps the file mapped as long as it lives, and ``index`` borrows from that mapping: hold on to this object while
/// the index or any slice of its rows is in use.
///
/// It is `Sendable` because its properties are constants, which borrow from bytes that are only read.
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

  /// Takes the sections of `file`.
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

  /// Cities in all.
  package var count: Int { index.count }
}

extension ResidentCities {
  /// Orders the cities of `builder` and encodes a row for each: the importer's side.
  ///
  /// Sections of more than `memoryLimit` bytes in all wait in a temporary file.
  ///
  /// - Throws: what the encoder throws for a row; it takes every ``City`` that passed the rules. ``CityIndexError`` if
  ///   a section would outgrow its 32-bit offsets.
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
  /// Appends what ``CBOREncoder`` makes of a city's row, in a tenth of the time.
  ///
  /// - Throws: ``CBORError`` if a coordinate is not a number.
  mutating func write(_ city: City) throws(CBORError) {
    writeMap(count: city.population == nil ? 5 : 6)
    writeKey("id")
    writeUnsigned(city.id)
    writeKey("lat")
    try writeDouble(city.latitude)
    writeKey("lon")
    try writeDouble(city.longitude)
    writeKey("name")
    writeText(city.name)
    writeKey("country")
    writeText(city.country)
    guard let population = city.population else { return }
    writeKey("population")
    writeUnsigned(population)
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

extension ResidentCities {
  /// Proves that no reply can be spoilt by the rows, orders and keys at `ranks`.
  ///
  /// Checksums show that a file is as its writer left it, not who wrote it. This keeps foreign bytes out of replies;
  /// whether they are the right ones is for ``verify()``.
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

  /// Keys that every row has: all but `population`.
  private static var requiredKeys: Int { 5 }
}

extension ResidentCities {
  /// Proves everything that the importer promises: each row is the encoding of a city that the rules accept, and every
  /// other section is what these rows give.
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
        (city.alternates, city.languages) = (Array(alternates[rank].keys), alternates[rank])
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
  /// The city that a row of the wire describes.
  package init(_ row: CityRow) {
    self.init(
      id: row.id, name: row.name, country: row.country, latitude: row.lat, longitude: row.lon,
      population: row.population)
  }
}

extension String {
  /// The text of bytes in a file; bytes that are not UTF-8 become U+FFFD, which no file has there.
  fileprivate init(text: UnsafeRawBufferPointer) { self.init(decoding: text, as: UTF8.self) }
}
