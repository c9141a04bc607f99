/// Little-endian 32-bit numbers in borrowed memory.
///
/// A mapped file is somebody else's: an index that leads outside is answered with 0, which every user of a column must be
/// able to live with, and never with a trap.
package struct Column {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// Numbers in all.
  package let count: Int

  /// A view of `bytes`; an incomplete number at its end is left out.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    count = bytes.count / 4
  }

  /// The number at `index`, 0 if there is none.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Int {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
    return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)))
  }

  /// The first index in `range`, whose numbers ascend, with a number not below `bound`; `range` must lie within.
  ///
  /// - Complexity: O(log n).
  @inlinable
  package func lowerBound(of bound: Int, in range: Range<Int>) -> Int { partition(range) { self[$0] < bound } }
}

/// The first index of `range` for which `isBelow` is false; it must not turn true again behind that.
///
/// - Complexity: O(log n).
@inlinable @inline(__always)
package func partition(_ range: Range<Int>, _ isBelow: (Int) -> Bool) -> Int {
  var (low, high) = (range.lowerBound, range.upperBound)
  while low < high {
    let middle = (low &+ high) >> 1
    if isBelow(middle) { low = middle &+ 1 } else { high = middle }
  }
  return low
}

extension Array<UInt8> {
  /// Appends a 32-bit number, little-endian.
  package mutating func append(number: UInt32) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// The 32-bit numbers, little-endian, one after the other: what ``Column`` reads.
  package init(column numbers: some Collection<UInt32>) {
    self.init()
    reserveCapacity(4 * numbers.count)
    for number in numbers { append(number: number) }
  }
}
