import Glibc

/// A run of bytes that grows at the end and is taken from the front, in memory of its own that never moves while it is
/// only read.
///
/// It exists beside `[UInt8]` because what stands in a connection's buffer is handled in place, by pointer, while the
/// connection itself may change.
struct ByteBuffer: ~Copyable {
  /// Memory that an empty buffer may keep; beyond it, it is given back at once.
  static let kept = 4_096

  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var start = 0
  private var end = 0

  /// Makes an empty buffer without memory.
  init() {}

  deinit { free(base) }

  /// Bytes that are in it.
  var count: Int { end - start }
  /// Whether it has none.
  var isEmpty: Bool { start == end }
  /// Bytes of memory that it holds.
  var footprint: Int { capacity }

  /// The bytes; valid until the next mutating call.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0) + start }, count: count)
  }

  /// Adds `more` at the end.
  ///
  /// - Complexity: O(`more.count`), amortized.
  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let source = more.baseAddress, more.count > 0 else { return }
    reserve(more.count)
    guard let base else { return }
    (base + end).copyMemory(from: source, byteCount: more.count)
    end += more.count
  }

  /// Takes `count` bytes away from the front; all, if it has fewer.
  mutating func consume(_ count: Int) {
    start = min(end, start + count)
    if isEmpty { reset() }
  }

  private mutating func reset() {
    start = 0
    end = 0
    guard capacity > Self.kept else { return }
    free(base)
    base = nil
    capacity = 0
  }

  /// Makes room for `more` bytes: moves what is there to the front if that suffices, else takes twice the memory.
  private mutating func reserve(_ more: Int) {
    guard end + more > capacity else { return }
    if start > 0, let base {
      memmove(base, base + start, count)
      (start, end) = (0, count)
    }
    guard end + more > capacity else { return }
    capacity = max(end + more, capacity * 2, 256)
    // Without memory for a few kilobytes nothing sensible is left to do; the manager restarts the service.
    guard let grown = realloc(base, capacity) else { abort() }
    base = grown
  }
}
