import CBOR
import CitiesProtocol
import Testing

@testable import FrameService

@Suite struct RequestHeadTests {
  /// Reads `bytes`: the id, method and parameters, or the error and the id known by then.
  static func read(_ bytes: [UInt8]) -> (id: UInt64, method: String, params: [UInt8], error: CBORError?) {
    bytes.withUnsafeBytes { bytes in
      var head = RequestHead()
      var failure: CBORError?
      do throws(CBORError) { try head.read(bytes, limits: CBORLimits()) } catch { failure = error }
      return (head.id, String(decoding: head.method, as: UTF8.self), Array(head.params), failure)
    }
  }

  /// A map of the given pairs, in the order given.
  static func map(_ pairs: [(String, [UInt8])]) -> [UInt8] {
    var writer = CBORWriter()
    writer.writeMap(count: pairs.count)
    for (key, value) in pairs {
      writer.writeText(key)
      writer.writeEncoded(value)
    }
    return writer.bytes
  }

  static let method: [UInt8] = [0x61, 0x6D]
  static let valid = map([("id", [7]), ("method", method), ("params", [0xA0])])

  @Test func `an encoded request is read back`() throws {
    let bytes = try CBOREncoder().encode(RequestEnvelope(id: 1 << 40, CitySearch(prefix: "al")))
    let head = Self.read(bytes)
    #expect(head.error == nil && head.id == 1 << 40 && head.method == "city.search")
    #expect(try CBORDecoder().decode(CitySearch.self, from: head.params).prefix == "al")
  }

  @Test func `unknown keys are skipped`() {
    let head = Self.read(Self.map([("id", [7]), ("zz", [0x81, 0xF6]), ("method", Self.method), ("params", [0xA0])]))
    #expect(head.error == nil && head.id == 7 && head.method == "m" && head.params == [0xA0])
  }

  @Test(
    arguments: [
      ([("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [7]), ("params", [0xA0])], 7),
      ([("id", [7]), ("method", [0x61, 0x6D])], 7),
      ([("id", [0]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [0x20]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [0x61, 0x31]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 0),
      ([("id", [7]), ("method", [1]), ("params", [0xA0])], 7),
      ([("id", [7]), ("method", [0x61, 0x6D]), ("params", [0x80])], 7),
      ([("id", [7]), ("method", [0x61, 0x6D]), ("params", [0xF6])], 7),
      ([("id", [7]), ("id", [8]), ("method", [0x61, 0x6D]), ("params", [0xA0])], 7),
    ] as [([(String, [UInt8])], UInt64)])
  func `an incomplete or mistyped request is refused with the id that was readable`(
    pairs: [(String, [UInt8])], id: UInt64
  ) {
    let head = Self.read(Self.map(pairs))
    #expect(head.error != nil)
    #expect(head.id == id)
  }

  @Test func `every cut and trailing bytes are refused`() {
    for length in 0..<Self.valid.count { #expect(Self.read(Array(Self.valid.prefix(length))).error != nil) }
    #expect(Self.read(Self.valid + [0]).error?.kind == .trailingBytes)
  }

  @Test func `every flipped bit is read or refused`() {
    for index in Self.valid.indices {
      for bit in 0..<8 {
        var bytes = Self.valid
        bytes[index] ^= 1 << bit
        let head = Self.read(bytes)
        #expect(head.error != nil || head.id > 0)
      }
    }
  }

  @Test func `another order of keys is not deterministic, and well after canonicalizing`() throws {
    let bytes = Self.map([("params", [0xA0]), ("method", Self.method), ("id", [7])])
    #expect(Self.read(bytes).error?.kind == .notDeterministic)
    let head = Self.read(try canonicalized(bytes))
    #expect(head.error == nil && head.id == 7)
  }
}
