import Base
internal import CBOR
internal import CitiesMap
internal import Text

/// A picture of the screen: cells, each with a character and a style.
///
/// Text is cut at the edges; a character that is two cells wide is never cut in half.
struct Picture: Hashable, Sendable {
  struct ScreenCell: Hashable, Sendable {
    /// A character with its combining marks, a space, or nothing to the right of a character two cells wide.
    var text: String
    var style: Style

    static let blank = ScreenCell(text: " ", style: .plain)
  }

  /// The coordinates of a cell.
  struct CellPosition: Hashable, Sendable {
    /// Rows above it.
    var row: Int
    /// Columns left of it.
    var column: Int
  }

  let size: ScreenSize
  /// The position of the terminal's cursor, if it is seen.
  var cursor: CellPosition?
  private let charset: Charset
  private var cells: [ScreenCell]

  init(_ size: ScreenSize, _ charset: Charset) {
    (self.size, self.charset) = (size, charset)
    cells = Array(repeating: .blank, count: size.rows * size.columns)
  }

  /// The cells of a row.
  func row(_ row: Int) -> ArraySlice<ScreenCell> { cells[row * size.columns..<(row + 1) * size.columns] }

  /// The rows as text, without spaces at their ends.
  var lines: [String] {
    (0..<size.rows).map { row in
      var line = self.row(row).map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Paints `text` from a cell on, at most `width` cells of it; one or three dots mark a cut.
  ///
  /// - Returns: the cells painted.
  @discardableResult
  mutating func put(
    _ text: some StringProtocol, row: Int, column: Int, width: Int = .max, _ style: Style = .plain
  ) -> Int {
    let room = min(width, size.columns - column)
    guard row >= 0, row < size.rows, column >= 0, room > 0 else { return 0 }
    let shown = charset.shown(text)
    var painted = 0
    let isCut = cellWidth(shown) > room
    for character in shown {
      let cells = cellWidth(String(character))
      guard painted + cells <= (isCut ? room - charset.ellipsis.count : room) else { break }
      set(String(character), cells, row, column + painted, style)
      painted += cells
    }
    if isCut && room >= charset.ellipsis.count {
      for dot in charset.ellipsis {
        set(String(dot), 1, row, column + painted, style)
        painted += 1
      }
    }
    return painted
  }

  /// Paints `text` so that it ends before a column.
  mutating func put(_ text: some StringProtocol, row: Int, endingAt end: Int, _ style: Style = .plain) {
    put(text, row: row, column: max(0, end - cellWidth(charset.shown(text))), style)
  }

  /// Gives cells a style, whatever is in them.
  mutating func restyle(row: Int, columns: Range<Int>, _ change: (inout Style) -> Void) {
    guard row >= 0, row < size.rows else { return }
    for column in columns.clamped(to: 0..<size.columns) { change(&cells[row * size.columns + column].style) }
  }

  /// Blanks a part of the picture.
  mutating func clear(rows: Range<Int>, columns: Range<Int>) {
    for row in rows.clamped(to: 0..<size.rows) {
      for column in columns.clamped(to: 0..<size.columns) { set(" ", 1, row, column, .plain) }
    }
  }

  private mutating func set(_ text: String, _ width: Int, _ row: Int, _ column: Int, _ style: Style) {
    // A mark without a character before it, or at the start of a line, has no cell of its own.
    guard width > 0, column < size.columns else { return }
    let index = row * size.columns + column
    // Half of a wide character that is painted over leaves a space.
    if cells[index].text.isEmpty && column > 0 { cells[index - 1].text = " " }
    cells[index] = ScreenCell(text: text, style: style)
    if width == 2 && column + 1 < size.columns { cells[index + 1] = ScreenCell(text: "", style: style) }
  }
}

/// Which characters a terminal shows.
enum Charset: Hashable, Sendable {
  case unicode
  case ascii

  /// The mark of text that was left out.
  var ellipsis: String { self == .unicode ? "…" : "..." }

  /// `text` with a sign in place of everything that the terminal cannot show, or that would act on it.
  func shown(_ text: some StringProtocol) -> String {
    switch self {
    case .unicode:
      guard text.unicodeScalars.contains(where: \.actsOnTerminal) else { return String(text) }
      return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.actsOnTerminal ? "\u{FFFD}" : $0 }))
    case .ascii:
      if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(text) }
      return ASCIITransliterator().ascii(text)
    }
  }
}

/// How a cell is emphasized, by what it means; a terminal makes of it what it can.
struct Style: Hashable, Sendable {
  /// The roles of a cell's text.
  enum Role: Hashable, Sendable, CaseIterable {
    case plain
    case faint
    case strong
    /// The part of a row that matches the filter.
    case match
    /// The head of a part of the screen.
    case heading
    case problem
    /// The subject of a map.
    case mark
    /// A coast on a map.
    case coast
  }

  var role: Role
  /// Whether it is part of what is selected.
  var isSelected: Bool

  init(_ role: Role = .plain, isSelected: Bool = false) { (self.role, self.isSelected) = (role, isSelected) }

  static let plain = Style()
}

extension Charset {
  /// `text` in lines of at most `width` cells, broken at spaces; a word that is wider is cut when it is painted.
  func wrapped(_ text: String, width: Int) -> [String] {
    let text = shown(text)
    if cellWidth(text) <= width { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      if cellWidth(longer) <= width || line.isEmpty {
        line = longer
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return lines + [line]
  }
}
