import Base
import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Resident

/// The additional fields of city rows: the words in a request's `with`.
struct CityParts: OptionSet {
  var rawValue: UInt8

  /// `region` and `region_code`.
  static let region = CityParts(rawValue: 1)
  /// `zone`.
  static let zone = CityParts(rawValue: 2)
  /// `alternates`.
  static let alternates = CityParts(rawValue: 4)
  static let all: CityParts = [.region, .zone, .alternates]
}

extension CityParts {
  /// The words of a message; empty if it has none.
  init(_ words: [CityPart]?) {
    self = []
    for word in words ?? [] {
      switch word {
      case .region: insert(.region)
      case .zone: insert(.zone)
      case .alternates: insert(.alternates)
      }
    }
  }

  /// Parses the array of words in place.
  ///
  /// - Throws: An error that lists the valid words, unless it is an array of them.
  init(_ reader: inout CBORReader) throws(CBORError) {
    self = []
    for _ in 0..<(try reader.readArray()) {
      let start = reader.offset
      let text = try reader.readText()
      guard let word = CityPart.allCases.first(where: { text.elementsEqual($0.rawValue.utf8) }) else {
        let found = String(decoding: text.prefix(32), as: UTF8.self)
        throw CBORError(
          .refused("expected \"region\", \"zone\" or \"alternates\", found \"\(found)\""), offset: start)
      }
      formUnion(CityParts([word]))
    }
  }
}

/// The rows of a reply with additional fields.
struct DetailedRows {
  private let parts: CityParts
  private let generation: ServedGeneration<ResidentCities>
  private let names: AlternateNames?

  /// The rows of cities with `parts`, without alternate names.
  init(_ parts: CityParts, _ generation: ServedGeneration<ResidentCities>) {
    (self.parts, self.generation, names) = (parts, generation, nil)
  }

  /// The rows of the cities at `ranks` with `parts`; collects their alternate names.
  ///
  /// - Throws: `frame-too-large` if the names alone are larger than a reply; ``Stopped``.
  init(
    _ ranks: some Sequence<Int>, _ parts: CityParts, _ generation: ServedGeneration<ResidentCities>, _ budget: Budget
  ) async throws {
    (self.parts, self.generation) = (parts, generation)
    let index = generation.data.index
    names =
      parts.contains(.alternates)
      ? try await AlternateNames(of: ranks, index, budget) { bytes in try generation.checkSize(bytes) } : nil
  }

  /// Writes the row of the city at `rank`, which must be one of `ranks`.
  ///
  /// - Throws: `unavailable` if the file is corrupt; it is then out of service.
  func write(_ rank: Int, into reply: inout CBORWriter) throws(WireError) {
    try generation.writeRow(rank, with: parts, names, into: &reply)
  }
}

extension ServedGeneration<ResidentCities> {
  /// Writes the row of the city at `rank` with `parts`; `names` must be given if these include alternate names.
  ///
  /// Keys are in deterministic order: so are those of the stored row, and each part is inserted in its place.
  ///
  /// - Throws: `unavailable` if the row is invalid or a text is not UTF-8; the file is then out of service.
  func writeRow(
    _ rank: Int, with parts: CityParts, _ names: AlternateNames? = nil, into reply: inout CBORWriter
  ) throws(WireError) {
    guard !parts.isEmpty else { return try writeRow(rank, into: &reply) }
    let row = try StoredRow(data.index.row(at: rank), rank, self)
    let place = data.index.surroundings(of: rank)
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    let zone = parts.contains(.zone) ? place.zone : nothing
    let region = parts.contains(.region) ? place.region : nothing
    let code = parts.contains(.region) ? place.regionCode : nothing
    let alternates = parts.contains(.alternates) ? names?.entries(of: rank) ?? [] : nil
    let added = [!zone.isEmpty, !region.isEmpty, !code.isEmpty, alternates != nil].count { $0 }
    reply.writeMap(count: row.pairs + added)
    reply.writeEncoded(row.beforeCountry)
    try writeText("zone", zone, into: &reply)
    try writeText("region", region, into: &reply)
    reply.writeEncoded(row.country)
    if let alternates { try writeAlternates(alternates, into: &reply) }
    reply.writeEncoded(row.population)
    try writeText("region_code", code, into: &reply)
  }

  /// Writes a text of the file under `key`, unless it is empty.
  ///
  /// - Throws: `unavailable` if it is not UTF-8; the file is then out of service.
  func writeText(
    _ key: StaticString, _ text: UnsafeRawBufferPointer, into reply: inout CBORWriter
  ) throws(WireError) {
    guard !text.isEmpty else { return }
    reply.writeKey(key)
    reply.writeText(utf8: try checked(text, key))
  }

  private func writeAlternates(_ entries: [Int], into reply: inout CBORWriter) throws(WireError) {
    reply.writeKey("alternates")
    reply.writeArray(count: entries.count)
    for entry in entries { reply.writeText(utf8: try checked(data.index.alternate(entry), "alternates")) }
  }

  private func checked(
    _ text: UnsafeRawBufferPointer, _ key: StaticString
  ) throws(WireError) -> UnsafeRawBufferPointer {
    guard isValidUTF8(text) else { throw damaged("the text for \"\(key)\" of a city is not UTF-8") }
    return text
  }
}

/// A stored row, cut where additional keys can be inserted.
private struct StoredRow {
  let pairs: Int
  /// The pairs before `country`.
  let beforeCountry: UnsafeRawBufferPointer
  /// The pair of `country`.
  let country: UnsafeRawBufferPointer
  /// The pair of `population`; empty if missing.
  let population: UnsafeRawBufferPointer

  /// Cuts `row`, the row of the city at `rank`.
  ///
  /// - Throws: `unavailable` if it is malformed; the file is then out of service.
  init(
    _ row: UnsafeRawBufferPointer, _ rank: Int, _ generation: ServedGeneration<ResidentCities>
  ) throws(WireError) {
    try generation.check(row, rank)
    var reader = CBORReader(row)
    do throws(CBORError) {
      var map = try reader.readMap()
      pairs = map.count
      let start = reader.offset
      var (countryStart, countryEnd) = (row.count, row.count)
      var before = start
      while let key = try reader.nextKey(of: &map) {
        let isCountry = CBORReader.text(key, is: "country")
        try reader.skip()
        if isCountry {
          (countryStart, countryEnd) = (before, reader.offset)
          break
        }
        before = reader.offset
      }
      beforeCountry = UnsafeRawBufferPointer(rebasing: row[start..<countryStart])
      country = UnsafeRawBufferPointer(rebasing: row[countryStart..<countryEnd])
      population = UnsafeRawBufferPointer(rebasing: row[countryEnd...])
    } catch {
      throw generation.damaged("section ROWS, rank \(rank): \(error)")
    }
  }
}
