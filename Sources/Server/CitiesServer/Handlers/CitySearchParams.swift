import CBOR
import CitiesProtocol
import FrameService

/// The parameters of `city.search`, read in place: its texts are slices of the request.
struct CitySearchParams {
  /// What the title begins with.
  private(set) var prefix = UnsafeRawBufferPointer(start: nil, count: 0)
  /// How names are compared.
  private(set) var match = MatchMode.plain
  /// Only cities of this country, if there is one.
  private(set) var country: UnsafeRawBufferPointer?
  /// The order.
  private(set) var sort = CitySearch.Sort.key
  /// Rows to leave out.
  private(set) var offset = 0
  /// Rows at most.
  private(set) var limit = Int(CitySearch.defaultLimit)
  /// The generation that the offset belongs to, if one is named.
  private(set) var generation: UnsafeRawBufferPointer?

  /// Reads a request's parameters.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  /// - Complexity: O(bytes), no allocation unless it throws.
  init(_ params: UnsafeRawBufferPointer, _ limits: CBORLimits = .init()) throws(WireError) {
    var reader = CBORReader(params, limits: limits)
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var hasPrefix = false
    do throws(CBORError) {
      var map = try reader.readMap()
      while let next = try reader.nextKey(of: &map) {
        key = next
        if CBORReader.text(key, is: "prefix") {
          prefix = try reader.readText()
          hasPrefix = true
        } else if !reader.readNullIfPresent() {
          try readOptional(key, &reader)
        }
      }
      try reader.finish()
    } catch {
      throw .invalidParam(String(decoding: key.prefix(32), as: UTF8.self), error.problem)
    }
    guard hasPrefix else { throw .invalidParam("prefix", "it is missing") }
    guard limit <= Int(CitySearch.maximumLimit) else {
      throw .invalidParam("limit", "\(limit) is more than \(CitySearch.maximumLimit)")
    }
  }

  private mutating func readOptional(_ key: UnsafeRawBufferPointer, _ reader: inout CBORReader) throws(CBORError) {
    if CBORReader.text(key, is: "limit") {
      limit = Int(clamping: try reader.readUnsigned())
    } else if CBORReader.text(key, is: "offset") {
      offset = Int(clamping: try reader.readUnsigned())
    } else if CBORReader.text(key, is: "match") {
      match = try reader.readChoice("plain", .plain, "folded", .folded)
    } else if CBORReader.text(key, is: "country") {
      country = try reader.readText()
    } else if CBORReader.text(key, is: "sort") {
      sort = try reader.readChoice("key", .key, "population", .population)
    } else if CBORReader.text(key, is: "generation") {
      generation = try reader.readText()
    } else {
      try reader.skip()
    }
  }
}

extension CBORReader {
  /// Reads one of two words.
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
