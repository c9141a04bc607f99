import CBOR
import CitiesProtocol
import FrameService

/// The parameters of `city.search`, parsed in place: its texts are slices of the request.
struct CitySearchParams {
  /// The prefix of the titles.
  private(set) var prefix = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The comparison of names.
  private(set) var match = MatchMode.plain
  /// Restricts the search to this country, if given.
  private(set) var country: UnsafeRawBufferPointer?
  /// The number of rows to skip.
  private(set) var offset = 0
  /// The largest number of rows.
  private(set) var limit = Int(CitySearch.defaultLimit)
  /// The generation to which the offset belongs, if given.
  private(set) var generation: UnsafeRawBufferPointer?
  /// The rarely used options: one comparison on the hot path.
  private var wishes = Wishes()

  /// Parses the map of a request's parameters.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  /// - Complexity: O(bytes); no allocation unless it throws.
  init(_ reader: inout CBORReader) throws(WireError) {
    var map = CBORMapWalk()
    do throws(CBORError) {
      map = try reader.readMap()
      while let key = try reader.nextKeyWord(of: &map) {
        if key.word == KeyWord.prefix {
          prefix = try reader.readText()
        } else if !reader.readNullIfPresent() {
          try readOptional(key, &reader)
        }
      }
    } catch {
      throw .invalidParam(String(decoding: map.lastKey.text.prefix(32), as: UTF8.self), error.problem)
    }
    guard prefix.baseAddress != nil else { throw .invalidParam("prefix", "it is missing") }
  }

  var sort: CitySearch.Sort { wishes.contains(.byPopulation) ? .population : .key }
  /// Whether the reply names its sources.
  var provenance: Bool { wishes.contains(.provenance) }
  /// The additional fields of the rows.
  var parts: CityParts { CityParts(rawValue: wishes.rawValue).intersection(.all) }

  /// Whether the reply consists of stored rows in key order, without their sources.
  @inline(__always)
  var isPlainPage: Bool { wishes.isEmpty }

  /// The order by population, the sources, and the bits of ``CityParts``.
  private struct Wishes: OptionSet {
    var rawValue: UInt8
    static let byPopulation = Wishes(rawValue: 0x80)
    static let provenance = Wishes(rawValue: 0x40)
  }

  @inline(__always)
  private mutating func readOptional(_ key: CBORKey, _ reader: inout CBORReader) throws(CBORError) {
    switch key.word {
    case KeyWord.limit:
      let rows = try reader.readUnsigned()
      guard rows <= CitySearch.maximumLimit else { throw Self.tooMany(rows, at: reader.offset) }
      limit = Int(truncatingIfNeeded: rows)
    case KeyWord.offset: offset = Int(clamping: try reader.readUnsigned())
    case KeyWord.match:
      match = try reader.apart { (reader) throws(CBORError) in
        try reader.readChoice("plain", .plain, "folded", .folded)
      }
    case KeyWord.country: country = try reader.readText()
    case KeyWord.sort:
      wishes.formUnion(
        try reader.apart { (reader) throws(CBORError) in try reader.readChoice("key", [], "population", .byPopulation) }
      )
    case KeyWord.generation where CBORReader.text(key.text, is: "generation"): generation = try reader.readText()
    case KeyWord.provenance where CBORReader.text(key.text, is: "provenance"):
      if try reader.apart({ (reader) throws(CBORError) in try reader.readBool() }) { wishes.insert(.provenance) }
    case KeyWord.with:
      let parts = try reader.apart { (reader) throws(CBORError) in try CityParts(&reader) }
      wishes.formUnion(Wishes(rawValue: parts.rawValue))
    default: try reader.apart { (reader) throws(CBORError) in try reader.skip() }
    }
  }

  /// The error for a `limit` above the maximum, with the number as sent.
  @inline(never)
  private static func tooMany(_ rows: UInt64, at offset: Int) -> CBORError {
    CBORError(.refused("\(rows) is more than \(CitySearch.maximumLimit)"), offset: offset)
  }
}

extension CBORReader {
  /// Parses one of two words.
  fileprivate mutating func readChoice<Value>(
    _ first: StaticString, _ one: Value, _ second: StaticString, _ other: Value
  ) throws(CBORError) -> Value {
    let start = offset
    let text = try readText()
    if CBORReader.text(text, is: first) { return one }
    if CBORReader.text(text, is: second) { return other }
    let found = String(decoding: text.prefix(32), as: UTF8.self)
    throw CBORError(.refused("expected \"\(first)\" or \"\(second)\", found \"\(found)\""), offset: start)
  }
}
