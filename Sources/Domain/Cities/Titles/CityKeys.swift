@_exported public import Base
import CPrefetch

/// The comparison of a query with keys.
public enum CityMatchMode: Sendable, CaseIterable {
  /// Diacritics are significant.
  case plain
  /// Base letters only.
  case folded
}

/// The byte between a name and its country in a key.
///
/// It is below every byte of a name, so that a name precedes all longer ones; in a title, ", " replaces it.
let keySeparator: UInt8 = 1

/// The plain keys by rank.
struct PlainKeys: KeyTable {
  let arena: Arena
  let offsets: Column

  var count: Int { offsets.count }

  @inline(__always)
  func key(at rank: Int) -> ArenaText { arena[offsets[rank]] }

  @inline(__always)
  func prefetch(_ ranks: Range<Int>) {
    let (first, last) = (offsets[ranks.lowerBound], offsets[ranks.upperBound &- 1])
    arena.prefetch(last)
    // The texts of a leaf are adjacent in memory, except in a corrupt file.
    arena.prefetch(first, upTo: ranks.count <= NameTable.bucket ? last : first)
  }
}

/// The base keys by folded position.
///
/// Most names are ASCII, so that base and plain key are equal: one bit per city marks the others, and only they have an
/// offset of their own.
struct BaseKeys: KeyTable {
  let plain: PlainKeys
  let order: Column
  let differs: RankedBits
  let offsets: Column

  var count: Int { order.count }

  @inline(__always)
  func key(at position: Int) -> ArenaText { key(of: order[position]) }

  /// The base key of the city at `rank`.
  func key(of rank: Int) -> ArenaText {
    guard let place = differs.rank(ifSet: rank) else { return plain.key(at: rank) }
    return plain.arena[offsets[place]]
  }
}

@inline(__always)
private func zeroBytes(of word: UInt64) -> UInt64 {
  (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}

/// Texts in borrowed memory, each followed by a zero byte.
struct Arena {
  private let bytes: UnsafeRawBufferPointer

  /// A view of `bytes`; `nil` unless they end with a zero byte, which ends every text wherever it starts.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.last == 0 else { return nil }
    self.bytes = bytes
  }

  /// Prefetches the start of the text at `offset`.
  @inline(__always)
  func prefetch(_ offset: Int) { prefetch(offset, upTo: offset) }

  /// Prefetches all texts that start in `offset ..< end`.
  @inline(__always)
  func prefetch(_ offset: Int, upTo end: Int) {
    guard UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) else { return }
    let end = min(max(end, offset &+ 1), offset &+ Self.prefetchedBytes, bytes.count)
    cities_prefetch_bytes(bytes.baseAddress.unsafelyUnwrapped + offset, end &- offset)
  }

  /// More than the texts of a leaf usually have.
  private static let prefetchedBytes = 512

  /// The text at `offset`; the empty text at the end if out of range.
  @inline(__always)
  subscript(offset: Int) -> ArenaText {
    let inside = UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) ? offset : bytes.count - 1
    return ArenaText(start: bytes.baseAddress.unsafelyUnwrapped + inside, room: bytes.count - inside)
  }
}

/// A zero-terminated text in an arena.
struct ArenaText {
  fileprivate let start: UnsafeRawPointer
  /// Bytes from the start of the text to the end of the arena.
  fileprivate let room: Int

  /// The byte at `index`, which must not be after the zero byte.
  @inline(__always)
  subscript(index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }

  /// The byte at any `index`; 0 past the end of the arena.
  @inline(__always)
  func byte(_ index: Int) -> UInt8 { index < room ? self[index] : 0 }

  /// Bytes before the zero byte.
  var count: Int {
    var count = 0
    while self[count] != 0 { count &+= 1 }
    return count
  }

  /// The first `count` bytes, or fewer at the end of the arena.
  func bytes(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: min(count, room)) }

  /// Negative if the text is below all texts that start with `prefix`, positive if above, 0 if it starts with it.
  ///
  /// The first `known` bytes are assumed to be equal. `prefix` may contain a zero byte only at its end, where it stands
  /// for the end of the text.
  @inline(__always)
  func compare(toPrefix prefix: UnsafeRawBufferPointer, known: Int = 0) -> Int {
    // If the `known` bytes are equal, the zero byte ends the loop before the arena ends; if not, the bound does.
    let end = min(prefix.count, room)
    var index = known
    while index < end {
      let (mine, other) = (self[index], prefix[index])
      if mine != other { return Int(mine) &- Int(other) }
      index &+= 1
    }
    return end == prefix.count ? 0 : -1
  }

  /// The number of bytes that two texts share before either ends or they differ, and whether ``keySeparator`` is among
  /// them.
  ///
  /// Compares eight bytes at a time.
  @inline(__always)
  func sharedText(with other: ArenaText) -> (count: Int, hasSeparator: Bool) {
    let end = min(room, other.room)
    var count = 0
    while count &+ 8 <= end {
      let (mine, theirs) = (word(at: count), other.word(at: count))
      let ends = (mine ^ theirs) | zeroBytes(of: mine)
      let separators = zeroBytes(of: mine ^ Self.eightSeparators)
      guard ends == 0 else {
        // The lowest set bit lies in the first byte at which the texts end or differ: the bytes below it are shared.
        return (count &+ ends.trailingZeroBitCount >> 3, separators & (ends & (0 &- ends) &- 1) != 0)
      }
      if separators != 0 { return (commonPrefix(with: other), true) }
      count &+= 8
    }
    count = commonPrefix(with: other)
    return (count, bytes(count).contains(keySeparator))
  }

  private static let eightSeparators = UInt64(keySeparator) &* 0x0101_0101_0101_0101

  /// The eight bytes at `index`, the first one lowest; they must lie within the arena.
  @inline(__always)
  private func word(at index: Int) -> UInt64 {
    start.load(littleEndian: UInt64.self, at: index)
  }

  /// The number of bytes that two texts share before either ends or they differ.
  func commonPrefix(with other: ArenaText) -> Int {
    var count = 0
    while self[count] != 0, self[count] == other[count] { count &+= 1 }
    return count
  }
}
