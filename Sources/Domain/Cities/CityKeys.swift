import Base

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
}

/// The base keys by folded position.
///
/// Most names are ASCII, where base and plain key are the same: a bit a city tells which are not, and only those have an
/// offset of their own.
struct BaseKeys: KeyTable {
  /// Bytes for every 64 ranks.
  static let wordBytes = 12

  let plain: PlainKeys
  let order: Column
  let bits: UnsafeRawBufferPointer
  let offsets: Column

  var count: Int { order.count }

  func key(at position: Int) -> ArenaText { key(of: order[position]) }

  /// The base key of the city at `rank`.
  func key(of rank: Int) -> ArenaText {
    let word = rank / 64 * Self.wordBytes
    guard word + Self.wordBytes <= bits.count else { return plain.key(at: rank) }
    let flags = UInt64(littleEndian: bits.loadUnaligned(fromByteOffset: word, as: UInt64.self))
    let bit: UInt64 = 1 << UInt64(rank % 64)
    guard flags & bit != 0 else { return plain.key(at: rank) }
    let before = UInt32(littleEndian: bits.loadUnaligned(fromByteOffset: word + 8, as: UInt32.self))
    return plain.arena[offsets[Int(before) + (flags & (bit - 1)).nonzeroBitCount]]
  }

  /// The bits and counts for `differs`, by rank.
  static func encode(_ differs: [Bool]) -> [UInt8] {
    var bytes: [UInt8] = []
    var before: UInt32 = 0
    for start in stride(from: 0, to: differs.count, by: 64) {
      var flags: UInt64 = 0
      for rank in start..<min(start + 64, differs.count) where differs[rank] { flags |= 1 << UInt64(rank - start) }
      withUnsafeBytes(of: flags.littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(littleEndian: before)
      before += UInt32(flags.nonzeroBitCount)
    }
    return bytes
  }
}
