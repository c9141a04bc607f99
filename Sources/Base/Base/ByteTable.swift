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

  /// A view of what ``encode(_:)`` wrote; `nil` if it is too short for the entries that it announces, or if they overlap.
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
    index < 0 || index >= count ? Self.none : self[index..<index + 1]
  }

  /// The entries of `range`, back to back; empty if one of them is none.
  package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    guard range.lowerBound >= 0, range.upperBound <= count else { return Self.none }
    let (start, end) = (offsets[range.lowerBound], offsets[range.upperBound])
    guard start <= end, end <= contents.count else { return Self.none }
    return UnsafeRawBufferPointer(rebasing: contents[start..<end])
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
