/// Makes `citiesctl near -33.9,18.4` and `citiesctl rate convert -12.50 USD EUR` work without `--`.
///
/// The parser takes every word with a dash in front for options. Before it sees them, words that begin like a negative
/// number get a mark in front that no argument of a process can hold, a NUL; what such a word may become takes it off.
/// It is done for whatever such a word turns out to be, so that what wants a number can say so: `--limit -1`.
enum ArgumentRewriter {
  /// What cannot occur in an argument.
  private static let mark: Character = "\0"

  /// `arguments` with marked numbers and places, up to a `--`.
  static func marked(_ arguments: [String]) -> [String] {
    var isOpen = true
    return arguments.map { word in
      if word == "--" { isOpen = false }
      return isOpen && isNegativeNumber(word) ? "\(mark)\(word)" : word
    }
  }

  /// The word as the user typed it.
  static func unmarked(_ word: String) -> String {
    word.utf8.first == 0 ? String(word.dropFirst()) : word
  }

  /// Takes every mark out of a message of the parser's.
  static func withoutMarks(_ message: String) -> String { message.filter { $0 != mark } }

  /// Whether `word` is a dash and a digit, or a dash, a point and a digit; but `-0` alone or before a letter is an
  /// option.
  private static func isNegativeNumber(_ word: String) -> Bool {
    var bytes = word.utf8[...]
    guard bytes.popFirst() == UInt8(ascii: "-") else { return false }
    if bytes.first == UInt8(ascii: "0") {
      return bytes.dropFirst().first.map { $0 < UInt8(ascii: "A") } ?? false
    }
    if bytes.first == UInt8(ascii: ".") { bytes.removeFirst() }
    return bytes.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }
}
