/// A bit string in borrowed memory that also counts the set bits before any position.
///
/// Every 64 bits take 12 bytes: the bits as a little-endian 64-bit number and the count of set bits before them as a
/// 32-bit one, side by side, so that reading both touches one cache line (G. Jacobson, "Space-efficient static trees
/// and graphs", FOCS 1989, with one level). A mapped file is untrusted: bits out of bounds are clear, and counts never
/// trap.
package struct RankedBits {
  /// Bytes for every 64 bits.
  package static let wordBytes = 12
  /// Bits of a word.
  package static let wordBits = 64

  @usableFromInline let bytes: UnsafeRawBufferPointer

  /// A view of the bytes of ``encode(_:)``.
  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Bytes that `count` bits take.
  @inlinable
  package static func size(of count: Int) -> Int { (count + wordBits - 1) / wordBits * wordBytes }

  /// Whether the bit at `index` is set.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Bool { rank(ifSet: index) != nil }

  /// The number of set bits before `index`, if the bit at `index` is set.
  ///
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  package func rank(ifSet index: Int) -> Int? {
    let start = (index &>> 6) &* Self.wordBytes
    guard index >= 0, start <= bytes.count &- Self.wordBytes else { return nil }
    let word = bytes.load(littleEndian: UInt64.self, at: start)
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index & 63)
    guard word & bit != 0 else { return nil }
    return Int(bytes.load(littleEndian: UInt32.self, at: start &+ 8)) &+ (word & (bit &- 1)).nonzeroBitCount
  }

  /// The number of set bits before `index`; the total if `index` is the end of the last word.
  ///
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  package func rank(_ index: Int) -> Int {
    let start = (index &>> 6) &* Self.wordBytes
    guard index > 0 else { return 0 }
    guard start <= bytes.count &- Self.wordBytes else {
      let last = bytes.count &- Self.wordBytes
      guard last >= 0, start == bytes.count else { return 0 }
      return Int(bytes.load(littleEndian: UInt32.self, at: last &+ 8))
        &+ bytes.load(littleEndian: UInt64.self, at: last).nonzeroBitCount
    }
    let below: UInt64 = (1 &<< UInt64(truncatingIfNeeded: index & 63)) &- 1
    return Int(bytes.load(littleEndian: UInt32.self, at: start &+ 8))
      &+ (bytes.load(littleEndian: UInt64.self, at: start) & below).nonzeroBitCount
  }

  /// The bytes for `bits`.
  ///
  /// Not generic: without specialized code in other modules it took a quarter of an import.
  ///
  /// - Complexity: O(n).
  package static func encode(_ bits: [Bool]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size(of: bits.count))
    var before: UInt32 = 0
    for start in stride(from: 0, to: bits.count, by: wordBits) {
      var word: UInt64 = 0
      for index in start..<min(start + wordBits, bits.count) where bits[index] { word |= 1 &<< UInt64(index - start) }
      bytes.append(littleEndian: word)
      bytes.append(littleEndian: before)
      before &+= UInt32(word.nonzeroBitCount)
    }
    return bytes
  }
}
