import CBOR
import Cities
import CitiesProtocol
import Folders
import Glibc
import Resident
import System

/// Makes `translations.bin`: names of cities in the users' languages, which `citiesctl` shows next to the titles.
///
/// The names come from message catalogues with GeoNames ids as messages, one file per language, as Debian's package
/// `libgeonames-common` installs them. Only names of indexed cities that differ from the name in the title are kept.
///
/// The file is little-endian:
///
///     8 bytes    "CITYNAM1"
///     u32, u32   languages l, names n
///     l times    16 bytes of the language's code in ASCII, padded with zeros, ascending; u32: its first name
///     u32        n
///     n u32      ids, ascending within a language
///     n u32      offsets into the texts
///     the texts  UTF-8, each ended by a zero byte, every one once
///
/// The client bisects languages and ids in the mapped file, so it reads only a few pages.
package struct TranslationFile {
  /// The first bytes of the file; the last one counts up with changes of the format.
  package static let magic = "CITYNAM1"
  /// Bytes of a language's code; the longest is `sr_ME@latin`.
  package static let codeBytes = 16
  /// The folder of the catalogues on a Debian system.
  package static let systemFolder = "/usr/share/locale"
  private static let catalogue = "LC_MESSAGES/geonames.mo"

  /// The number of names.
  package private(set) var names = 0
  /// The number of languages with names.
  package var languages: Int { tables.count }
  private var tables: [(code: String, names: [(id: UInt32, text: String)])] = []

  /// Reads the catalogues of all languages below `folder`, for the cities of the index at `path`.
  ///
  /// - Throws: ``FeedError`` if there is no catalogue, or one or the index cannot be read.
  package init(from folder: String, index path: String) throws(FeedError) {
    let cities: ResidentCities
    do throws(ResidentError) { cities = try ResidentCities(path: path) } catch {
      throw FeedError(error)
    }
    try self.init(from: folder, for: cities)
  }

  /// Reads the catalogues of all languages below `folder`.
  ///
  /// - Throws: ``FeedError`` if there is none, or one cannot be read.
  /// - Complexity: O(n log n) in the names, and O(log m) for each in the cities.
  init(from folder: String, for cities: ResidentCities) throws(FeedError) {
    var known: [UInt32: String?] = [:]
    for code in try Self.codes(in: folder) {
      let path = "\(folder)/\(code)/\(Self.catalogue)"
      let table = try Self.table(path, cities, &known)
      if !table.isEmpty { tables.append((code, table)) }
      names += table.count
    }
  }

  /// The codes of the languages that have a catalogue, ascending by their bytes.
  private static func codes(in folder: String) throws(FeedError) -> [String] {
    let codes = ((try? Descriptor.names(in: folder)) ?? []).filter {
      isCode($0) && access("\(folder)/\($0)/\(catalogue)", R_OK) == 0
    }
    guard !codes.isEmpty else {
      throw FeedError(
        .unavailable, "no \(folder)/LANGUAGE/\(catalogue): the package libgeonames-common is not installed")
    }
    return codes.sorted()
  }

  /// Whether a text can be the code of a language: letters of ASCII, digits, `_` and `@`.
  private static func isCode(_ text: String) -> Bool {
    (2..<codeBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x5F || $0 == 0x40 }
  }

  /// The names to keep from a catalogue, by id; `known` caches the names in titles.
  private static func table(
    _ path: String, _ cities: ResidentCities, _ known: inout [UInt32: String?]
  ) throws(FeedError) -> [(id: UInt32, text: String)] {
    let file = try SourceFile(path: path, regularOnly: true, limit: MessageCatalogue.maximumBytes)
    var table: [UInt32: String] = [:]
    for (message, text) in try MessageCatalogue(file.bytes, path: path).messages {
      guard let id = UInt32(message), text.utf8.count <= CityRule.maximumNameBytes, !text.utf8.contains(0) else {
        continue
      }
      let name: String?
      if let seen = known[id] { name = seen } else { name = nameOfCity(id, cities) }
      known[id] = .some(name)
      if let name, name != text { table[id] = text }
    }
    return table.map { (id: $0.key, text: $0.value) }.sorted { $0.id < $1.id }
  }

  /// The name in the title of the city with `id`; `nil` if no city, or more than one, has that id.
  private static func nameOfCity(_ id: UInt32, _ cities: ResidentCities) -> String? {
    let positions = cities.index.positions(id: UInt64(id))
    guard positions.count == 1 else { return nil }
    let row = cities.index.row(at: cities.index.rank(inOrderOfIDs: positions.lowerBound))
    return (try? CBORDecoder().decode(CityRow.self, from: row.bytes))?.name
  }

  /// The bytes of the file.
  ///
  /// - Complexity: O(n) in the names.
  package var bytes: [UInt8] {
    var pool: [UInt8] = []
    var offsets: [TextKey: UInt32] = [:]
    var (ids, places): ([UInt32], [UInt32]) = ([], [])
    var head = Array(Self.magic.utf8) + [UInt8](column: [UInt32(tables.count), UInt32(names)])
    for (code, names) in tables {
      head += Array(code.utf8) + [UInt8](repeating: 0, count: Self.codeBytes - code.utf8.count)
      head += [UInt8](column: [UInt32(ids.count)])
      for (id, text) in names {
        ids.append(id)
        if offsets[text] == nil {
          offsets[text] = UInt32(pool.count)
          pool += Array(text.utf8) + [0]
        }
        places.append(offsets[text] ?? 0)
      }
    }
    return head + [UInt8](column: [UInt32(names)] + ids + places) + pool
  }

  /// Writes the file to `path`.
  ///
  /// - Throws: ``FeedError`` with the path.
  package func write(to path: String) throws(FeedError) {
    let bytes = bytes
    try FeedError.converting { () throws(SystemError) in
      try AtomicFile.replace(path) { (output) throws(SystemError) in try output.write(bytes) }
    }
  }
}
