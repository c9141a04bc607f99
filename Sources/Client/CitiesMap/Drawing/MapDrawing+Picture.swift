extension MapDrawing {
  /// Draws it.
  package func picture() -> MapPicture {
    var picture = MapPicture(size: view.size)
    for mark in marks.reversed() {
      guard let cell = view.cell(of: mark.position) else { continue }
      picture[cell.column, cell.row] = MapPicture.Cell(
        text: mark.kind.sign(characters), layer: mark.isChosen ? .chosenMark(mark.kind) : .mark(mark.kind))
    }
    return picture
  }
}
