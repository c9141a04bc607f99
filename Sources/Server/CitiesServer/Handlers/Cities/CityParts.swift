import CBOR
import Cities
import CitiesProtocol
import Coroutines
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

  /// The rows of `items`, which `write` appends one at a time, in slices: a row may have a thousand names.
  ///
  /// - Throws: `frame-too-large` if the rows alone are larger than a reply; `unavailable` if the file is corrupt, and
  ///   then out of service; ``Stopped``.
  func written<Item>(
    _ items: some Sequence<Item>, _ budget: Budget,
    _ write: (Item, inout CBORWriter) throws(WireError) -> Void
  ) async throws -> RowBuffer {
    var rows = RowBuffer()
    for item in items {
      try rows.append(of: generation) { (row) throws(WireError) in try write(item, &row) }
      try await budget.check(64)
    }
    return rows
  }

  /// Writes the row of the city at `rank`, which must be one of `ranks`.
  ///
  /// - Throws: `unavailable` if the file is corrupt; it is then out of service.
  func write(_ rank: Int, into reply: inout CBORWriter) throws(WireError) {
    try generation.writeRow(rank, with: parts, names, into: &reply)
  }
}

extension RowBuffer {
  /// Writes the rows of the cities at `ranks` with `parts`: thousands of them take several slices.
  ///
  /// - Throws: as ``DetailedRows``.
  init(
    _ ranks: some Sequence<Int>, _ parts: CityParts, _ generation: ServedGeneration<ResidentCities>, _ budget: Budget
  ) async throws {
    let details = try await DetailedRows(ranks, parts, generation, budget)
    self = try await details.written(ranks, budget) { (rank, row) throws(WireError) in
      try details.write(rank, into: &row)
    }
  }
}

extension ServedGeneration<ResidentCities> {
  /// Writes the row of the city at `rank` with `parts`; `names` must be given if these include alternate names.
  ///
  /// The keys of the stored row are in deterministic order, and each part is inserted in its place.
  ///
  /// - Throws: `unavailable` if the row is invalid or a text is not UTF-8; the file is then out of service.
  func writeRow(
    _ rank: Int, with parts: CityParts, _ names: AlternateNames? = nil, into reply: inout CBORWriter
  ) throws(WireError) {
    guard !parts.isEmpty else { return try writeRow(rank, into: &reply) }
    let row = try StoredRow(rank, self)
    let place = data.index.surroundings(of: rank)
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    let zone = parts.contains(.zone) ? place.zone : nothing
    let region = parts.contains(.region) ? place.region : nothing
    let code = parts.contains(.region) ? place.regionCode : nothing
    let alternates = parts.contains(.alternates) ? names?.entries(of: rank) ?? [] : nil
    try reply.writeMap(CityRow.CodingKeys.self) { (map) throws(WireError) in
      map.writeEncoded(pairs: row.pairs, row.beforeCountry)
      try write(.zone, zone, into: &map)
      try write(.region, region, into: &map)
      map.writeEncoded(pairs: 0, row.country)
      if let alternates {
        try map.write(.alternates, arrayOf: alternates) { (entry, reply) throws(WireError) in
          reply.writeText(utf8: try checked(data.index.alternate(entry), CityRow.CodingKeys.alternates))
        }
      }
      map.writeEncoded(pairs: 0, row.population)
      try write(.regionCode, code, into: &map)
    }
  }

  /// Writes a text of the file under `key`, unless it is empty.
  ///
  /// - Throws: `unavailable` if it is not UTF-8; the file is then out of service.
  func write<Key>(
    _ key: Key, _ text: UnsafeRawBufferPointer, into map: inout CBORMapWriter<Key>
  ) throws(WireError) {
    guard !text.isEmpty else { return }
    let checked = try checked(text, key)
    map.write(key) { $0.writeText(utf8: checked) }
  }

  private func checked(
    _ text: UnsafeRawBufferPointer, _ key: some CodingKey
  ) throws(WireError) -> UnsafeRawBufferPointer {
    guard isValidUTF8(text) else { throw damaged("the text for \"\(key.stringValue)\" of a city is not UTF-8") }
    return text
  }
}

/// A stored row, cut where additional keys can be inserted.
struct StoredRow {
  let pairs: Int
  /// The pairs before `country`.
  let beforeCountry: UnsafeRawBufferPointer
  /// The pair of `country`.
  let country: UnsafeRawBufferPointer
  /// The pair of `population`; empty if missing.
  let population: UnsafeRawBufferPointer

  /// Cuts the row of the city at `rank`.
  ///
  /// - Throws: `unavailable` if it is malformed; the file is then out of service.
  init(_ rank: Int, _ generation: ServedGeneration<ResidentCities>) throws(WireError) {
    let row = generation.data.index.row(at: rank)
    try generation.check(row, rank)
    guard let start = Self.startOfCountry(in: row), let end = Self.endOfText(at: start + 8, in: row) else {
      throw generation.damaged("section ROWS, rank \(rank): the country is not the fifth key")
    }
    pairs = Int(row[0] & 0x1F)
    beforeCountry = UnsafeRawBufferPointer(rebasing: row[1..<start])
    country = UnsafeRawBufferPointer(rebasing: row[start..<end])
    population = UnsafeRawBufferPointer(rebasing: row[end...])
  }

  /// The offset of the key `country` in a checked row: it follows id, position and name.
  ///
  /// Parsing the map would cost more than the rest of the row. `nil` if the file has changed since the check.
  @inline(__always)
  static func startOfCountry(in row: UnsafeRawBufferPointer) -> Int? {
    // The head of the map; a key of three bytes and two of four, with their numbers; one of five, with the name.
    var offset = 1
    for number in 0..<3 {
      offset += number == 0 ? 3 : 4
      guard offset < row.count else { return nil }
      let size = row[offset] & 0x1F
      offset += size < 24 ? 1 : 1 + (1 << Int(size & 3))
    }
    guard let start = endOfText(at: offset + 5, in: row), start + 8 < row.count else { return nil }
    let isCountry = row.loadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian == 0x67_636F_756E_7472_79
    return isCountry ? start : nil
  }

  /// The end of the text at `offset`; `nil` if it is beyond the row.
  @inline(__always)
  private static func endOfText(at offset: Int, in row: UnsafeRawBufferPointer) -> Int? {
    guard offset < row.count else { return nil }
    let end: Int
    switch row[offset] & 0x1F {
    case let length where length < 24: end = offset + 1 + Int(length)
    case 24 where offset + 1 < row.count: end = offset + 2 + Int(row[offset + 1])
    case 25 where offset + 2 < row.count: end = offset + 3 + Int(row[offset + 1]) << 8 + Int(row[offset + 2])
    default: return nil
    }
    return end <= row.count ? end : nil
  }
}
