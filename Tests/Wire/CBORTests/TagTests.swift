import CBOR
import CBORTools
import TestSupport
import Testing

@Suite struct TagTests {
  @Test(
    arguments: [
      (1000, -2, "c48221 1903e8", "10.00"), (-763, -2, "c48221 3902fa", "-7.63"), (0, 0, "c4820000", "0"),
      (5, -3, "c4822205", "0.005"), (7, 2, "c4820207", "700"), (0, -2, "c4822100", "0.00"), (0, 3, "c4820300", "0"),
      (-5, 0, "c4820024", "-5"), (1, 101, "c482186501", "1e101"), (1, -101, "c482386401", "1e-101"),
      (1 << 64, -2, "c48221c249010000000000000000", "184467440737095516.16"),
      (-1 - (1 << 64), 0, "c48200c349010000000000000000", "-18446744073709551617"),
    ] as [(Int128, Int, String, String)])
  func `decimal fraction keeps mantissa and scale`(mantissa: Int128, exponent: Int, encoding: String, text: String)
    throws
  {
    let decimal = CBORDecimal(mantissa: mantissa, exponent: exponent)
    #expect(hex(try CBOREncoder().encode(decimal)) == encoding.filter { $0 != " " })
    #expect(try CBORDecoder().decode(CBORDecimal.self, from: hex(encoding)) == decimal)
    #expect(decimal.description == text)
    #expect(try CBORValue(decoding: hex(encoding)).json() == "\"\(text)\"")
  }

  @Test func `decimal fraction of 38 digits is taken and of 39 refused`() throws {
    let most = Int128(CBORDecimal.maximumMantissa)
    for mantissa in [most, -most] {
      let decimal = CBORDecimal(mantissa: mantissa, exponent: -14)
      #expect(try CBORDecoder().decode(CBORDecimal.self, from: CBOREncoder().encode(decimal)) == decimal)
    }
    for decimal in [
      CBORDecimal(mantissa: most + 1, exponent: 0), .init(mantissa: .min, exponent: 0),
      .init(mantissa: 1, exponent: 6145),
    ] {
      #expect(throws: CBORError.self) { try CBOREncoder().encode(decimal) }
    }
    for encoding in [
      "c4820 0c2504b3b4ca85a86c47a098a224000000000", "c482191801 01", "c48221f93c00", "c4830000 00", "c48100",
      "c58221 01", "82 2101", "c401",
    ] {
      #expect(throws: CBORError.self, "\(encoding)") { try CBORDecoder().decode(CBORDecimal.self, from: hex(encoding)) }
    }
  }

  @Test(arguments: [
    "c240", "c24100", "c24105", "c248ffffffffffffffff", "c24a00010000000000000000", "c340", "c34105",
    "c248 0000000000000001", "c2 5f 4101 4102 ff",
  ])
  func `bignum in a longer form is put in shape`(encoding: String) throws {
    let canonical = try canonicalized(hex(encoding))
    let value = try CBORDecoder().decode(Int128.self, from: hex(encoding))
    #expect(canonical == (try CBOREncoder().encode(value)))
    let error = #expect(throws: CBORError.self) { try strictlySkipped(hex(encoding)) }
    #expect(error?.kind == .notDeterministic)
  }

  @Test(arguments: ["c2f6", "c26161", "c28101"])
  func `bignum tag around something else is no integer`(encoding: String) throws {
    #expect(throws: CBORError.self) { try CBORDecoder().decode(Int.self, from: hex(encoding)) }
    #expect(try canonicalized(hex(encoding)) == hex(encoding))
  }

  @Test func `bignum beyond 128 bits is out of range`() {
    let error = #expect(throws: CBORError.self) {
      try CBORDecoder().decode(Int128.self, from: hex("c251") + [UInt8](repeating: 1, count: 17))
    }
    #expect(error?.kind == .mismatch(expected: "integer from \(Int128.min) to \(Int128.max)", found: "tag 2"))
  }

  @Test func `bytes and tags of the wrong kind are named`() {
    let bytes = #expect(throws: CBORError.self) { try CBORDecoder().decode(CBORBytes.self, from: hex("8101")) }
    #expect(bytes?.kind == .mismatch(expected: "byte string", found: "array"))
    let tagged = #expect(throws: CBORError.self) {
      try CBORDecoder().decode(CBORTagged<String>.self, from: hex("6161"))
    }
    #expect(tagged?.kind == .mismatch(expected: "tag", found: "text"))
    let content = #expect(throws: CBORError.self) {
      try CBORDecoder().decode([CBORTagged<String>].self, from: hex("81c101"))
    }
    #expect(content == CBORError(.mismatch(expected: "text", found: "integer 1"), offset: 2, path: "[0]"))
  }

  @Test func `chunked bytes are joined`() throws {
    #expect(try CBORDecoder().decode(CBORBytes.self, from: hex("5f 42 0102 40 41 03 ff")).bytes == [1, 2, 3])
    #expect(try CBORDecoder().decode(String.self, from: hex("7f 61 61 60 62 c3bc ff")) == "aü")
    #expect(throws: CBORError.self) { try CBORDecoder().decode(String.self, from: hex("7f 61 c3 61 bc ff")) }
    #expect(throws: CBORError.self) { try CBORDecoder().decode(String.self, from: hex("7f 41 61 ff")) }
    #expect(throws: CBORError.self) { try CBORDecoder().decode(String.self, from: hex("7f 7f 6161 ff ff")) }
  }
}
