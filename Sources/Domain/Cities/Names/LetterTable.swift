import Base
internal import CLetters

/// A table of letters in the program, which says what else may stand for them.
///
/// A line has one to three letters, a tab, and the rest; lines ascend.
struct LetterTable {
  /// How letters of other scripts are written in Latin ones.
  static var latin: Self { Self(bytes: .init(start: cities_latin_bytes(), count: cities_latin_count())) }
  /// The simplified form of a Chinese character, a tab, and the traditional one.
  static var chinese: Self { Self(bytes: .init(start: cities_chinese_bytes(), count: cities_chinese_count())) }

  /// Letters of the longest entry.
  private static let mostLetters = 3
  private static let (tab, lineFeed) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"))

  private let bytes: UnsafeRawBufferPointer

  /// The longest entry that letters start with: how many of them it is for, and what stands for them; `nil` if there is
  /// none.
  ///
  /// - Complexity: O(log entries).
  func longestEntry(of letters: ArraySlice<Unicode.Scalar>) -> (count: Int, text: [UInt8])? {
    let key = letters.prefix(Self.mostLetters).flatMap { Array(String($0).utf8) }
    let first = key.prefix(letters.first?.utf8.count ?? 0)
    var low = partitionPoint(0..<bytes.count) { offset in
      let start = bytes[..<offset].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
      return line(at: start).lexicographicallyPrecedes(first)
    }
    // Entries with the same first letter are side by side, shorter ones before longer ones that they start.
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
