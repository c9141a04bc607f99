import CBOR
import TestSupport
import Testing

@Suite struct MapTests {
  @Test(arguments: [
    ("two equal texts", "a2 6161 01 6161 02", 4), ("apart", "a3 6161 01 6162 02 6161 03", 7),
    ("two equal integers", "a2 05 01 05 02", 3), ("short and long head", "a2 05 01 1805 02", 3),
    ("long and longer head", "a2 1805 01 190005 02", 4), ("whole and chunked text", "a2 6161 01 7f6161ff 02", 4),
    ("two widths of a float", "a2 f93c00 01 fa3f800000 02", 5), ("0.0 and -0.0", "a2 f90000 01 f98000 02", 5),
    ("integer and small bignum", "a2 01 01 c24101 02", 3), ("two arrays", "a2 8101 01 9f01ff 02", 4),
    ("two maps in another order", "a2 a201020304 01 a203040102 02", 7), ("indefinite map", "bf 6161 01 6161 02 ff", 4),
    ("below an unknown key", "a1 6178 81 a2 00 01 00 02", 7),
  ])
  func `duplicate key is refused at its second place`(name: String, encoding: String, offset: Int) throws {
    let error = #expect(throws: CBORError.self) {
      try CBORDecoder().decode([String: CBORValue].self, from: hex(encoding))
    }
    #expect(error?.kind == .malformed("a map key that occurs twice"))
    #expect(error?.offset == offset)
    #expect(throws: CBORError.self) { try canonicalized(hex(encoding)) }
    #expect(throws: CBORError.self) { try strictlySkipped(hex(encoding)) }
  }

  @Test(arguments: [
    ("1 and 1.0", "a2 01 00 f93c00 00"), ("1 and \"1\"", "a2 01 00 6131 00"), ("1 and -2", "a2 01 00 21 00"),
    ("text and bytes", "a2 4161 00 6161 00"), ("NFC and NFD", "a2 62c3a9 00 6365cc81 00"),
    ("false and null", "a2 f4 00 f6 00"),
  ])
  func `keys that only look alike are two`(name: String, encoding: String) throws {
    #expect(try canonicalized(hex(encoding)) == hex(encoding))
    #expect(throws: Never.self) { try strictlySkipped(hex(encoding)) }
  }

  @Test func `keys are ordered by the bytes of their encoding`() throws {
    // RFC 8949 §4.2.1 gives this very order.
    let ordered = "a8 0a00 186400 2000 617a00 62616100 811864 00 812000 f400"
    let shuffled = "a8 f400 812000 617a00 0a00 62616100 2000 811864 00 186400"
    #expect(try canonicalized(hex(shuffled)) == hex(ordered))
    #expect(try CBORValue(decoding: hex(shuffled)).encoded() == hex(ordered))
    let error = #expect(throws: CBORError.self) { try strictlySkipped(hex(shuffled)) }
    #expect(error == CBORError(.notDeterministic, offset: 3))
  }

  @Test(arguments: [0, 1, 2, 22, 23, 24, 25, 255, 256, 300])
  func `dictionary of every size comes out in order`(count: Int) throws {
    let dictionary = Dictionary(uniqueKeysWithValues: (0..<count).map { (String($0 * 7919), $0) })
    let pairs = dictionary.map { (key: CBORValue.text($0.key), value: CBORValue.unsigned(UInt64($0.value))) }
    let bytes = try CBOREncoder().encode(dictionary)
    #expect(bytes == referenceEncoding(.map(pairs)))
    #expect(try CBORDecoder().decode([String: Int].self, from: bytes) == dictionary)
  }

  @Test func `tree with a key twice cannot be encoded`() {
    let tree = CBORValue.map([(.text("a"), .null), (.text("b"), .null), (.text("a"), .null)])
    let error = #expect(throws: CBORError.self) { try tree.encoded() }
    #expect(error?.kind == .unencodable("a map key that occurs twice"))
    #expect(tree != tree, "what has no encoding equals nothing")
  }
}
