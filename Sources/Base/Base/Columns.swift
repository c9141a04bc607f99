/// Little-endian 32-bit numbers in borrowed memory.
///
/// A mapped file is untrusted: an index out of bounds reads as 0, which every user of a column must tolerate, and never
/// traps.
public struct Column {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// The number of numbers.
  public let count: Int

  /// A view of `bytes`; an incomplete last number is left out.
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    count = bytes.count / 4
  }

  /// The number at `index`; 0 if out of bounds.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Int {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
    return Int(bytes.load(littleEndian: UInt32.self, at: index &* 4))
  }

  /// The address of the number at `index`; `nil` if out of bounds.
  @inlinable @inline(__always)
  public func address(of index: Int) -> UnsafeRawPointer? {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return nil }
    return bytes.baseAddress.map { $0 + index &* 4 }
  }

  /// The first index in `range`, whose numbers must ascend, with a number not below `bound`; `range` must be in bounds.
  ///
  /// - Complexity: O(log n).
  @inlinable
  public func lowerBound(of bound: Int, in range: Range<Int>) -> Int { partitionPoint(range) { self[$0] < bound } }
}

extension Array<UInt8> {
  /// The little-endian bytes of 32-bit numbers, for ``Column``.
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

/// Byte strings in borrowed memory, by index.
///
/// The memory holds 32-bit little-endian numbers: the count of entries, the start of each and the end of the last,
/// relative to the end of these numbers. The entries follow, back to back. The memory is untrusted: an offset out of
/// bounds gives an empty entry, never a trap, and all entries together are no longer than the memory.
package struct ByteTable {
  /// The number of entries.
  package let count: Int
  /// Bytes of the longest entry.
  package let longest: Int
  private let offsets: Column
  private let contents: UnsafeRawBufferPointer

  /// A view of the bytes of ``encode(_:)``; `nil` if they are too short for their entries, or if entries overlap.
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

  @inline(__always)
  private func content(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
    guard start <= end, end <= contents.count, let base = contents.baseAddress else { return Self.none }
    return UnsafeRawBufferPointer(start: base + start, count: end &- start)
  }

  /// The entry at `index` as text; invalid UTF-8 becomes U+FFFD.
  package func text(at index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The bytes for `entries`; `nil` if they exceed 32-bit offsets.
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
