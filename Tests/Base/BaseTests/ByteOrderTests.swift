import Base
import Testing

@Suite("byte order and bisection")
struct ByteOrderTests {
  @Test func `numbers are written and read in both orders, at any alignment`() {
    var bytes: [UInt8] = [0xff]
    bytes.append(littleEndian: UInt32(0x0102_0304))
    bytes.append(littleEndian: UInt16(0x0605))
    bytes.append(littleEndian: Int16(-2))
    #expect(bytes == [0xff, 4, 3, 2, 1, 5, 6, 0xfe, 0xff])
    bytes.withUnsafeBytes { bytes in
      #expect(bytes.load(littleEndian: UInt32.self, at: 1) == 0x0102_0304)
      #expect(bytes.load(bigEndian: UInt32.self, at: 1) == 0x0403_0201)
      #expect(bytes.load(bigEndian: UInt16.self, at: 5) == 0x0506)
      #expect(bytes.load(littleEndian: Int16.self, at: 7) == -2)
    }
    bytes.withUnsafeMutableBytes { $0.baseAddress?.store(bigEndian: UInt32(0x0a0b_0c0d), at: 3) }
    #expect(bytes == [0xff, 4, 3, 0x0a, 0x0b, 0x0c, 0x0d, 0xfe, 0xff])
  }

  @Test(arguments: 0...12) func `the partition point is the number of elements below, for every small size`(size: Int) {
    for below in 0...size {
      let numbers = (0..<size).map { $0 < below ? 0 : 1 }
      #expect(numbers.partitionPoint { $0 == 0 } == below)
      #expect(partitionPoint(5..<(5 + size)) { $0 < 5 + below } == 5 + below)
    }
  }
}
