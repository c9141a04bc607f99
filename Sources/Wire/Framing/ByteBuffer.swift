/// Bytes that are appended at the end and consumed at the front, in memory that moves only when it must grow.
///
/// Unlike `[UInt8]`, it receives bytes without zeroing the memory first, and its contents can be read in place, by
/// pointer, while its owner changes.
package struct ByteBuffer: ~Copyable {
  /// Bytes of memory that an empty buffer keeps by default.
  @inlinable package static var usuallyKept: Int { 4_096 }

  @usableFromInline var base: UnsafeMutableRawPointer?
  /// Bytes of memory that the buffer occupies.
  @usableFromInline var capacity = 0
  @usableFromInline var start = 0
  @usableFromInline var end = 0
  @usableFromInline let kept: Int

  /// Makes an empty buffer without memory; whenever it becomes empty, it frees memory of more than `kept` bytes.
  @inlinable
  package init(keeping kept: Int = Self.usuallyKept) { self.kept = kept }

  @inlinable
  deinit { base?.deallocate() }

  /// The number of bytes in the buffer.
  @inlinable package var count: Int { end - start }
  /// Whether the buffer holds no bytes.
  @inlinable package var isEmpty: Bool { start == end }

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

  /// Calls `read` with the free memory at the end and appends as many bytes as it returns; 0 or less appends nothing.
  ///
  /// - Parameters:
  ///   - wanted: The least room to provide, in bytes.
  ///   - step: The least growth if `wanted` bytes do not fit.
  ///   - read: Writes to the start of the memory, and returns the number of bytes.
  /// - Returns: The result of `read`.
  package mutating func fill(
    atLeast wanted: Int, growingBy step: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    if capacity - end < wanted { reserve(max(wanted, step)) }
    let room = UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: capacity - end)
    let count = read(room)
    if count > 0 { end += min(count, room.count) }
    return count
  }

  /// Removes `count` bytes from the front, or all if there are fewer.
  @inlinable
  package mutating func consume(_ count: Int) {
    start = min(end, start + count)
    guard isEmpty else { return }
    (start, end) = (0, 0)
    guard capacity > kept else { return }
    base?.deallocate()
    (base, capacity) = (nil, 0)
  }

  /// Makes room for `more` bytes: moves the contents to the front if that suffices, else doubles the memory.
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
