/// How large signs and labels are, in the units that they are placed by.
struct LabelMetrics {
  /// Dots in a unit, across and down.
  let (across, down): (Int, Int)
  /// Units that a label is high.
  let height: Int
  /// Half units that a character's cell is wide in a label.
  private let halvesPerCell: Int
  /// Units from a sign's middle to its edges, besides the middle itself.
  private let sign: (across: Int, down: Int)
  /// The same for the chosen mark, whose sign stands in brackets or in a ring.
  private let chosenSign: (across: Int, down: Int)

  /// For a picture of characters: a unit is a cell.
  static let cells = LabelMetrics(
    across: 2, down: 4, height: 1, halvesPerCell: 2, sign: (0, 0), chosenSign: (1, 0))
  /// For a vector picture: a unit is a dot, five of the picture's units, and its letters are about eight of those wide.
  static let dots = LabelMetrics(
    across: 1, down: 1, height: 4, halvesPerCell: 3, sign: (1, 1), chosenSign: (2, 2))

  /// The units that a mark's sign takes beside its middle.
  func reach(of mark: MapMark) -> (across: Int, down: Int) { mark.isChosen ? chosenSign : sign }

  /// The units that a label is wide.
  func width(of text: MapText) -> Int { (text.cells.count * halvesPerCell + 1) / 2 }
}

/// A rectangle of whole units.
struct UnitBox: Equatable {
  var (column, row, columns, rows): (Int, Int, Int, Int)

  /// All units in it.
  var units: [MapCell] {
    (row..<row + rows).flatMap { row in (column..<column + columns).map { MapCell(column: $0, row: row) } }
  }

  /// The box with so many units more on the left and on the right.
  func widened(by margin: Int) -> UnitBox {
    UnitBox(column: column - margin, row: row, columns: columns + 2 * margin, rows: rows)
  }
}
