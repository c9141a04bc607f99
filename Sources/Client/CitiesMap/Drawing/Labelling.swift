internal import CitiesProtocol
internal import Text

/// Puts signs and labels of marks on a picture, each where it covers nothing more important.
struct Labelling {
  /// Cells that a label may have at most.
  private static let maximumCells = 28
  /// Cells that are left of a label that had to be shortened, at least.
  private static let leastCells = 4

  let drawing: MapDrawing
  private let size: MapSize
  private var taken: Set<MapCell> = []
  private var placed: [(mark: MapMark, cell: MapCell, label: Placed?)] = []

  private struct Placed {
    var column: Int
    var row: Int
    var text: MapText
  }

  /// Finds a place for everything.
  ///
  /// Signs come first, for they say where something is; then labels, in the order of the marks, the chosen one's first.
  init(drawing: MapDrawing) {
    self.drawing = drawing
    size = drawing.view.size
    let marks = drawing.marks.filter(\.isChosen) + drawing.marks.filter { !$0.isChosen }
    for mark in marks where !mark.needsLabel { placeSign(of: mark) }
    for index in placed.indices { placed[index].label = placeLabel(of: placed[index].mark, at: placed[index].cell) }
    for mark in marks where mark.needsLabel { placeTogether(mark) }
  }

  /// Paints signs and labels.
  func paint(on picture: inout MapPicture) {
    for (mark, cell, label) in placed.reversed() {
      if mark.isChosen { paintBrackets(around: cell, on: &picture) }
      picture[cell.column, cell.row] = MapPicture.Cell(
        text: mark.kind.sign(drawing.characters), layer: mark.isChosen ? .chosenMark(mark.kind) : .mark(mark.kind))
      guard let label else { continue }
      picture.write(label.text, at: label.column, label.row, mark.isChosen ? .chosenLabel : .label)
    }
  }

  private func paintBrackets(around cell: MapCell, on picture: inout MapPicture) {
    for (offset, text) in [(-1, "["), (1, "]")] where (0..<size.columns).contains(cell.column + offset) {
      picture[cell.column + offset, cell.row] = MapPicture.Cell(text: text, layer: .chosenLabel)
    }
  }

  private mutating func placeSign(of mark: MapMark) {
    guard let cell = drawing.view.cell(of: mark.position) else { return }
    placed.append((mark, cell, nil))
    taken.insert(cell)
    if mark.isChosen { taken.formUnion([-1, 1].map { MapCell(column: cell.column + $0, row: cell.row) }) }
  }

  /// Places a mark that is nothing without its label.
  private mutating func placeTogether(_ mark: MapMark) {
    guard let cell = drawing.view.cell(of: mark.position), !taken.contains(cell) else { return }
    guard let label = placeLabel(of: mark, at: cell) else { return }
    taken.insert(cell)
    placed.append((mark, cell, label))
  }

  /// Finds room to the right, to the left, above and below, in that order, and takes it.
  private mutating func placeLabel(of mark: MapMark, at cell: MapCell) -> Placed? {
    var text = MapText(mark.label, drawing.characters)
    text.cut(to: Self.maximumCells, drawing.characters)
    guard !text.cells.isEmpty else { return nil }
    // A blank, or the bracket of the chosen mark and a blank.
    let gap = mark.isChosen ? 3 : 2
    let middle = cell.column - text.cells.count / 2
    let places = [
      (cell.column + gap, cell.row), (cell.column - gap - text.cells.count + 1, cell.row), (middle, cell.row - 1),
      (middle, cell.row + 1),
    ]
    for (column, row) in places where isFree(column, row, text.cells.count) { return take(text, column, row) }
    guard mark.isChosen else { return nil }
    // The label of what the map is about is rather shortened than left out.
    text.cut(to: size.columns - cell.column - gap, drawing.characters)
    guard text.cells.count >= Self.leastCells, isFree(cell.column + gap, cell.row, text.cells.count) else { return nil }
    return take(text, cell.column + gap, cell.row)
  }

  private mutating func take(_ text: MapText, _ column: Int, _ row: Int) -> Placed {
    taken.formUnion(text.cells.indices.map { MapCell(column: column + $0, row: row) })
    return Placed(column: column, row: row, text: text)
  }

  /// Whether a label fits in, with a free cell on either side.
  private func isFree(_ column: Int, _ row: Int, _ count: Int) -> Bool {
    guard (0..<size.rows).contains(row), column >= 0, column + count <= size.columns else { return false }
    return (column - 1...column + count).allSatisfy { !taken.contains(MapCell(column: $0, row: row)) }
  }
}
