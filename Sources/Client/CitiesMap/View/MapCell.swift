/// A cell of a terminal, counted from the upper left one, which is (0, 0).
package struct MapCell: Hashable, Sendable {
  /// Cells to the left of it.
  package var column: Int
  /// Cells above it.
  package var row: Int

  /// Names a cell.
  package init(column: Int, row: Int) { (self.column, self.row) = (column, row) }
}

/// How many cells a map has.
package struct MapSize: Hashable, Sendable {
  /// The most columns and rows: a wider map is no picture for a terminal, and memory is taken for every cell.
  package static let maximum = MapSize(columns: 2_000, rows: 1_000)

  /// Cells in a row.
  package var columns: Int
  /// Rows.
  package var rows: Int

  /// Names a size, taken to at least one cell and at most ``maximum``.
  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (min(max(columns, 1), 2_000), min(max(rows, 1), 1_000))
  }

  /// Dots in a row: a cell is two dots wide.
  var dotColumns: Int { 2 * columns }
  /// Rows of dots: a cell is four dots high, so that dots are as wide as high where cells are twice as high as wide.
  var dotRows: Int { 4 * rows }
}
