internal import CLetters

/// A built-in table of letters and their replacements.
///
/// Each line has one to three letters, a tab, and the replacement; lines ascend.
struct LetterTable {
  /// The Latin transliteration of the letters of other scripts.
  static var latin: Self { Self(bytes: .init(start: cities_latin_bytes(), count: cities_latin_count())) }
  /// The simplified and the traditional form of Chinese characters, separated by a tab.
  static var chinese: Self { Self(bytes: .init(start: cities_chinese_bytes(), count: cities_chinese_count())) }

  /// Letters of the longest entry.
  private static let mostLetters = 3
  private static let (tab, lineFeed) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"))

  private let bytes: UnsafeRawBufferPointer

  /// The longest entry that `letters` start with: its number of letters and its replacement; `nil` if there is none.
  ///
  /// - Complexity: O(log entries).
  func longestEntry(of letters: ArraySlice<Unicode.Scalar>) -> (count: Int, text: [UInt8])? {
    let key = letters.prefix(Self.mostLetters).flatMap { Array(String($0).utf8) }
    let first = key.prefix(letters.first?.utf8.count ?? 0)
    var low = partitionPoint(0..<bytes.count) { offset in
      let start = bytes[..<offset].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
      return line(at: start).lexicographicallyPrecedes(first)
    }
    // Entries with the same first letter are adjacent, prefixes before longer entries.
    var found: (count: Int, text: [UInt8])?
    while low < bytes.count, case let line = line(at: low), line.starts(with: first) {
      let entry = line.prefix { $0 != Self.tab }
      if key.starts(with: entry) {
        found = (entry.count { $0 & 0xC0 != 0x80 }, Array(line.dropFirst(entry.count + 1)))
      }
      low = line.endIndex + 1
    }
    return found
  }

  private func line(at start: Int) -> Slice<UnsafeRawBufferPointer> { bytes[start...].prefix { $0 != Self.lineFeed } }
}
