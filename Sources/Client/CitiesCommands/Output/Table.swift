internal import Text

/// Aligned columns with a header row, for people; amounts are aligned at the decimal point.
///
/// On a terminal, lines fit its width. Columns are left out by weight, lowest first, until the names fit, and other
/// texts if shortened to a recognizable width. Columns that the user has named are always shown.
struct Table<Row> {
  /// The columns, left to right.
  var columns: [ListingColumn<Row>]
  /// The headings of a row, the outermost first.
  var headings: ((Row) -> [String])?
  /// The looks of its parts; `nil` for plain text.
  var colours: Colours?
  /// The typed text, which is marked in names.
  var query = ""
  /// The maximum number of cells of a line; `nil` without a terminal.
  var width: Int?
  /// Whether columns may be left out.
  var mayDropColumns = true
  /// Whether a column without values is shown where there is room.
  var keepsColumns = false
  /// The mark for a shortened text, one cell wide.
  var ellipsis = "…"

  /// The spaces between two columns.
  private static var gap: String { "  " }

  /// Writes the header row and `rows`; nothing if there are none.
  ///
  /// - Complexity: O(rows × columns); all rows are laid out before the first is written.
  func write(_ rows: [Row], to output: OutputStream) throws(OutputError) {
    guard !rows.isEmpty else { return }
    let indent = String(repeating: " ", count: 2 * (headings?(rows[0]).count ?? 0))
    let layout = fitted(layout(of: rows), into: width.map { max(0, $0 - indent.count) })
    var open: [String] = []
    output.write(indent + line(layout.map(\.head), layout) { text, _ in painted(text, .head) } + "\n")
    let typed = colours == nil || query.isEmpty ? nil : MatchedPart(query)
    for (number, row) in rows.enumerated() {
      writeHeadings(of: row, open: &open, to: output)
      let cells = layout.map { $0.cells[number] }
      output.write(indent + line(cells, layout) { painted($0, layout[$1], number, typed) } + "\n")
      try output.endRow()
    }
  }

  /// The columns with a value in at least one row, as an empty one would be a gap: population, if the source has none.
  private func layout(of rows: [Row]) -> [ColumnLayout] {
    columns.compactMap { column in
      let cells = rows.map(column.value)
      return keepsColumns || cells.contains { $0 != .absent } ? ColumnLayout(column, cells) : nil
    }
  }

  /// Leaves out columns and shortens texts until lines fit in `limit` cells.
  private func fitted(_ layout: [ColumnLayout], into limit: Int?) -> [ColumnLayout] {
    guard let limit else { return layout }
    var layout = layout
    if mayDropColumns, total(of: layout.map { $0.neededWidth(limit / 2) }) > limit {
      layout.removeAll { $0.isEmpty }
    }
    // A name that takes more than half of a line does not displace a column.
    while mayDropColumns, total(of: layout.map { $0.neededWidth(limit / 2) }) > limit,
      let least = layout.dropFirst().map(\.weight).min(),
      least < .name || total(of: layout.map(\.smallestWidth)) > limit
    {
      leaveOut(&layout, least)
    }
    for isName in [false, true] {
      while total(of: layout.map(\.width)) > limit {
        // The widest text first, so that the remaining cells are shared evenly; names last.
        let shrinkable = layout.indices.filter {
          layout[$0].width > layout[$0].smallestWidth && (isName || layout[$0].weight != .name)
        }
        guard let widest = shrinkable.max(by: { layout[$0].width < layout[$1].width }) else { break }
        layout[widest].width -= 1
      }
    }
    return layout
  }

  private func leaveOut(_ layout: inout [ColumnLayout], _ least: ColumnWeight) {
    if least < .usual {
      layout.removeAll { $0.weight == least }
    } else if let last = layout.lastIndex(where: { $0.weight == least }) {
      layout.remove(at: last)
    }
  }

  private func total(of widths: [Int]) -> Int {
    widths.reduce(0, +) + Self.gap.count * max(0, widths.count - 1)
  }

  /// Writes those headings of a row that differ from the row before.
  private func writeHeadings(of row: Row, open: inout [String], to output: OutputStream) {
    guard let wanted = headings?(row), wanted != open else { return }
    let common = zip(wanted, open).prefix { $0 == $1 }.count
    for (level, heading) in wanted.enumerated().dropFirst(common) {
      let indent = String(repeating: " ", count: 2 * level)
      let text = visible(heading)
      let shown = width.map { shortened(text, to: max(1, $0 - indent.count)) } ?? text
      output.write(indent + painted(shown, .title) + "\n")
    }
    open = wanted
  }

  private func painted(_ text: String, _ look: Look) -> String { colours?.painted(text, look) ?? text }

  /// The text of a cell in row `number` of `column`, with its look; it may be shortened.
  private func painted(_ text: String, _ column: ColumnLayout, _ number: Int, _ typed: MatchedPart?) -> String {
    guard let colours else { return text }
    if column.form == .distance, let gap = text.lastIndex(of: " ") {
      return String(text[..<gap]) + colours.painted(text[gap...], .unit)
    }
    let look = column.looks[number]
    if let typed, column.weight >= .answer {
      let start = text.prefix(typed.count(in: text))
      let rest = text.dropFirst(start.count)
      guard let look else { return colours.painted(start, .match) + rest }
      return colours.painted(start, look, .match) + colours.painted(rest, look)
    }
    return look.map { colours.painted(text, $0) } ?? text
  }

  /// One line without trailing spaces; `paint` adds the look to the text of a cell, by the index of its column.
  private func line(_ cells: [TableCell], _ layout: [ColumnLayout], _ paint: (String, Int) -> String) -> String {
    var result = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { result += Self.gap }
      let column = layout[index]
      let shown = cell.width > column.width ? TableCell(shortened(cell.text, to: column.width)) : cell
      let blanks = String(repeating: " ", count: max(0, column.width - shown.width))
      if column.isNumber { result += blanks }
      result += paint(shown.text, index)
      if !column.isNumber { result += blanks }
    }
    while result.hasSuffix(" ") { result.removeLast() }
    return result
  }

  /// `text`, truncated with an ellipsis if it takes more than `width` cells.
  private func shortened(_ text: String, to width: Int) -> String {
    guard cellWidth(text) > width else { return text }
    var kept = ""
    var cells = 1
    for character in text {
      cells += cellWidth(String(character))
      guard cells <= width else { break }
      kept.append(character)
    }
    return kept + ellipsis
  }
}

/// A text with its width in cells, which is computed once.
private struct TableCell {
  let text: String
  let width: Int

  init(_ text: String) {
    self.text = text
    width = cellWidth(text)
  }
}

/// One column of a table.
private struct ColumnLayout {
  /// The cells to which a text may be shortened: enough to recognize a name or an address.
  private static let recognizableWidth = 16

  let head: TableCell
  let isEmpty: Bool
  let cells: [TableCell]
  /// The width in cells.
  var width: Int
  /// Whether it is right-aligned.
  let isNumber: Bool
  /// The least width in cells; numbers, times and ids are never shortened.
  let smallestWidth: Int
  let form: ValueForm
  let weight: ColumnWeight
  /// The looks of its cells on a terminal.
  let looks: [Look?]

  init<Row>(_ column: ListingColumn<Row>, _ values: [RowValue]) {
    let plain = values.map { visible(column.form.text(of: $0)) }
    cells = (values.contains(where: \.isAmount) ? Self.aligned(plain) : plain).map(TableCell.init)
    isEmpty = values.allSatisfy { $0 == .absent }
    head = TableCell(String(column.name.uppercased().map { $0.is("_") ? " " : $0 }))
    width = cells.reduce(head.width) { max($0, $1.width) }
    isNumber = values.allSatisfy { $0.isNumber || $0 == .absent }
    (form, weight, looks) = (column.form, column.weight, values.map(column.look))
    smallestWidth = isNumber || form == .whole ? width : min(width, max(Self.recognizableWidth, head.width))
  }

  /// The width for which columns of less weight are left out: for a name, its full width up to `most`.
  func neededWidth(_ most: Int) -> Int { weight == .name ? max(smallestWidth, min(width, most)) : smallestWidth }

  /// Pads amounts with spaces, so that all have as many characters after the point as the longest.
  private static func aligned(_ amounts: [String]) -> [String] {
    let fractions = amounts.map { amount in
      amount.utf8.firstIndex(of: UInt8(ascii: ".")).map { amount.utf8[$0...].count } ?? 0
    }
    let longest = fractions.max() ?? 0
    return zip(amounts, fractions).map { $0 + String(repeating: " ", count: longest - $1) }
  }
}

/// The form of a column's values in a table; every other format has them unchanged.
package enum ValueForm {
  case plain
  /// A text that would mislead if shortened, such as a time or an id: it is left out instead.
  case whole
  /// A count with its digits in groups of three: `9,312,000`.
  case grouped
  /// Metres: `981 m`, `2.7 km`, `1,204 km`.
  case distance

  /// The text of `value`, without escapes.
  func text(of value: RowValue) -> String {
    guard case .count(let count) = value else { return value.plain }
    switch self {
    case .plain, .whole: return value.plain
    case .grouped: return groupedText(count)
    case .distance: return Self.distance(count)
    }
  }

  /// A distance for people, in whole metres, kilometres to one decimal place, or whole kilometres: `2.7 km`.
  package static func distance(_ metres: UInt64) -> String {
    if metres < 1_000 { return "\(metres) m" }
    let tenths = (metres / 50 + 1) / 2
    if tenths < 1_000 { return "\(tenths / 10).\(tenths % 10) km" }
    return "\(groupedText((metres / 500 + 1) / 2)) km"
  }
}
