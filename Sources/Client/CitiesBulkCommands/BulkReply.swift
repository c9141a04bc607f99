internal import CBOR
internal import CitiesProtocol
internal import Framing

/// A reply to `city.locate` or `city.match` as far as a table needs it, read in place.
struct BulkReply: Equatable {
  /// Each city once.
  private(set) var cities = ReplyCities()
  /// For each row of the request the place of its city in ``cities``, or `CityLocate.nothing`.
  private(set) var index: [UInt32] = []
  /// For each row the place of the city that is meant if the first is not, as in ``index``; empty unless asked for.
  private(set) var second: [UInt32] = []
  /// Why each row has its class, a line for each.
  private var reasonLines: [UInt8] = []
  /// The distances; empty in a reply about names.
  private(set) var metres: [UInt32] = []
  /// The numbers of the classes; empty in a reply about positions.
  private(set) var classes: [UInt8] = []
  /// Whether the countries of positions are certain; empty in other replies.
  private(set) var certain: [UInt8] = []
  /// The codes of their countries, a line for each.
  private var countryLines: [UInt8] = []
  private(set) var generation = ""

  /// The codes of the countries of positions; empty at sea.
  ///
  /// - Complexity: O(bytes).
  var countries: [[UInt8]] { Self.split(countryLines) }

  /// Why each row has its class; empty unless asked for.
  ///
  /// - Complexity: O(bytes).
  var reasons: [[UInt8]] { Self.split(reasonLines) }

  private static func split(_ lines: [UInt8]) -> [[UInt8]] {
    lines.split(separator: TableSyntax.lineFeed, omittingEmptySubsequences: false).dropLast().map(Array.init)
  }

  /// Reads the payload of a reply, or the server's error; what the reply lacks stays empty.
  ///
  /// - Throws: an error of decoding.
  /// - Complexity: O(bytes).
  static func read(_ payload: UnsafeRawBufferPointer) throws -> Result<BulkReply, WireError> {
    var reader = CBORReader(payload, limits: .reply)
    do throws(CBORError) {
      if let reply = try readEnvelope(&reader) { return .success(reply) }
    } catch {
      guard error.kind == .notDeterministic else { throw error }
      return try canonicalized(Array(payload), limits: .reply).withUnsafeBytes { try read($0) }
    }
    return try ServerEnvelope<CityMatch>.answer(in: payload).map { _ in BulkReply() }
  }

  /// The result of an envelope; `nil` if it has none.
  private static func readEnvelope(_ reader: inout CBORReader) throws(CBORError) -> BulkReply? {
    var map = try reader.readMap()
    var found: BulkReply?
    while let key = try reader.nextKey(of: &map) {
      if CBORReader.text(key, is: "result") { found = try readResult(&reader) } else { try reader.skip() }
    }
    try reader.finish()
    return found
  }

  private static func readResult(_ reader: inout CBORReader) throws(CBORError) -> BulkReply {
    var found = BulkReply()
    var map = try reader.readMap()
    while let key = try reader.nextKey(of: &map) {
      if reader.readNullIfPresent() { continue }
      if CBORReader.text(key, is: "rows") {
        try found.cities.readRows(&reader)
      } else if CBORReader.text(key, is: "index") {
        found.index = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "second") {
        found.second = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "why") {
        found.reasonLines = Array(try reader.readText())
      } else if CBORReader.text(key, is: "metres") {
        found.metres = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "classes") {
        found.classes = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "certain") {
        found.certain = try readNumbers(&reader)
      } else if CBORReader.text(key, is: "countries") {
        found.countryLines = Array(try reader.readText())
      } else if CBORReader.text(key, is: "generation") {
        found.generation = String(decoding: try reader.readText(), as: UTF8.self)
      } else {
        try reader.skip()
      }
    }
    return found
  }

  private static func readNumbers<Number: TypedArrayElement>(
    _ reader: inout CBORReader
  ) throws(CBORError) -> [Number] {
    guard try reader.readTag() == Number.typedArrayTag else {
      throw CBORError(.mismatch(expected: "typed array", found: "another"), offset: reader.offset)
    }
    guard let array = TypedArray<Number>(littleEndian: try reader.readBytes().bytes) else {
      throw CBORError(.malformed("a typed array with a part of a number"), offset: reader.offset)
    }
    return array.elements
  }
}
