internal import Text

/// Aligned columns with a head line, for people; amounts stand with their points below each other.
struct Table<Row> {
  /// The columns, left to right.
  var columns: [ListingColumn<Row>]
  /// Under which headings a row stands, the outermost first.
  var headings: ((Row) -> [String])?
  /// Whether the head line and headings are emphasized.
  var colour: Bool

  /// Blanks between two columns.
  private static var gap: String { "  " }

  /// Writes the head line and `rows`; nothing at all if there are none.
  ///
  /// - Complexity: O(rows × columns); all rows are laid out before the first is written.
  func write(_ rows: [Row], to output: OutputStream) throws(OutputError) {
    guard !rows.isEmpty else { return }
    let cells = rows.map { row in columns.map { $0.value(row) } }
    // A column without a single value would be a gap, as population is where the source has none.
    let shown = columns.indices.filter { index in cells.contains { $0[index] != .absent } }
    let laidOut = shown.map { index in ColumnLayout(columns[index].name, cells.map { $0[index] }) }
    var open: [String] = []
    let indent = String(repeating: " ", count: 2 * (headings?(rows[0]).count ?? 0))
    writeEmphasized(indent + line(laidOut.map(\.head), laidOut), to: output)
    for (number, row) in rows.enumerated() {
      writeHeadings(of: row, open: &open, to: output)
      output.write(indent + line(laidOut.map { $0.texts[number] }, laidOut) + "\n")
      try output.endRow()
    }
  }

  /// Writes what of a row's headings is not that of the row before.
  private func writeHeadings(of row: Row, open: inout [String], to output: OutputStream) {
    guard let wanted = headings?(row), wanted != open else { return }
    let common = zip(wanted, open).prefix { $0 == $1 }.count
    for (level, heading) in wanted.enumerated().dropFirst(common) {
      writeEmphasized(String(repeating: " ", count: 2 * level) + visible(heading), to: output)
    }
    open = wanted
  }

  private func writeEmphasized(_ text: String, to output: OutputStream) {
    output.write(colour ? "\u{1B}[1m\(text)\u{1B}[0m\n" : text + "\n")
  }

  /// One line without blanks at its end.
  private func line(_ texts: [String], _ columns: [ColumnLayout]) -> String {
    var result = ""
    for (index, text) in texts.enumerated() {
      if index > 0 { result += Self.gap }
      let blanks = String(repeating: " ", count: max(0, columns[index].width - cellWidth(text)))
      result += columns[index].isNumber ? blanks + text : text + blanks
    }
    while result.last == " " { result.removeLast() }
    return result
  }
}

/// One column as it stands in a table.
private struct ColumnLayout {
  let head: String
  let texts: [String]
  let width: Int
  /// Whether it stands at the right.
  let isNumber: Bool

  init(_ name: String, _ cells: [RowValue]) {
    let plain = cells.map { visible($0.plain) }
    texts = cells.contains(where: \.isAmount) ? Self.aligned(plain) : plain
    head = name.uppercased()
    width = texts.reduce(cellWidth(head)) { max($0, cellWidth($1)) }
    isNumber = cells.allSatisfy { $0.isNumber || $0 == .absent }
  }

  /// Amounts padded with blanks, so that all have as many characters after the point as the longest.
  private static func aligned(_ amounts: [String]) -> [String] {
    let fractions = amounts.map { amount in
      amount.utf8.firstIndex(of: UInt8(ascii: ".")).map { amount.utf8[$0...].count } ?? 0
    }
    let longest = fractions.max() ?? 0
    return zip(amounts, fractions).map { $0 + String(repeating: " ", count: longest - $1) }
  }
}
