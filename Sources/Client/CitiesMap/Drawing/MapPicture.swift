/// A drawn map: cells with a character and what it belongs to, for whoever paints them.
package struct MapPicture: Hashable, Sendable {
  /// What a cell's character belongs to; a painter chooses colour and emphasis by it.
  package enum Layer: Hashable, Sendable {
    /// Nothing, a blank.
    case ground
    /// The grid of meridians and parallels, where outlines are no longer true; to be painted dim.
    case grid
    /// A border between countries; to be painted dim.
    case border
    /// A coast.
    case coast
    /// The sign of a mark.
    case mark(MapMark.Kind)
    /// The sign of the mark that the map is about.
    case chosenMark(MapMark.Kind)
    /// The label of a mark.
    case label
    /// The label of the mark that the map is about.
    case chosenLabel
    /// The coordinates of the grid.
    case text
  }

  /// One cell.
  package struct Cell: Hashable, Sendable {
    /// What stands in it: a character with its combining marks, a blank, or nothing where the character to the left is
    /// two cells wide.
    package var text: String
    /// What that belongs to.
    package var layer: Layer

    /// A blank.
    package static let blank = Cell(text: " ", layer: .ground)
  }

  /// How many cells there are.
  package let size: MapSize
  private var cells: [Cell]

  /// Blank cells.
  init(size: MapSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// The cell at a place in the picture.
  package internal(set) subscript(column: Int, row: Int) -> Cell {
    get { cells[row * size.columns + column] }
    set { cells[row * size.columns + column] = newValue }
  }

  /// The cells of a row, left to right.
  package func row(_ row: Int) -> ArraySlice<Cell> { cells[row * size.columns..<(row + 1) * size.columns] }

  /// The rows as text, without layers, and without blanks at their ends.
  package var lines: [String] {
    (0..<size.rows).map { row in
      var line = self.row(row).map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

/// What a map is drawn with.
package enum MapCharacters: Hashable, Sendable, CaseIterable {
  /// Braille patterns, two by four dots a cell (U+2800 and up), and other characters of Unicode.
  case braille
  /// ASCII alone, for terminals that do not speak UTF-8.
  case ascii
}
