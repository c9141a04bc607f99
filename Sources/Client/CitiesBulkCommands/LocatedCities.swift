internal import CBOR
internal import CitiesProtocol

/// A reply to `city.locate` as far as a table needs it.
///
/// It is read in place: decoded as a type, the rows of a reply about thousands of different cities would cost more than all
/// else that the command does. A reply in another encoding is decoded as the type.
struct LocatedCities: Equatable {
  /// The id of each city, once.
  private(set) var ids: [UInt64] = []
  /// The titles of all cities, one after the other, and where each ends.
  private var titles: [UInt8] = []
  private var titleEnds: [Int] = [0]
  /// For each position the place of its city in ``ids``, or `CityLocate.nothing`.
  private(set) var index: [UInt32] = []
  /// The distances.
  private(set) var metres: [UInt32] = []
  private(set) var generation = ""

  /// Reads the payload of a reply, or the server's error.
  ///
  /// - Throws: an error of decoding.
  /// - Complexity: O(bytes).
  static func read(_ payload: UnsafeRawBufferPointer) throws -> Result<LocatedCities, WireError> {
    var reader = CBORReader(payload)
    if let cities = try? readEnvelope(&reader) { return .success(cities) }
    let envelope = try CBORDecoder().decode(ServerEnvelope<CityLocate>.self, from: payload)
    if let reply = envelope.result { return .success(LocatedCities(reply)) }
    return .failure(envelope.error ?? WireError(.malformed, "a reply with neither result nor error"))
  }

  private init() {}

  /// Takes the parts of a decoded reply.
  init(_ reply: CityLocate.Reply) {
    for city in reply.rows ?? [] {
      ids.append(city.id)
      titles += city.title.utf8
      titleEnds.append(titles.count)
    }
    (index, metres, generation) = (reply.index?.elements ?? [], reply.metres.elements, reply.generation)
  }

  /// The title of the city at `place`.
  func title(at place: Int) -> ArraySlice<UInt8> { titles[titleEnds[place]..<titleEnds[place + 1]] }

  /// The result of an envelope; `nil` if it has none.
  private static func readEnvelope(_ reader: inout CBORReader) throws(CBORError) -> LocatedCities? {
    var map = try reader.readMap()
    var found: LocatedCities?
    while let key = try reader.nextKey(of: &map) {
      if CBORReader.text(key, is: "result") { found = try readResult(&reader) } else { try reader.skip() }
    }
    try reader.finish()
    return found
  }

  private static func readResult(_ reader: inout CBORReader) throws(CBORError) -> LocatedCities? {
    var found = LocatedCities()
    var (hasRows, index, metres, generation): (Bool, [UInt32]?, [UInt32]?, String?) = (false, nil, nil, nil)
    var map = try reader.readMap()
    while let key = try reader.nextKey(of: &map) {
      if CBORReader.text(key, is: "rows") {
        try found.readRows(&reader)
        hasRows = true
      } else if CBORReader.text(key, is: "index") {
        index = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "metres") {
        metres = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "generation") {
        generation = String(decoding: try reader.readText(), as: UTF8.self)
      } else {
        try reader.skip()
      }
    }
    guard hasRows, let index, let metres, let generation else { return nil }
    (found.index, found.metres, found.generation) = (index, metres, generation)
    return found
  }

  private mutating func readRows(_ reader: inout CBORReader) throws(CBORError) {
    let count = try reader.readArray()
    ids.reserveCapacity(count)
    titleEnds.reserveCapacity(count + 1)
    // Most titles are shorter.
    titles.reserveCapacity(count * 24)
    for _ in 0..<count { try readRow(&reader) }
  }

  /// Keys as `CBORKey.word` has them: a head, the text and zeros.
  private static var id: UInt64 { 0x6269_6400_0000_0000 }
  private static var name: UInt64 { 0x646E_616D_6500_0000 }
  private static var country: UInt64 { 0x6763_6F75_6E74_7279 }

  private mutating func readRow(_ reader: inout CBORReader) throws(CBORError) {
    var map = try reader.readMap()
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    var (id, name, country): (UInt64?, UnsafeRawBufferPointer, UnsafeRawBufferPointer) = (nil, nothing, nothing)
    while let key = try reader.nextKeyWord(of: &map) {
      switch key.word {
      case Self.id: id = try reader.readUnsigned()
      case Self.name: name = try reader.readText()
      case Self.country: country = try reader.readText()
      default: try reader.skip()
      }
    }
    guard let id else { throw CBORError(.malformed("a row without an id"), offset: reader.offset) }
    ids.append(id)
    titles.append(contentsOf: name)
    if !country.isEmpty {
      titles.append(UInt8(ascii: ","))
      titles.append(UInt8(ascii: " "))
    }
    titles.append(contentsOf: country)
    titleEnds.append(titles.count)
  }

  private static func readNumbers(_ reader: inout CBORReader) throws(CBORError) -> [UInt32] {
    guard try reader.readTag() == UInt32.typedArrayTag else {
      throw CBORError(.mismatch(expected: "typed array", found: "another"), offset: reader.offset)
    }
    guard let array = TypedArray<UInt32>(littleEndian: try reader.readBytes()) else {
      throw CBORError(.malformed("a typed array with a part of a number"), offset: reader.offset)
    }
    return array.elements
  }
}
