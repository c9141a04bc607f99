import Base
import Testing

@Suite("Searching for one byte")
struct ByteSearchTests {
  @Test(arguments: 0...17) func `each byte is counted and found at each place as the library does`(length: Int) {
    for byte: UInt8 in [0, 1, 0x0A, 0x7F, 0x80, 0x8A, 0xFF] {
      for other in UInt8.min...UInt8.max {
        for place in 0..<max(1, length) {
          var bytes = [UInt8](repeating: other, count: length)
          if place < length { bytes[place] = byte }
          bytes.withUnsafeBytes { buffer in
            #expect(buffer.count(of: byte) == bytes.count { $0 == byte })
            #expect(buffer.firstOffset(of: byte, from: 0) == bytes.firstIndex(of: byte))
            let start = length / 2
            #expect(buffer.firstOffset(of: byte, from: start) == bytes[start...].firstIndex(of: byte))
          }
        }
      }
    }
  }
}
