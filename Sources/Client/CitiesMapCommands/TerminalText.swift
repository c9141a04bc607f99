internal import CitiesMap

/// A drawn map as lines of text, emphasized where that is wanted: borders and the grid dim, what the map is about bold.
struct TerminalText {
  /// Whether escape sequences may be written.
  let isEmphasized: Bool

  /// The lines of `drawing`, each with its line feed.
  func text(of drawing: MapDrawing) -> String {
    let picture = drawing.picture()
    guard isEmphasized else { return (picture.lines + drawing.caption()).map { $0 + "\n" }.joined() }
    return (0..<picture.size.rows).map { line(picture.row($0)) + "\n" }.joined()
      + drawing.caption().map { $0 + "\n" }.joined()
  }

  /// One row without blanks at its end.
  private func line(_ cells: ArraySlice<MapPicture.Cell>) -> String {
    let end = cells.lastIndex { $0 != .blank }.map { $0 + 1 } ?? cells.startIndex
    var (line, current) = ("", "")
    for cell in cells[..<end] {
      let style = style(of: cell.layer)
      // A blank shows no emphasis, so that a run goes on over it.
      if style != current, cell.text != " " {
        line += (current.isEmpty ? "" : "\u{1B}[0m") + style
        current = style
      }
      line += cell.text
    }
    return line + (current.isEmpty ? "" : "\u{1B}[0m")
  }

  /// The sequence that begins a layer (ECMA-48 §8.3.117); empty for plain text.
  private func style(of layer: MapPicture.Layer) -> String {
    switch layer {
    case .grid, .border: "\u{1B}[2m"
    case .mark, .chosenMark, .chosenLabel: "\u{1B}[1m"
    case .ground, .coast, .label, .text: ""
    }
  }
}
