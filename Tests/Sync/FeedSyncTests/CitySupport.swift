import CBOR
import CZlib
import Cities
import CitiesProtocol
import FeedSync
import Resident
import TestSupport

/// A city as an index gives it back.
struct ImportedCity: Equatable {
  var name: String
  var country = "DE"
  var population: UInt64?
  var alternates: Set<String> = []
  var regionCode = ""
  var region = ""
  var countyCode = ""
  var zone = ""
}

extension CityBuild {
  /// The cities of the index, in its order.
  func cities() throws -> [ImportedCity] {
    let folder = try TemporaryFolder()
    try image.write(to: folder.path("cities.index"))
    let resident = try ResidentCities(path: folder.path("cities.index"))
    try resident.verify()
    return try withExtendedLifetime(resident) {
      let index = resident.index
      let alternates = index.alternates()
      return try (0..<resident.count).map { rank in
        let row = try CBORDecoder().decode(CityRow.self, from: index.row(at: rank).bytes)
        let place = index.surroundings(of: rank)
        return ImportedCity(
          name: row.name, country: row.country, population: row.population,
          alternates: Set(alternates[rank].keys.map(\.text)),
          regionCode: String(decoding: place.regionCode, as: UTF8.self),
          region: String(decoding: place.region, as: UTF8.self),
          countyCode: String(decoding: place.countyCode, as: UTF8.self),
          zone: String(decoding: place.zone, as: UTF8.self))
      }
    }
  }
}

/// The record of a city with more members, as JSON text.
func record(_ id: Int, _ name: String, adding members: String) -> String {
  "\(record(id, name).dropLast()),\(members)}"
}

/// Columns of a line in a dump of GeoNames', as the readme of the dumps names them.
struct DumpLine {
  var id = "588409"
  var name = "Tallinn"
  var asciiName = "Tallinn"
  var alternates = ""
  var latitude = "59.43696"
  var longitude = "24.75353"
  var featureClass = "P"
  var featureCode = "PPLC"
  var country = "EE"
  var regionCode = "01"
  var countyCode = "0784"
  var population = "394024"
  var zone = "Europe/Tallinn"

  var text: String {
    [
      id, name, asciiName, alternates, latitude, longitude, featureClass, featureCode, country, "", regionCode,
      countyCode, "", "", population, "", "22", zone, "2024-05-05",
    ].joined(separator: "\t")
  }
}

/// A dump of lines.
func dumpText(_ lines: DumpLine...) -> [UInt8] { dumpText(lines.map(\.text)) }

/// A dump of lines, as they stand there.
func dumpText(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

/// A zip archive, written as zip programs do; every declared value can be changed to a wrong one.
struct ZipWriter {
  struct Entry {
    var name: String
    var contents: [UInt8]
    var method: UInt16 = 8
    var flags: UInt16 = 0
    /// Declared values, where they are not the right ones.
    var checksum: UInt32?
    var unpackedCount: UInt32?
    var packedCount: UInt32?
    var offset: UInt32?
    /// The name in the header of the entry.
    var localName: String?
  }

  var entries: [Entry]
  var comment: [UInt8] = []
  /// The number of entries that the end declares.
  var declaredEntries: UInt16?

  var bytes: [UInt8] {
    var (archive, directory) = ([UInt8](), [UInt8]())
    for entry in entries {
      let packed = entry.method == 8 ? deflated(entry.contents) : entry.contents
      let offset = entry.offset ?? UInt32(archive.count)
      let name = Array((entry.localName ?? entry.name).utf8)
      archive +=
        numbers(0x0403_4B50 as UInt32) + header(entry, packed) + numbers(UInt16(name.count)) + numbers(UInt16(0))
      archive += name + packed
      directory += numbers(0x0201_4B50 as UInt32) + numbers(UInt16(20)) + header(entry, packed)
      directory += numbers(UInt16(entry.name.utf8.count)) + [UInt8](repeating: 0, count: 12) + numbers(offset)
      directory += Array(entry.name.utf8)
    }
    let count = declaredEntries ?? UInt16(entries.count)
    let end =
      numbers(0x0605_4B50 as UInt32) + numbers(UInt32(0)) + numbers(count) + numbers(count)
      + numbers(UInt32(directory.count)) + numbers(UInt32(archive.count)) + numbers(UInt16(comment.count)) + comment
    return archive + directory + end
  }

  /// The part that both headers of an entry have, from the version to the sizes.
  private func header(_ entry: Entry, _ packed: [UInt8]) -> [UInt8] {
    let checksum = entry.checksum ?? UInt32(truncatingIfNeeded: crc32(0, entry.contents, UInt32(entry.contents.count)))
    return numbers(UInt16(20)) + numbers(entry.flags) + numbers(entry.method) + numbers(UInt32(0)) + numbers(checksum)
      + numbers(entry.packedCount ?? UInt32(packed.count))
      + numbers(entry.unpackedCount ?? UInt32(entry.contents.count))
  }

  private func numbers(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }

  /// The deflate stream of a gzip member: without its header of 10 bytes and its trailer of 8.
  private func deflated(_ bytes: [UInt8]) -> [UInt8] { Array(gzip(bytes).dropFirst(10).dropLast(8)) }
}

/// A zip archive of one file.
func zip(_ contents: [UInt8], name: String = "EE.txt", method: UInt16 = 8) -> [UInt8] {
  ZipWriter(entries: [.init(name: name, contents: contents, method: method)]).bytes
}
