/// Bytes that are appended at the end and consumed at the front, in memory that moves only when it must grow.
///
/// Unlike `[UInt8]`, it is not filled with zeros before bytes are received into it, and what it holds can be read in
/// place, by pointer, while its owner changes.
package struct ByteBuffer: ~Copyable {
  /// Bytes of memory that a buffer keeps while it is empty, unless it is made for more.
  @inlinable package static var usuallyKept: Int { 4_096 }

  @usableFromInline var base: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0
  @usableFromInline var start = 0
  @usableFromInline var end = 0
  @usableFromInline let kept: Int

  /// Makes an empty buffer without memory; when it is emptied again, it frees memory beyond `kept` bytes.
  @inlinable
  package init(keeping kept: Int = Self.usuallyKept) { self.kept = kept }

  @inlinable
  deinit { base?.deallocate() }

  /// The number of bytes in the buffer.
  @inlinable package var count: Int { end - start }
  /// Whether the buffer holds no bytes.
  @inlinable package var isEmpty: Bool { start == end }
  /// Bytes of memory that the buffer occupies.
  @inlinable package var footprint: Int { capacity }

  /// The bytes; valid until the next mutating call.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0) + start }, count: count)
  }

  /// Adds `more` at the end.
  ///
  /// - Complexity: O(`more.count`), amortized.
  @inlinable
  package mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let source = more.baseAddress, more.count > 0 else { return }
    reserve(more.count)
    guard let base else { return }
    (base + end).copyMemory(from: source, byteCount: more.count)
    end += more.count
  }

  /// Lets `read` write into the free memory at the end and return the number of bytes written; 0 and less add nothing.
  ///
  /// - Parameters:
  ///   - wanted: The least room to offer, in bytes.
  ///   - step: The least room to make where `wanted` bytes do not fit.
  ///   - read: Writes to the front of the memory that it is given.
  /// - Returns: What `read` returned.
  package mutating func fill(
    atLeast wanted: Int, growingBy step: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    if capacity - end < wanted { reserve(max(wanted, step)) }
    let room = UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: capacity - end)
    let count = read(room)
    if count > 0 { end += min(count, room.count) }
    return count
  }

  /// Takes `count` bytes away from the front; all, if it holds fewer.
  @inlinable
  package mutating func consume(_ count: Int) {
    start = min(end, start + count)
    guard isEmpty else { return }
    (start, end) = (0, 0)
    guard capacity > kept else { return }
    base?.deallocate()
    (base, capacity) = (nil, 0)
  }

  /// Makes room for `more` bytes: moves the content to the front if that suffices, else to twice the memory.
  @usableFromInline
  mutating func reserve(_ more: Int) {
    guard end + more > capacity else { return }
    let held = count
    let old = base
    if held + more > capacity {
      capacity = max(held + more, capacity * 2, 256)
      base = .allocate(byteCount: capacity, alignment: 16)
    }
    if let old, let base, held > 0 { base.copyMemory(from: old + start, byteCount: held) }
    if old != base { old?.deallocate() }
    (start, end) = (0, held)
  }
}
