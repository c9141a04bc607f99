/// Little-endian 32-bit numbers in borrowed memory.
///
/// A mapped file is foreign data: an index outside of the column reads as 0, which every user of a column must tolerate,
/// and never traps.
public struct Column {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// How many numbers there are.
  public let count: Int

  /// A view of `bytes`; an incomplete number at its end is left out.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    count = bytes.count / 4
  }

  /// The number at `index`, 0 if `index` is outside.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Int {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
    return Int(bytes.load(littleEndian: UInt32.self, at: index &* 4))
  }

  /// The first index in `range`, whose numbers ascend, with a number not below `bound`; `range` must lie within.
  ///
  /// - Complexity: O(log n).
  @inlinable
  public func lowerBound(of bound: Int, in range: Range<Int>) -> Int { partitionPoint(range) { self[$0] < bound } }
}

extension Array<UInt8> {
  /// The 32-bit numbers, little-endian, one after the other: what ``Column`` reads.
  package init(column numbers: some Collection<UInt32>) {
    self.init()
    reserveCapacity(4 * numbers.count)
    for number in numbers { append(littleEndian: number) }
  }
}
