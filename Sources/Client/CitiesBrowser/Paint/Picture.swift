internal import CitiesMap
internal import Text

/// A picture of the screen: cells, each with a character and a style.
///
/// Text is cut at the edges, but never within a character of several cells.
struct Picture: Hashable, Sendable {
  struct ScreenCell: Hashable, Sendable {
    /// A character with its combining marks, a space, or nothing in the further cells of a wide character.
    var text: String
    var style: Style

    static let blank = ScreenCell(text: " ", style: .plain)
  }

  let size: ScreenSize
  /// The position of the terminal's cursor, if it is visible.
  var cursor: MapCell?
  private let charset: Charset
  private var cells: [ScreenCell]

  init(_ size: ScreenSize, _ charset: Charset) {
    (self.size, self.charset) = (size, charset)
    cells = Array(repeating: .blank, count: size.rows * size.columns)
  }

  /// The cells of a row.
  func row(_ row: Int) -> ArraySlice<ScreenCell> { cells[row * size.columns..<(row + 1) * size.columns] }

  /// Paints `text` from a cell on, at most `width` cells; an ellipsis marks a cut.
  ///
  /// - Returns: The number of painted cells.
  @discardableResult
  mutating func put(
    _ text: some StringProtocol, row: Int, column: Int, width: Int = .max, _ style: Style = .plain
  ) -> Int {
    let room = min(width, size.columns - column)
    guard row >= 0, row < size.rows, column >= 0, room > 0 else { return 0 }
    var text = String(text)
    let ascii = text.withUTF8 { bytes in
      bytes.allSatisfy(\.isPrintableASCII) ? put(ascii: bytes, row, column, room, style) : nil
    }
    return ascii ?? put(shown: charset.shown(text), row, column, room, style)
  }

  /// Paints a printable ASCII text.
  private mutating func put(
    ascii text: UnsafeBufferPointer<UInt8>, _ row: Int, _ column: Int, _ room: Int, _ style: Style
  ) -> Int {
    let isCut = text.count > room
    let painted = isCut ? max(0, room - charset.ellipsis.count) : text.count
    for place in 0..<painted { set(Self.ascii[Int(text[place]) - 0x20], 1, row, column + place, style) }
    return isCut ? putEllipsis(row, column, after: painted, room, style) : painted
  }

  private mutating func put(shown text: String, _ row: Int, _ column: Int, _ room: Int, _ style: Style) -> Int {
    var painted = 0
    let isCut = textWidth(text) > room
    for character in text {
      let character = String(character)
      let cells = textWidth(character)
      guard painted + cells <= (isCut ? room - charset.ellipsis.count : room) else { break }
      set(character, cells, row, column + painted, style)
      painted += cells
    }
    return isCut ? putEllipsis(row, column, after: painted, room, style) : painted
  }

  private mutating func putEllipsis(
    _ row: Int, _ column: Int, after painted: Int, _ room: Int, _ style: Style
  ) -> Int {
    guard room >= charset.ellipsis.count else { return painted }
    for (place, dot) in charset.ellipsis.enumerated() { set(String(dot), 1, row, column + painted + place, style) }
    return painted + charset.ellipsis.count
  }

  /// The printable ASCII characters from the space on, as strings.
  private static let ascii = (UInt8(0x20)..<0x7F).map { String(Unicode.Scalar($0)) }

  /// Paints `text` so that it ends before a column.
  mutating func put(_ text: some StringProtocol, row: Int, endingAt end: Int, _ style: Style = .plain) {
    put(text, row: row, column: max(0, end - textWidth(charset.shown(text))), style)
  }

  /// The columns of a row from the first to the last cell that differ from an earlier picture; `nil` if none do.
  ///
  /// They never start within a wide character of either picture.
  func changed(row: Int, since earlier: Picture?) -> Range<Int>? {
    let columns = 0..<size.columns
    guard let earlier, earlier.size == size else { return columns }
    let base = row * size.columns
    guard var first = columns.first(where: { cells[base + $0] != earlier.cells[base + $0] }),
      let last = columns.last(where: { cells[base + $0] != earlier.cells[base + $0] })
    else { return nil }
    while first > 0, cells[base + first].text.isEmpty || earlier.cells[base + first].text.isEmpty { first -= 1 }
    return first..<last + 1
  }

  /// Changes the style of cells.
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
    // A combining mark at the start of a line has no cell of its own.
    guard width > 0, column < size.columns else { return }
    let cellsOfRow = row * size.columns..<(row + 1) * size.columns
    let start = cellsOfRow.lowerBound + column
    let end = min(start + width, cellsOfRow.upperBound)
    // Painting over a part of a wide character leaves spaces.
    if cells[start].text.isEmpty { blankCharacter(across: start, cellsOfRow) }
    if end < cellsOfRow.upperBound, cells[end].text.isEmpty { blankCharacter(across: end, cellsOfRow) }
    cells[start] = ScreenCell(text: text, style: style)
    for index in (start + 1)..<end { cells[index] = ScreenCell(text: "", style: style) }
  }

  /// Replaces the wide character that extends across the start of a cell by spaces.
  private mutating func blankCharacter(across index: Int, _ row: Range<Int>) {
    let start = cells[row.lowerBound..<index].lastIndex { !$0.text.isEmpty } ?? row.lowerBound
    let end = cells[index..<row.upperBound].firstIndex { !$0.text.isEmpty } ?? row.upperBound
    for index in start..<end { cells[index].text = " " }
  }
}

extension Charset {
  /// The ellipsis for omitted text.
  var ellipsis: String { self == .unicode ? "…" : "..." }

  /// `text` with a replacement for everything that the terminal cannot show or that would act on it, and without what
  /// is invisible.
  func shown(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy(\.isPrintableASCII) { return String(text) }
    let text = withoutInvisible(String(text))
    return switch self {
    case .unicode: escaped(text, where: \.actsOnTerminal) { _ in "\u{FFFD}" }
    case .ascii: ASCIITransliterator().ascii(text)
    }
  }

  /// As many of `names`, separated by commas, as fit in `rows` rows of `width` cells.
  ///
  /// An ellipsis marks names that did not fit. Names that the terminal cannot show are omitted silently.
  func listed(_ names: [String], width: Int, rows: Int) -> [String] {
    guard rows > 0 else { return [] }
    let names = names.filter { self == .unicode || !shown($0).contains("?") }
    let lines = wrapped(names.joined(separator: ", "), width: width)
    guard lines.count > rows else { return names.isEmpty ? [] : lines }
    var last = lines[rows - 1]
    while last.hasSuffix(",") || textWidth(last) + ellipsis.count + 1 > width, !last.isEmpty { last.removeLast() }
    return lines.prefix(rows - 1) + ["\(last) \(ellipsis)"]
  }

  /// `text` in lines of at most `width` cells, broken at spaces; a wider word is cut when it is painted.
  func wrapped(_ text: String, width: Int) -> [String] {
    Text.wrapped(shown(text), width: width, by: textWidth)
  }
}

extension UInt8 {
  /// Whether it is a printable ASCII character or a space.
  fileprivate var isPrintableASCII: Bool { self &- 0x20 < 0x5F }
}

/// The width of a text in cells, by ``cellWidth(_:)``; fast for ASCII, which needs no table.
func textWidth(_ text: String) -> Int {
  var text = text
  return text.withUTF8 { bytes in bytes.allSatisfy(\.isPrintableASCII) ? bytes.count : nil } ?? cellWidth(text)
}

/// The style of a cell by its meaning; its appearance depends on the terminal.
struct Style: Hashable, Sendable {
  /// The roles of a cell's text.
  enum Role: Hashable, Sendable, CaseIterable {
    case plain
    case faint
    case strong
    /// The part of a row that matches the filter.
    case match
    /// The heading of a part of the screen.
    case heading
    case problem
    /// The subject of a map.
    case mark
    /// A coast on a map.
    case coast
    /// Land on a map, plain and highlighted.
    case land, brightLand
  }

  var role: Role
  /// Whether it is part of the selection.
  var isSelected: Bool

  init(_ role: Role = .plain, isSelected: Bool = false) { (self.role, self.isSelected) = (role, isSelected) }

  static let plain = Style()
}
