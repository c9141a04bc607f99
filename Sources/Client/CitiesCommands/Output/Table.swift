internal import Text

/// Aligned columns with a head line, for people.
struct Table<Row> {
  /// The columns, left to right.
  var columns: [Column<Row>]
  /// Whether the head line is emphasized.
  var colour: Bool

  /// Blanks between two columns.
  private static var gap: String { "  " }

  /// Writes the head line and `rows`; nothing at all if there are none.
  ///
  /// - Complexity: O(rows × columns); all rows are laid out before the first is written.
  func write(_ rows: [Row], to output: Output) throws(OutputError) {
    guard !rows.isEmpty else { return }
    let cells = rows.map { row in columns.map { $0.value(row) } }
    // A column without a single value would be a gap, as population is where the source has none.
    let shown = columns.indices.filter { index in cells.contains { $0[index] != .absent } }
    let texts = cells.map { row in shown.map { visible(row[$0].plain) } }
    let heads = shown.map { columns[$0].name.uppercased() }
    let isNumber = shown.map { index in cells.allSatisfy { $0[index].isNumber || $0[index] == .absent } }
    let widths = heads.indices.map { index in
      texts.reduce(cellWidth(heads[index])) { max($0, cellWidth($1[index])) }
    }
    let head = line(heads, widths, isNumber)
    output.write(colour ? "\u{1B}[1m\(head)\u{1B}[0m\n" : head + "\n")
    for row in texts {
      output.write(line(row, widths, isNumber) + "\n")
      try output.endRow()
    }
  }

  /// One line without blanks at its end.
  private func line(_ texts: [String], _ widths: [Int], _ isNumber: [Bool]) -> String {
    var result = ""
    for (index, text) in texts.enumerated() {
      if index > 0 { result += Self.gap }
      let blanks = String(repeating: " ", count: max(0, widths[index] - cellWidth(text)))
      result += isNumber[index] ? blanks + text : text + blanks
    }
    while result.last == " " { result.removeLast() }
    return result
  }
}
