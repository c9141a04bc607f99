/// Little-endian 32-bit numbers in borrowed memory.
///
/// A mapped file is foreign data: an index outside of the column reads as 0, which every user of a column must
/// tolerate, and never traps.
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

  /// Where the number at `index` is stored; `nil` if `index` is outside.
  @inlinable @inline(__always)
  public func address(of index: Int) -> UnsafeRawPointer? {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return nil }
    return bytes.baseAddress.map { $0 + index &* 4 }
  }

  /// The first index in `range`, whose numbers ascend, with a number not below `bound`; `range` must lie within.
  ///
  /// - Complexity: O(log n).
  @inlinable
  public func lowerBound(of bound: Int, in range: Range<Int>) -> Int { partitionPoint(range) { self[$0] < bound } }
}

extension Array<UInt8> {
  /// The 32-bit numbers, little-endian, one after the other: what ``Column`` reads.
  ///
  /// - Complexity: O(n).
  package init(column numbers: [UInt32]) {
    self.init(unsafeUninitializedCapacity: 4 * numbers.count) { memory, count in
      for (index, number) in numbers.enumerated() {
        UnsafeMutableRawPointer(memory.baseAddress.unsafelyUnwrapped).storeBytes(
          of: number.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
      }
      count = 4 * numbers.count
    }
  }
}

/// Strings of bytes in borrowed memory, found by their number.
///
/// The memory holds, in 32-bit little-endian numbers, how many entries there are, where each begins and where the last
/// ends, counted from the end of these numbers; then the entries, back to back. It may be somebody else's: an offset
/// that leads outside is an empty entry, never a trap, and all entries together are no longer than the memory.
package struct ByteTable {
  /// Entries in all.
  package let count: Int
  /// Bytes of the longest entry.
  package let longest: Int
  private let offsets: Column
  private let contents: UnsafeRawBufferPointer

  /// A view of what ``encode(_:)`` wrote; `nil` if it is too short for the entries that it announces, or if they
  /// overlap.
  ///
  /// - Complexity: O(n) in the entries.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    let numbers = Column(bytes)
    let count = numbers[0]
    guard bytes.count >= 4, count < numbers.count - 1 else { return nil }
    self.count = count
    let end = 4 * (count + 2)
    offsets = Column(UnsafeRawBufferPointer(rebasing: bytes[4..<end]))
    contents = UnsafeRawBufferPointer(rebasing: bytes[end...])
    var longest = 0
    for index in 0..<count {
      let (start, end) = (offsets[index], offsets[index + 1])
      guard start <= end else { return nil }
      longest = max(longest, end - start)
    }
    guard offsets[count] <= contents.count else { return nil }
    self.longest = longest
  }

  /// The entry at `index`; empty if there is none.
  package subscript(index: Int) -> UnsafeRawBufferPointer {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return Self.none }
    return content(from: offsets[index], to: offsets[index &+ 1])
  }

  /// The entries of `range`, back to back; empty if one of them is none.
  package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    guard range.lowerBound >= 0, range.upperBound <= count else { return Self.none }
    return content(from: offsets[range.lowerBound], to: offsets[range.upperBound])
  }

  @inline(__always)
  private func content(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
    guard start <= end, end <= contents.count, let base = contents.baseAddress else { return Self.none }
    return UnsafeRawBufferPointer(start: base + start, count: end &- start)
  }

  /// The entry at `index` as text; invalid UTF-8 becomes U+FFFD.
  package func text(at index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The bytes for `entries`; `nil` if they outgrow 32-bit offsets.
  ///
  /// - Complexity: O(n) in the bytes of all entries.
  package static func encode(_ entries: some Collection<[UInt8]>) -> [UInt8]? {
    var offsets: [UInt32] = [0]
    var contents: [UInt8] = []
    for entry in entries {
      contents += entry
      guard let end = UInt32(exactly: contents.count) else { return nil }
      offsets.append(end)
    }
    guard let count = UInt32(exactly: entries.count) else { return nil }
    return [UInt8](column: [count] + offsets) + contents
  }
}
