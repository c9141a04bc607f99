import CBOR
import Testing

@Suite struct WriterTests {
  @Test func `a cursor writes what a writer writes, texts of every short length too`() {
    for length in 0...40 {
      let text = (0..<UInt8(length)).map { $0 + 0x41 }
      var one = CBORWriter()
      var other = CBORWriter(capacity: 7)
      text.withUnsafeBytes { text in
        one.writeArray(count: length)
        one.writeText(utf8: text)
        one.writeEncoded(Array("drows".utf8))
        one.writeUnsigned(UInt64(length) << UInt64(length))
        one.writeEncoded(text)
        other.write(atMost: 3 * CBORCursor.headBytes + 5 + 2 * length) { cursor in
          cursor.writeHead(.array, UInt64(length))
          cursor.writeText(utf8: text)
          cursor.writeEncoded("drows")
          cursor.writeHead(.unsigned, UInt64(length) << UInt64(length))
          cursor.writeEncoded(text)
        }
      }
      #expect(one.bytes == other.bytes)
    }
  }

  @Test func `a cursor goes on after what was written and leaves the rest to be written`() {
    var writer = CBORWriter()
    writer.writeUnsigned(1)
    writer.write(atMost: 16) { $0.writeEncoded(SIMD16(repeating: 2)) }
    writer.writeUnsigned(3)
    #expect(writer.bytes == [1] + [UInt8](repeating: 2, count: 16) + [3])
  }
}
