import Base
import CPrefetch
import Text

/// How a query is compared.
public enum CityMatchMode: Sendable, CaseIterable {
  /// Diacritics count.
  case plain
  /// Base letters only.
  case folded
}

/// The byte between a name and its country in a key.
///
/// It is below every byte of a name, so that a name comes before all longer ones; a title has ", " in its place.
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
    // Those of a leaf are one piece of memory; a damaged file may say otherwise.
    arena.prefetch(first, upTo: ranks.count <= NameTable.bucket ? last : first)
  }
}

/// The base keys by folded position.
///
/// Most names are ASCII, where base and plain key are the same: one bit per city marks those that are not, and only
/// they have their own offset.
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

/// Texts in borrowed memory, each ended by a zero byte.
struct Arena {
  private let bytes: UnsafeRawBufferPointer

  /// A view of `bytes`, `nil` unless they end with a zero byte: every text in it ends then, wherever it begins.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.last == 0 else { return nil }
    self.bytes = bytes
  }

  /// Has the start of the text at `offset` loaded.
  @inline(__always)
  func prefetch(_ offset: Int) { prefetch(offset, upTo: offset) }

  /// The same for all texts from `offset` on that start before `end`.
  @inline(__always)
  func prefetch(_ offset: Int, upTo end: Int) {
    guard UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) else { return }
    let end = min(max(end, offset &+ 1), offset &+ Self.prefetchedBytes, bytes.count)
    cities_prefetch_bytes(bytes.baseAddress.unsafelyUnwrapped + offset, end &- offset)
  }

  /// More than a leaf's texts have as a rule.
  private static let prefetchedBytes = 512

  /// The text at `offset`; the empty text at the end if there is none.
  @inline(__always)
  subscript(offset: Int) -> ArenaText {
    let inside = UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) ? offset : bytes.count - 1
    return ArenaText(start: bytes.baseAddress.unsafelyUnwrapped + inside, room: bytes.count - inside)
  }
}

/// A text that ends with a zero byte, in an arena.
struct ArenaText {
  fileprivate let start: UnsafeRawPointer
  /// Bytes from the text's first to the arena's last.
  fileprivate let room: Int

  /// The byte at `index`, which must not lie after the zero byte.
  @inline(__always)
  subscript(index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }

  /// The byte at any `index`; 0 where the arena has ended.
  @inline(__always)
  func byte(_ index: Int) -> UInt8 { index < room ? self[index] : 0 }

  /// Bytes before the zero byte.
  var count: Int {
    var count = 0
    while self[count] != 0 { count &+= 1 }
    return count
  }

  /// The first `count` bytes, at most what the arena has.
  func bytes(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: min(count, room)) }

  /// Negative if the text is below all texts that begin with `prefix`, positive if above, 0 if it is one of them.
  ///
  /// The first `known` bytes are taken for equal. `prefix` may contain a zero byte only at its end: it then stands for
  /// the end of the text.
  @inline(__always)
  func compare(toPrefix prefix: UnsafeRawBufferPointer, known: Int = 0) -> Int {
    // Where `known` is true the zero byte is met before the arena ends; where it is not, the bound holds.
    let end = min(prefix.count, room)
    var index = known
    while index < end {
      let (mine, other) = (self[index], prefix[index])
      if mine != other { return Int(mine) &- Int(other) }
      index &+= 1
    }
    return end == prefix.count ? 0 : -1
  }

  /// How many bytes two texts share before either ends or they differ, and whether ``keySeparator`` is among them.
  ///
  /// It looks at eight bytes at a time.
  @inline(__always)
  func sharedText(with other: ArenaText) -> (count: Int, hasSeparator: Bool) {
    let end = min(room, other.room)
    var count = 0
    while count &+ 8 <= end {
      let (mine, theirs) = (word(at: count), other.word(at: count))
      let ends = (mine ^ theirs) | zeroBytes(of: mine)
      let separators = zeroBytes(of: mine ^ Self.eightSeparators)
      guard ends == 0 else {
        // The lowest bit that is set lies in the first byte at which the texts end or differ: bits below it are shared.
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

  /// How many bytes two texts share before either ends or they differ.
  func commonPrefix(with other: ArenaText) -> Int {
    var count = 0
    while self[count] != 0, self[count] == other[count] { count &+= 1 }
    return count
  }
}
