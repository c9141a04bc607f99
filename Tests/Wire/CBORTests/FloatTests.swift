import CBOR
import TestSupport
import Testing

@Suite struct FloatTests {
  @Test func `every half float decodes like float16 and comes back shortest`() throws {
    for bits in UInt16.min...UInt16.max {
      let encoding = wideHead(7, UInt64(bits), size: 2)
      let expected = Float16(bitPattern: bits)
      guard expected.isFinite else {
        #expect(throws: CBORError.self) { try CBORDecoder().decode(Double.self, from: encoding) }
        continue
      }
      let decoded = try CBORDecoder().decode(Double.self, from: encoding)
      let again = try CBOREncoder().encode(decoded)
      // One expectation a value: 65,536 records of three would take seconds.
      let isRight = decoded == Double(expected) && again == (expected == 0 ? [0xf9, 0, 0] : encoding)
      if !isRight { #expect(Bool(false), "half \(bits): \(decoded), \(hex(again))") }
    }
  }

  @Test(arguments: [
    (0.0, "f90000"), (-0.0, "f90000"), (1, "f93c00"), (65_504, "f97bff"), (65_505, "fa477fe100"),
    (65_520, "fa477ff000"),
    (0x1p-24, "f90001"), (0x1p-25, "fa33000000"), (0x1.8p-24, "fa33c00000"), (0x1p-14, "f90400"),
    (0x1.ff8p-15, "f903ff"), (0x1.ffep-15, "fa387ff000"), (0x1.004p0, "f93c01"), (0x1.002p0, "fa3f801000"),
    (16_777_216, "fa4b800000"), (16_777_217, "fb4170000010000000"), (0x1p-149, "fa00000001"),
    (0x1p-150, "fb3690000000000000"), (0x1.fffffep127, "fa7f7fffff"), (0x1p128, "fb47f0000000000000"),
    (.leastNonzeroMagnitude, "fb0000000000000001"), (1.7976931348623157e308, "fb7fefffffffffffff"),
  ])
  func `edge of a width takes the shortest exact form`(value: Double, encoding: String) throws {
    #expect(hex(try CBOREncoder().encode(value)) == encoding)
    #expect(try CBORDecoder().decode(Double.self, from: hex(encoding)) == value)
  }

  @Test func `seeded floats of every width take the shortest exact form`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let bits = UInt64.random(in: 0...(.max), using: &random)
      let single = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      let near = Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits)))
      for value in [Double(bitPattern: bits), Double(single), near.nextUp, near.nextDown] where value.isFinite {
        let bytes = try CBOREncoder().encode(value)
        if bytes != referenceEncoding(.double(value)) { #expect(Bool(false), "\(value): \(hex(bytes))") }
      }
    }
  }

  @Test(arguments: [
    "fa3f800000", "fb3ff0000000000000", "fb3ff8000000000000", "f98000", "fa80000000", "fb8000000000000000",
  ])
  func `longer form is accepted leniently and refused strictly`(encoding: String) throws {
    #expect(throws: Never.self) { try CBORDecoder().decode(Double.self, from: hex(encoding)) }
    let error = #expect(throws: CBORError.self) { try strictlySkipped(hex(encoding)) }
    #expect(error?.kind == .notDeterministic)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func `non finite is refused with its path`(value: Double) throws {
    struct Row: Encodable { var name = "x", lat: [Double] }
    var writer = CBORWriter()
    writer.writeUnsigned(1)
    let error = #expect(throws: CBORError.self) {
      try CBOREncoder().encode(["rows": [Row(lat: [1]), Row(lat: [2, value])]], into: &writer)
    }
    #expect(error?.path == "rows[1].lat[1]")
    #expect(error?.kind == .unencodable("the float \(value)"))
    #expect(writer.bytes == [1], "what was written before must stay as it was")
  }

  @Test(arguments: [("07", 7.0), ("29", -10), ("1bffffffffffffffff", 0x1p64), ("3bffffffffffffffff", -0x1p64)])
  func `integer is taken where a float is expected`(encoding: String, value: Double) throws {
    #expect(try CBORDecoder().decode(Double.self, from: hex(encoding)) == value)
    let read = try hex(encoding).withUnsafeBytes { bytes in
      var reader = CBORReader(bytes)
      return try reader.readDouble()
    }
    #expect(read == value)
  }
}
