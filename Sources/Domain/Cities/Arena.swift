/// Texts in borrowed memory, each ended by a zero byte.
struct Arena {
  private let bytes: UnsafeRawBufferPointer

  /// A view of `bytes`, `nil` unless they end with a zero byte: every text in it ends then, wherever it begins.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.last == 0 else { return nil }
    self.bytes = bytes
  }

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

  /// The byte at `index`, which must not lie behind the zero byte.
  @inline(__always)
  subscript(index: Int) -> UInt8 { start.load(fromByteOffset: index, as: UInt8.self) }

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
  /// The first `known` bytes are taken for equal. `prefix` may contain a zero byte only at its end: it then stands for the
  /// end of the text.
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

  /// How many bytes two texts share before either ends or they differ.
  func commonPrefix(with other: ArenaText) -> Int {
    var count = 0
    while self[count] != 0, self[count] == other[count] { count &+= 1 }
    return count
  }
}
