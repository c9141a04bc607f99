/// A line of text that is being typed, with its caret.
struct LineEditor: Hashable, Sendable {
  /// The maximum number of scalars: no title is longer, and a key held down cannot make a request too large.
  static let limit = 200

  private var characters: [Character] = []
  /// Characters before the caret.
  private(set) var caret = 0

  /// Makes a line with `text` and the caret at its end.
  init(_ text: String = "") {
    characters = Array(String(text.unicodeScalars.prefix(Self.limit)))
    caret = characters.count
  }

  /// The text typed so far.
  var text: String { String(characters) }
  /// The text before the caret.
  var beforeCaret: String { String(characters[..<caret]) }
  var isEmpty: Bool { characters.isEmpty }

  /// Handles `key` in a line.
  ///
  /// - Returns: Whether the key has a meaning in a line.
  mutating func press(_ key: KeyPress) -> Bool {
    switch key {
    case .character(let character): insert(character)
    case .paste(let text): for character in text { insert(character) }
    case .backspace: remove(from: caret - 1)
    case .delete: remove(from: caret, upTo: caret + 1)
    case .left: caret = max(0, caret - 1)
    case .right: caret = min(characters.count, caret + 1)
    case .control("a"): caret = 0
    case .control("e"): caret = characters.count
    case .control("u"): remove(from: 0)
    case .control("k"): remove(from: caret, upTo: characters.count)
    case .control("w"): remove(from: startOfWord)
    default: return false
    }
    return true
  }

  private mutating func insert(_ character: Character) {
    guard text.unicodeScalars.count < Self.limit else { return }
    // A typed combining mark joins the character before it, so that the text is one character shorter.
    characters.insert(character, at: caret)
    let whole = String(characters[...caret])
    characters.replaceSubrange(...caret, with: whole)
    caret = whole.count
  }

  private mutating func remove(from start: Int, upTo end: Int? = nil) {
    let range = max(0, start)..<min(end ?? caret, characters.count)
    characters.removeSubrange(range)
    caret = min(caret, range.lowerBound)
  }

  private var startOfWord: Int {
    let blanks = characters[..<caret].lastIndex { !$0.is(" ") } ?? 0
    return characters[..<blanks].lastIndex { $0.is(" ") }.map { $0 + 1 } ?? 0
  }
}
