internal import CitiesProtocol

/// A mark that the picture shows.
struct PlacedMark {
  var mark: MapMark
  /// Where its sign stands.
  var cell: MapCell
  /// Its label, if there is room for it.
  var label: PlacedLabel?
}

/// Where a label stands.
struct PlacedLabel {
  /// On which side of its sign.
  enum Side { case right, left, above, below }

  var side: Side
  /// The first cell.
  var cell: MapCell
  var text: MapText
}

/// Finds places for signs and labels, each where it covers nothing more important.
struct Labelling {
  /// Cells that a label may have at most.
  private static let maximumCells = 28
  /// Cells that are left of a label that had to be shortened, at least.
  private static let leastCells = 4
  /// Cells of the picture for each mark that is there for its label alone: more of them would hide the map.
  private static let cellsPerName = 120

  /// What is shown, the most important first.
  private(set) var placed: [PlacedMark] = []
  /// What is drawn.
  let drawing: MapDrawing
  private let size: MapSize
  private var taken: Set<MapCell> = []

  /// Finds a place for everything.
  ///
  /// Signs come first, for they say where something is; then labels, in the order of the marks, the chosen one's first.
  ///
  /// - Complexity: O(marks × cells of a label).
  init(_ drawing: MapDrawing) {
    self.drawing = drawing
    size = drawing.view.size
    let marks = drawing.marks.filter(\.isChosen) + drawing.marks.filter { !$0.isChosen }
    for mark in marks where !mark.needsLabel { placeSign(of: mark) }
    for index in placed.indices { placed[index].label = placeLabel(of: placed[index].mark, at: placed[index].cell) }
    var names = max(4, size.columns * size.rows / Self.cellsPerName)
    for mark in marks where mark.needsLabel && names > 0 && placeTogether(mark) { names -= 1 }
  }

  private mutating func placeSign(of mark: MapMark) {
    guard let cell = drawing.view.cell(of: mark.position) else { return }
    placed.append(PlacedMark(mark: mark, cell: cell))
    taken.insert(cell)
    // The chosen one's sign stands in brackets.
    if mark.isChosen { taken.formUnion([-1, 1].map { MapCell(column: cell.column + $0, row: cell.row) }) }
  }

  /// Places a mark that is nothing without its label.
  private mutating func placeTogether(_ mark: MapMark) -> Bool {
    guard let cell = drawing.view.cell(of: mark.position), !taken.contains(cell) else { return false }
    guard let label = placeLabel(of: mark, at: cell) else { return false }
    taken.insert(cell)
    placed.append(PlacedMark(mark: mark, cell: cell, label: label))
    return true
  }

  /// Finds room to the right, to the left, above and below, in that order, and takes it.
  private mutating func placeLabel(of mark: MapMark, at cell: MapCell) -> PlacedLabel? {
    var text = MapText(mark.label, drawing.characters)
    text.cut(to: Self.maximumCells, drawing.characters)
    guard !text.cells.isEmpty else { return nil }
    // A blank, or a bracket and a blank.
    let gap = mark.isChosen ? 3 : 2
    let middle = cell.column - text.cells.count / 2
    let places = [
      (PlacedLabel.Side.right, cell.column + gap, cell.row),
      (.left, cell.column - gap - text.cells.count + 1, cell.row),
      (.above, middle, cell.row - 1), (.below, middle, cell.row + 1),
    ]
    for (side, column, row) in places where isFree(column, row, text.cells.count) {
      return take(text, side, MapCell(column: column, row: row))
    }
    guard mark.isChosen else { return nil }
    // The label of what the map is about is rather shortened than left out.
    text.cut(to: size.columns - cell.column - gap, drawing.characters)
    guard text.cells.count >= Self.leastCells, isFree(cell.column + gap, cell.row, text.cells.count) else { return nil }
    return take(text, .right, MapCell(column: cell.column + gap, row: cell.row))
  }

  private mutating func take(_ text: MapText, _ side: PlacedLabel.Side, _ cell: MapCell) -> PlacedLabel {
    taken.formUnion(text.cells.indices.map { MapCell(column: cell.column + $0, row: cell.row) })
    return PlacedLabel(side: side, cell: cell, text: text)
  }

  /// Whether a label fits in, with a free cell on either side.
  private func isFree(_ column: Int, _ row: Int, _ count: Int) -> Bool {
    guard (0..<size.rows).contains(row), column >= 0, column + count <= size.columns else { return false }
    return (column - 1...column + count).allSatisfy { !taken.contains(MapCell(column: $0, row: row)) }
  }
}
