import CBOR
import Testing

@Suite struct TypedArrayTests {
  /// RFC 8746 has no examples of these tags; the bytes follow from its section 2.1.
  @Test func `numbers stand in one byte string lowest byte first`() throws {
    #expect(
      try CBOREncoder().encode(TypedArray<UInt32>([1, .max])) == [0xD8, 70, 0x48, 1, 0, 0, 0, 255, 255, 255, 255])
    #expect(try CBOREncoder().encode(TypedArray<UInt8>([3, 0])) == [0xD8, 64, 0x42, 3, 0])
    #expect(try CBOREncoder().encode(TypedArray<UInt64>([258])) == [0xD8, 71, 0x48, 2, 1, 0, 0, 0, 0, 0, 0])
    #expect(try CBOREncoder().encode(TypedArray<Float>([-2])) == [0xD8, 85, 0x44, 0, 0, 0, 0xC0])
    #expect(try CBOREncoder().encode(TypedArray<Double>([1])) == [0xD8, 86, 0x48, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F])
    #expect(try CBOREncoder().encode(TypedArray<Double>([])) == [0xD8, 86, 0x40])
  }

  @Test func `they come back as they were`() throws {
    let numbers = (0..<300).map { UInt64($0) << 40 | 7 }
    let bytes = try CBOREncoder().encode(TypedArray(numbers))
    #expect(try CBORDecoder().decode(TypedArray<UInt64>.self, from: bytes).elements == numbers)
    #expect(try CBORDecoder().decode(TypedArray<UInt64>.self, from: [0xD8, 71, 0x40]).elements.isEmpty)
    var writer = CBORWriter()
    TypedArray(numbers).write(into: &writer)
    #expect(writer.bytes == bytes)
    let nan = try CBOREncoder().encode(TypedArray<Double>([.nan, .infinity]))
    #expect(try CBORDecoder().decode(TypedArray<Double>.self, from: nan).elements.map(\.isFinite) == [false, false])
  }

  @Test(
    arguments: [
      [0xD8, 71, 0x44, 0, 0, 0, 0], [0xD8, 70, 0x43, 0, 0, 0], [0xD8, 69, 0x44, 0, 0, 0, 0], [0x44, 0, 0, 0, 0], [0x80],
      [0xD8, 70, 0x80], [0xD8, 70, 0x64, 0x61, 0x61, 0x61, 0x61], [0xF6],
    ] as [[UInt8]])
  func `another tag or an incomplete number is refused`(bytes: [UInt8]) {
    #expect(throws: CBORError.self) { try CBORDecoder().decode(TypedArray<UInt32>.self, from: bytes) }
  }

  @Test func `floats of either width and plain numbers are taken`() throws {
    func read(_ value: some Encodable) throws -> TypedFloats {
      try CBORDecoder().decode(TypedFloats.self, from: CBOREncoder().encode(value))
    }
    #expect(try read(TypedArray<Float>([1.5])) == .singles([1.5]))
    #expect(try read(TypedArray<Double>([0.1])) == .doubles([0.1]))
    #expect(try read([1.5, -2]) == .doubles([1.5, -2]))
    for form in [TypedFloats.singles([1, 2.5]), .doubles([0.1, -7])] {
      #expect(try read(form) == form)
    }
    #expect(TypedFloats.singles([0.5]).numbers == [0.5])
    #expect(throws: CBORError.self) { try read(TypedArray<UInt32>([1])) }
    #expect(throws: CBORError.self) { try read("1") }
    #expect(throws: CBORError.self) { try read(["1"]) }
  }
}
