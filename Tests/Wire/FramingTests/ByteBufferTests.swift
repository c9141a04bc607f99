import Testing

@testable import Framing

@Suite struct ByteBufferTests {
  @Test func `appending and consuming agrees with an array`() {
    var buffer = ByteBuffer()
    var reference: [UInt8] = []
    var seed: UInt64 = 7
    for step in 0..<5_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let size = Int(seed >> 40) % 300
      if seed >> 63 == 0 {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 + step) }
        bytes.withUnsafeBytes { buffer.append($0) }
        reference += bytes
      } else {
        buffer.consume(size)
        reference.removeFirst(min(size, reference.count))
      }
      let (bytes, count, isEmpty) = (Array(buffer.bytes), buffer.count, buffer.isEmpty)
      #expect(bytes == reference && count == reference.count && isEmpty == reference.isEmpty)
    }
  }

  @Test func `an empty buffer gives large memory back and keeps small`() {
    let kept = ByteBuffer.usuallyKept
    for (size, keeps) in [(100, true), (kept, true), (kept + 1, false), (1 << 20, false)] {
      var buffer = ByteBuffer()
      [UInt8](repeating: 1, count: size).withUnsafeBytes { buffer.append($0) }
      buffer.consume(size)
      let footprint = buffer.capacity
      #expect((footprint > 0) == keeps, "\(size) bytes")
    }
  }

  @Test func `nothing appended takes no memory`() {
    var buffer = ByteBuffer()
    buffer.append(UnsafeRawBufferPointer(start: nil, count: 0))
    let (footprint, count) = (buffer.capacity, buffer.count)
    #expect(footprint == 0 && count == 0)
  }
}
