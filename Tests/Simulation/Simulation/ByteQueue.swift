/// Bytes, first in, first out.
struct ByteQueue {
  private var bytes: [UInt8] = []
  private var head = 0

  /// The number of bytes.
  var count: Int { bytes.count - head }
  /// Whether there are none.
  var isEmpty: Bool { count == 0 }

  /// Adds bytes at the end.
  mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Copies the first bytes to `buffer`, as many as fit, and keeps them.
  func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, count)
    bytes.withUnsafeBytes { all in buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[head..<head + count])) }
    return count
  }

  /// The first `count` bytes.
  func prefix(_ count: Int) -> ArraySlice<UInt8> { bytes[head..<min(bytes.count, head + count)] }

  /// Drops the first `count` bytes.
  mutating func drop(_ count: Int) {
    head += count
    if head == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 65_536 {
      bytes.removeFirst(head)
      head = 0
    }
  }
}
