/// The unread rest of a text about opening hours; spaces are skipped before each symbol.
///
/// Any dash is read as `-`, any line break as `;`.
struct AvailabilityScanner {
  /// Hyphens, dashes and the minus sign that people write between two times.
  private static let dashes: Set<Character> = ["-", "\u{2010}", "\u{2011}", "–", "—", "\u{2212}"]

  /// The most words in a phrase.
  private static let maximumPhraseWords = 3

  private var rest: ArraySlice<Character>

  init(_ text: String) {
    rest = text.map { $0.isNewline ? ";" : Self.dashes.contains($0) ? "-" : $0.isWhitespace ? " " : $0 }[...]
  }

  /// The words of a text in lower case, hyphenated ones as one: `e-r`.
  static func compounds(of text: String) -> [String] {
    AvailabilityScanner(text.lowercased()).rest.split { !$0.isLetter && $0 != "-" }.map { String($0) }
  }

  /// Whether nothing but spaces is left.
  var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

  /// The next character that is not a space.
  var next: Character? { rest.first { $0 != " " } }

  /// Whether a number is next.
  var isAtDigit: Bool { next.map(Self.isDigit) ?? false }

  /// Reads one character, which is not a letter or a digit.
  mutating func skip(_ character: Character) -> Bool {
    guard next == character else { return false }
    skipBlanks()
    rest = rest.dropFirst()
    return true
  }

  /// Reads a full stop after a word or a number, unless a digit follows it.
  mutating func skipFullStop() {
    guard rest.first == ".", !(rest.dropFirst().first.map(Self.isDigit) ?? false) else { return }
    rest = rest.dropFirst()
  }

  /// Reads letters up to another character, and a full stop after them; with `isCompound`, slashes and hyphens may be
  /// between letters.
  mutating func word(isCompound: Bool = false) -> String? {
    let start = rest.drop { $0 == " " }
    var end = start.startIndex
    while end < start.endIndex {
      let isJoint = isCompound && end > start.startIndex && (start[end] == "/" || start[end] == "-")
      let isJointBeforeLetter = isJoint && end + 1 < start.endIndex && start[end + 1].isLetter
      guard start[end].isLetter || isJointBeforeLetter else { break }
      end += 1
    }
    guard end > start.startIndex else { return nil }
    rest = start[end...]
    skipFullStop()
    return String(start[..<end])
  }

  /// Reads the longest of `phrases`, ignoring case.
  mutating func skip(anyOf phrases: Set<String>) -> Bool {
    guard next?.isLetter ?? false else { return false }
    var (after, words) = (self, "")
    var longest: Self?
    for _ in 0..<Self.maximumPhraseWords {
      guard let word = after.word() else { break }
      words += (words.isEmpty ? "" : " ") + word.lowercased()
      if phrases.contains(words) { longest = after }
    }
    guard let longest else { return false }
    self = longest
    return true
  }

  /// Reads a number of `length` digits.
  mutating func number(_ length: ClosedRange<Int>) -> Int? {
    let start = rest.drop { $0 == " " }
    let digits = start.prefix(while: Self.isDigit)
    guard length.contains(digits.count) else { return nil }
    rest = start[digits.endIndex...]
    return Int(String(digits))
  }

  /// Reads the minutes of a time: a full stop or colon and two digits, without spaces.
  mutating func minutes() -> Int? {
    guard rest.first == "." || rest.first == ":" else { return nil }
    let digits = rest.dropFirst().prefix(while: Self.isDigit)
    guard digits.count == 2 else { return nil }
    rest = rest[digits.endIndex...]
    return Int(String(digits))
  }

  /// Reads a non-empty quotation.
  mutating func quotation() -> Bool {
    let start = rest.drop { $0 == " " }
    guard let first = start.first, let closing = Self.quotes[first],
      let end = start.dropFirst().firstIndex(where: { closing.contains($0) }), end > start.startIndex + 1
    else { return false }
    rest = start[(end + 1)...]
    return true
  }

  /// The closing quotation marks for each opening one.
  private static let quotes: [Character: Set<Character>] = [
    "\"": ["\""], "„": ["“", "”", "\""], "“": ["”"], "”": ["”"], "«": ["»"], "'": ["'"], "‘": ["’"],
  ]

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  private mutating func skipBlanks() { rest = rest.drop { $0 == " " } }
}
