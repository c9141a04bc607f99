/// Which row of a list is selected, and which one is at the top of what is seen.
struct ListCursor: Hashable, Sendable {
  private(set) var selected = 0
  /// The first row that is seen.
  private(set) var top = 0

  init() {}

  /// How a list is moved through.
  enum Move: Hashable, Sendable {
    /// By this many rows down, up if negative; the view follows the selection.
    case by(Int)
    /// The view by this many rows down, up if negative; the selection stays in view.
    case scroll(Int)
    /// By this many screens down, up if negative.
    case pages(Int)
    /// To the first row or the last.
    case first, last
    case to(Int)
  }

  /// Moves within `count` rows of which `height` are seen.
  mutating func move(_ move: Move, count: Int, height: Int) {
    switch move {
    case .by(let rows): selected += rows
    case .pages(let pages):
      // One row of the old screen stays, as a hold for the eye.
      let step = pages * max(1, height - 1)
      selected += step
      top += step
    case .scroll(let rows):
      top = max(0, min(top + rows, count - height))
      selected = min(max(selected, top), top + height - 1)
    case .first: selected = 0
    case .last: selected = count - 1
    case .to(let row): selected = row
    }
    settle(count: count, height: height)
  }

  /// Brings the selection into `count` rows, and the view to it: after moves, and when rows or screen change.
  mutating func settle(count: Int, height: Int) {
    selected = max(0, min(selected, count - 1))
    top = max(0, min(top, count - height))
    if selected < top { top = selected }
    if selected >= top + height { top = selected - height + 1 }
  }

  /// The rows of `count` that are seen.
  func seen(count: Int, height: Int) -> Range<Int> {
    let begin = min(top, max(0, count))
    return begin..<max(begin, min(count, begin + height))
  }
}

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
