/// A line of text that is being typed, with its caret.
struct LineEditor: Hashable, Sendable {
  /// The most characters that a line takes: no title is longer, and no key held down makes a request too large.
  static let limit = 200

  private var characters: [Character] = []
  /// Characters before the caret.
  private(set) var caret = 0

  /// An empty line, or one that holds `text` with the caret at its end.
  init(_ text: String = "") {
    characters = Array(text.prefix(Self.limit))
    caret = characters.count
  }

  /// The text typed so far.
  var text: String { String(characters) }
  /// The text before the caret.
  var beforeCaret: String { String(characters[..<caret]) }
  var isEmpty: Bool { characters.isEmpty }

  /// Handles `key` in a line.
  ///
  /// - Returns: whether it means anything there.
  mutating func press(_ key: KeyPress) -> Bool {
    switch key {
    case .character(let character): insert(character)
    case .backspace: remove(from: caret - 1)
    case .delete: remove(from: caret, upTo: caret + 1)
    case .left: caret = max(0, caret - 1)
    case .right: caret = min(characters.count, caret + 1)
    case .control("a"): caret = 0
    case .control("e"): caret = characters.count
    case .control("u"): remove(from: 0)
    case .control("k"): remove(from: caret, upTo: characters.count)
    case .control("w"): remove(from: beginOfWord)
    default: return false
    }
    return true
  }

  private mutating func insert(_ character: Character) {
    guard characters.count < Self.limit else { return }
    // A combining mark that is typed joins the character before it, and the text is one character shorter.
    characters.insert(character, at: caret)
    let whole = String(characters[...caret])
    characters.replaceSubrange(...caret, with: whole)
    caret = whole.count
  }

  private mutating func remove(from begin: Int, upTo end: Int? = nil) {
    let range = max(0, begin)..<min(end ?? caret, characters.count)
    characters.removeSubrange(range)
    caret = min(caret, range.lowerBound)
  }

  private var beginOfWord: Int {
    let blanks = characters[..<caret].lastIndex { $0 != " " } ?? 0
    return characters[..<blanks].lastIndex(of: " ").map { $0 + 1 } ?? 0
  }
}
