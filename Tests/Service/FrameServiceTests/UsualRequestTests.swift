import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import FrameService

/// The look at a usual request, held against the reader of all requests.
@Suite struct UsualRequestTests {
  /// What the quick look finds; nil for a request that it leaves to the other, whose method no handler has, or whose
  /// parameters are none.
  static func quickly(_ bytes: [UInt8]) -> (id: UInt64, method: String, params: [UInt8])? {
    bytes.withUnsafeBytes { bytes in
      guard let head = RequestHead(usual: bytes), head.hasAcceptableParams(CBORLimits()) else { return nil }
      let method = String(decoding: head.method, as: UTF8.self)
      guard MessageRegistry.all.contains(where: { $0.method == method }) else { return nil }
      return (head.id, method, Array(head.params))
    }
  }

  private static func expectAgreement(_ bytes: [UInt8], _ comment: Comment? = nil) {
    guard let quick = quickly(bytes) else { return }
    let slow = RequestHeadTests.read(bytes)
    #expect(slow.error == nil, comment)
    #expect(quick.id == slow.id && quick.method == slow.method && quick.params == slow.params, comment)
  }

  static let ids: [UInt64] = [1, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max]

  @Test(arguments: ids)
  func `a usual request is taken with ids of every width`(id: UInt64) throws {
    let bytes = try CBOREncoder().encode(RequestEnvelope(id: id, CitySearch(prefix: "al", limit: 20)))
    let head = try #require(Self.quickly(bytes))
    #expect(head.id == id && head.method == "city.search")
    #expect(try CBORDecoder().decode(CitySearch.self, from: head.params) == CitySearch(prefix: "al", limit: 20))
  }

  @Test(arguments: [[0], [0x18, 23], [0x19, 0, 255], [0x1A, 0, 0, 255, 255], [0x1C], [0x1F], [0x20]] as [[UInt8]])
  func `an id that is 0, too long or none is left to the other reader`(id: [UInt8]) throws {
    let params = try CBOREncoder().encode(CitySearch(prefix: "albuquerque"))
    let search: [UInt8] = [0x6B] + Array("city.search".utf8)
    #expect(Self.quickly(RequestHeadTests.map([("id", id), ("method", search), ("params", params)])) == nil)
  }

  @Test func `a short request is left to the other reader`() {
    #expect(Self.quickly(RequestHeadTests.valid) == nil)
  }

  @Test func `every cut and every flipped bit is read alike or left`() throws {
    let bytes = try CBOREncoder().encode(RequestEnvelope(id: 300, CitySearch(prefix: "sã", match: .folded, limit: 20)))
    for length in bytes.indices { Self.expectAgreement(Array(bytes.prefix(length))) }
    for (index, bit) in bytes.indices.flatMap({ index in (0..<8).map { (index, $0) } }) {
      var flipped = bytes
      flipped[index] ^= 1 << bit
      Self.expectAgreement(flipped, "bit \(bit) of byte \(index)")
    }
  }

  @Test(arguments: Mutations.parts(of: .requests))
  func `a mutated request is read alike or left`(part: Mutations) throws {
    try part.run { mutator in
      Self.expectAgreement(
        mutator.mutated(mutator.pick(RequestHeadTests.corpus), donor: mutator.pick(RequestHeadTests.corpus)))
    }
  }
}
