extension MapPicture {
  /// Shows the dots of both rasters; where both have some, the cell is a coast's.
  mutating func paint(_ coasts: DotCanvas, over borders: DotCanvas, _ characters: MapCharacters) {
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let (coast, border) = (coasts[column, row], borders[column, row])
        guard coast | border != 0 else { continue }
        self[column, row] = Cell(
          text: characters.text(coast | border, isFaint: coast == 0), layer: coast == 0 ? .border : .coast)
      }
    }
  }

  /// Shows the dots of a raster.
  mutating func paint(_ dots: DotCanvas, as layer: Layer, _ characters: MapCharacters) {
    for row in 0..<size.rows {
      for column in 0..<size.columns where dots[column, row] != 0 {
        self[column, row] = Cell(text: characters.text(dots[column, row], isFaint: true), layer: layer)
      }
    }
  }

  /// Writes a text from a cell on; what does not fit into the row is left out.
  mutating func write(_ text: MapText, at first: MapCell, _ layer: Layer) {
    guard (0..<size.rows).contains(first.row) else { return }
    for (offset, cell) in text.cells.enumerated() where (0..<size.columns).contains(first.column + offset) {
      self[first.column + offset, first.row] = Cell(text: cell, layer: layer)
    }
  }

  /// Shows signs and labels, the most important above the others.
  mutating func paint(_ marks: [PlacedMark], _ characters: MapCharacters) {
    for placed in marks.reversed() {
      let (mark, cell) = (placed.mark, placed.unit)
      if mark.isChosen { paintBrackets(around: cell) }
      self[cell.column, cell.row] = Cell(
        text: mark.kind.sign(characters), layer: mark.isChosen ? .chosenMark(mark.kind) : .mark(mark.kind))
      guard let label = placed.label else { continue }
      write(
        label.text, at: MapCell(column: label.box.column, row: label.box.row), mark.isChosen ? .chosenLabel : .label)
      clearGap(of: label)
    }
  }

  /// Keeps the outlines away from between a sign and its label beside it.
  private mutating func clearGap(of label: PlacedLabel) {
    switch label.side {
    case .right: self[label.box.column - 1, label.box.row] = .blank
    case .left: self[label.box.column + label.box.columns, label.box.row] = .blank
    case .above, .below: break
    }
  }

  private mutating func paintBrackets(around cell: MapCell) {
    for (offset, text) in [(-1, "["), (1, "]")] where (0..<size.columns).contains(cell.column + offset) {
      self[cell.column + offset, cell.row] = Cell(text: text, layer: .chosenLabel)
    }
  }
}

extension MapCharacters {
  /// The character for the dots of a cell; faint lines have lighter ones in ASCII.
  func text(_ dots: UInt8, isFaint: Bool) -> String {
    switch self {
    case .braille: Unicode.Scalar(0x2800 + UInt32(dots)).map { String($0) } ?? " "
    case .ascii: Self.ascii(dots, isFaint: isFaint)
    }
  }

  /// Upper dots are the bits 0, 1, 3 and 4; the others lie below the middle.
  private static func ascii(_ dots: UInt8, isFaint: Bool) -> String {
    let (upper, lower) = (dots & 0b0001_1011 != 0, dots & 0b1110_0100 != 0)
    if isFaint { return upper && lower ? ":" : upper ? "'" : "." }
    return upper && lower ? "#" : upper ? "\"" : "_"
  }
}
