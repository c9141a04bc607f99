/// Lines of text, sorted by bytes, such as a table that the compiler embeds in a program.
///
/// The text is borrowed and never copied, because an answer is a small part of it. `Sendable` because its only property
/// is a constant that borrows from read-only bytes.
package struct SortedLines: @unchecked Sendable {
  private let text: UnsafeRawBufferPointer

  /// Borrows a text, which must outlive the lines.
  package init(borrowing text: UnsafeRawBufferPointer) { self.text = text }

  /// The fields of the lines that start with `start`, separated by tabs.
  ///
  /// - Complexity: O(log n + k) in the bytes of the text, k of them in these lines.
  package func rows(startingWith start: String) -> [[Substring]] {
    let wanted = Array(start.utf8)
    var next = partitionPoint(0..<text.count) {
      text[self.start(ofLineAt: $0)...].lexicographicallyPrecedes(wanted)
    }
    var found: [[Substring]] = []
    while next < text.count, text[next...].starts(with: wanted) {
      let line = text[next...].prefix { $0 != Self.lineFeed }
      next = line.endIndex + 1
      // As bytes: a text would be searched for the ends of its characters.
      let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      found.append(fields.map { Substring(decoding: $0, as: UTF8.self) })
    }
    return found
  }

  private func start(ofLineAt offset: Int) -> Int {
    text[..<offset].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
  }

  private static let lineFeed = UInt8(ascii: "\n")
}
