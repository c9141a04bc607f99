import Text

/// The unread rest of a text about opening hours; spaces are skipped before each symbol.
///
/// Any dash is read as `-`, any line break as `;`, and a full stop after a word as a space.
struct AvailabilityScanner {
  /// The meaning of a code point for the grammar.
  private enum Kind { case letter, capital, digit, space, other, end }

  /// The most words in a phrase.
  private static let maximumPhraseWords = 3

  /// The text in lower case, with single spaces.
  private let scalars: [Unicode.Scalar]
  private let kinds: [Kind]
  private var position = 0

  init(_ text: String) {
    var (scalars, kinds): ([Unicode.Scalar], [Kind]) = ([], [])
    scalars.reserveCapacity(text.utf8.count)
    kinds.reserveCapacity(text.utf8.count)
    let written = Array(CaseFolder().composed(text).unicodeScalars)
    for (index, scalar) in written.enumerated() where scalar != "\n" || index == 0 || written[index - 1] != "\r" {
      var (symbol, kind) = Self.symbol(scalar)
      if symbol == ".", let last = kinds.last, last == .letter || last == .capital,
        index + 1 == written.count || Self.symbol(written[index + 1]).kind != .digit
      {
        (symbol, kind) = (" ", .space)
      }
      guard kind != .space || kinds.last != .space else { continue }
      scalars.append(symbol)
      kinds.append(kind)
    }
    (self.scalars, self.kinds) = (scalars, kinds)
  }

  private static func symbol(_ scalar: Unicode.Scalar) -> (scalar: Unicode.Scalar, kind: Kind) {
    switch scalar {
    case "a"..."z": return (scalar, .letter)
    case "A"..."Z": return (Unicode.Scalar(UInt8(scalar.value) | 0x20), .capital)
    case "0"..."9": return (scalar, .digit)
    case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": return (";", .other)
    // Hyphens, dashes and the minus sign that people write between two times.
    case "-", "\u{2010}", "\u{2011}", "–", "—", "\u{2212}": return ("-", .other)
    case " ", "\t": return (" ", .space)
    case "\0"..."\u{7F}": return (scalar, .other)
    default:
      let properties = scalar.properties
      if properties.isWhitespace { return (" ", .space) }
      guard properties.isAlphabetic else { return (scalar, .other) }
      // Most have no other form, and a text made of each would take most of the time.
      let lower = properties.changesWhenLowercased ? properties.lowercaseMapping.unicodeScalars : "".unicodeScalars
      return (lower.count == 1 ? lower.first ?? scalar : scalar, properties.isUppercase ? .capital : .letter)
    }
  }

  /// The words, and also the parts of hyphenated ones: `e-r`, `e`, `r`.
  var compounds: [Phrase] {
    let ranges = kinds.indices.split { !isLetter(at: $0) && scalars[$0] != "-" }
    return ranges.flatMap { range in
      let parts = range.split { scalars[$0] == "-" }
      return (parts == [range] ? parts : parts + [range]).map { Phrase(scalars[$0]) }
    }
  }

  /// Whether nothing but spaces is left.
  var isAtEnd: Bool { start == scalars.count }

  /// Whether a number is next.
  var isAtDigit: Bool { kind(at: start) == .digit }

  /// Whether a number of at least two digits is next.
  var startsWithTwoDigits: Bool { isAtDigit && kind(at: start + 1) == .digit }

  /// Whether the text, a line or an item of a list ends here.
  var isAtEndOfItem: Bool { isAtEnd || scalars[start] == ";" || scalars[start] == "," }

  /// Whether a letter is next.
  var isAtLetter: Bool { isLetter(at: start) }

  /// Whether one of `words` is next.
  func isAt(_ words: Phrases) -> Bool {
    var next = self
    return next.word().map { words.contains($0.lowercased) } ?? false
  }

  /// Reads one character, which is not a letter or a digit.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard !isAtEnd, scalars[start] == character else { return false }
    position = start + 1
    return true
  }

  /// Reads a full stop after a number, unless a digit follows it.
  mutating func skipFullStop() {
    guard position < scalars.count, scalars[position] == ".", kind(at: position + 1) != .digit else { return }
    position += 1
  }

  /// Reads letters up to another character; with `isCompound`, slashes and hyphens may be between letters.
  mutating func word(isCompound: Bool = false) -> ScannedWord? {
    let (start, kinds) = (start, kinds)
    var end = endOfLetters(from: start)
    guard end > start else { return nil }
    while isCompound, end < scalars.count, scalars[end] == "/" || scalars[end] == "-", isLetter(at: end + 1) {
      end = endOfLetters(from: end + 1)
    }
    position = end
    return ScannedWord(
      lowercased: Phrase(scalars[start..<end]), isCapitalized: kinds[start] == .capital,
      isAllCapitals: kinds[start..<end].allSatisfy { $0 == .capital })
  }

  /// Reads the longest of `phrases`, ignoring case.
  mutating func skip(anyOf phrases: Phrases) -> Bool {
    var (end, longest) = (start, nil as Int?)
    for _ in 0..<Self.maximumPhraseWords where isLetter(at: end) {
      end = endOfLetters(from: end)
      if phrases.contains(Phrase(scalars[start..<end])) { longest = end }
      if kind(at: end) == .space { end += 1 }
    }
    guard let longest else { return false }
    position = longest
    return true
  }

  /// Reads a number of `length` digits.
  mutating func number(_ length: ClosedRange<Int>) -> Int? { number(length, from: start) }

  /// Reads the minutes of a time: a full stop or colon and two digits, without spaces; then no seconds, as `:00`.
  mutating func minutes() -> Int? {
    guard position < scalars.count, scalars[position] == "." || scalars[position] == ":" else { return nil }
    let minutes = number(2...2, from: position + 1)
    if scalars[min(position, scalars.count)...].starts(with: ":00".unicodeScalars) { position += 3 }
    return minutes
  }

  private mutating func number(_ length: ClosedRange<Int>, from first: Int) -> Int? {
    let digits = scalars[min(first, scalars.count)...].prefix { ("0"..."9").contains($0) }
    guard length.contains(digits.count) else { return nil }
    position = digits.endIndex
    return digits.reduce(0) { 10 * $0 + Int($1.value - 0x30) }
  }

  /// Reads a non-empty quotation.
  mutating func quotation() -> Bool {
    let start = start
    guard kind(at: start) == .other, let closing = Self.quotes[scalars[start]],
      let end = scalars[(start + 1)...].firstIndex(where: { closing.contains($0) }), end > start + 1
    else { return false }
    position = end + 1
    return true
  }

  /// The closing quotation marks for each opening one.
  private static let quotes: [Unicode.Scalar: [Unicode.Scalar]] = [
    "\"": ["\""], "„": ["“", "”", "\""], "“": ["”"], "”": ["”"], "«": ["»"], "'": ["'"], "‘": ["’"],
  ]

  /// The next position that is not a space.
  private var start: Int { kind(at: position) == .space ? position + 1 : position }

  private func kind(at index: Int) -> Kind { index < kinds.count ? kinds[index] : .end }

  private func isLetter(at index: Int) -> Bool { kind(at: index) == .letter || kind(at: index) == .capital }

  private func endOfLetters(from index: Int) -> Int {
    var end = index
    while isLetter(at: end) { end += 1 }
    return end
  }
}

/// A word, or words with single spaces between them, in lower case; compared by code points.
struct Phrase: Hashable, ExpressibleByStringLiteral {
  let scalars: ArraySlice<Unicode.Scalar>

  init(_ scalars: ArraySlice<Unicode.Scalar>) { self.scalars = scalars }

  init(_ text: some StringProtocol) { scalars = Array(text.unicodeScalars)[...] }

  init(stringLiteral text: String) { self.init(text) }

  /// Its words.
  var words: [Phrase] { scalars.split(separator: " ").map { Phrase($0) } }

  func hash(into hasher: inout Hasher) { scalars.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// Phrases of one meaning.
struct Phrases: ExpressibleByArrayLiteral {
  private(set) var all: Set<Phrase> = []
  /// A bit for the first code point of each, modulo 64: most words are in no set, and need not be hashed to know it.
  private var starts: UInt64 = 0
  /// The most code points of a phrase: longer words need not be hashed either.
  private var longest = 0

  init(arrayLiteral phrases: Phrase...) { formUnion(phrases) }

  init(_ phrases: some Sequence<Phrase>) { formUnion(phrases) }

  mutating func insert(_ phrase: Phrase) {
    all.insert(phrase)
    starts |= Self.bit(phrase)
    longest = max(longest, phrase.scalars.count)
  }

  mutating func formUnion(_ phrases: some Sequence<Phrase>) { for phrase in phrases { insert(phrase) } }

  func contains(_ phrase: Phrase) -> Bool {
    phrase.scalars.count <= longest && starts & Self.bit(phrase) != 0 && all.contains(phrase)
  }

  private static func bit(_ phrase: Phrase) -> UInt64 { phrase.scalars.first.map { 1 << UInt64($0.value & 63) } ?? 0 }
}

/// A word as it was read.
struct ScannedWord {
  let lowercased: Phrase
  /// Whether its first letter is a capital.
  let isCapitalized: Bool
  /// Whether all its letters are capitals.
  let isAllCapitals: Bool
}
