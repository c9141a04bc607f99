/// Makes `citiesctl near -33.9,18.4` work without `--`.
///
/// The parser takes every word with a dash in front for options. Before it sees them, words like `-?digits[.digits],…`
/// get a mark in front that no argument of a process can hold, a NUL; the types that such a word may become take it off.
enum ArgumentRewriter {
  /// What cannot occur in an argument.
  private static let mark: Character = "\0"

  /// `arguments` with marked places, up to a `--`.
  static func marked(_ arguments: [String]) -> [String] {
    var isOpen = true
    return arguments.map { word in
      if word == "--" { isOpen = false }
      return isOpen && isNegativePlace(word) ? "\(mark)\(word)" : word
    }
  }

  /// The word as the user typed it.
  static func unmarked(_ word: String) -> String {
    word.utf8.first == 0 ? String(word.dropFirst()) : word
  }

  /// Takes every mark out of a message of the parser's.
  static func withoutMarks(_ message: String) -> String { message.filter { $0 != mark } }

  /// Whether `word` is a dash, digits with or without a fraction, and a comma.
  private static func isNegativePlace(_ word: String) -> Bool {
    let bytes = word.utf8
    guard bytes.first == UInt8(ascii: "-") else { return false }
    let number = bytes.dropFirst().prefix { $0 != UInt8(ascii: ",") }
    guard number.endIndex != bytes.endIndex, number.contains(where: isDigit) else { return false }
    return number.count { $0 == UInt8(ascii: ".") } <= 1
      && number.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
