internal import CitiesProtocol

extension MapDrawing {
  /// Draws it: outlines or the grid, above them the signs of the marks, and labels where they cover neither a sign nor
  /// another label.
  ///
  /// - Complexity: O(cells + lines + points of the lines that are shown + cells of all labels).
  package func picture() -> MapPicture {
    var picture = MapPicture(size: view.size)
    if let scale = outlines.scale(forMetresPerDot: view.metresPerDot) {
      var (coasts, borders) = (DotCanvas(size: view.size), DotCanvas(size: view.size))
      OutlinePainter(view: view, scale: scale, unitsPerDegree: outlines.unitsPerDegree)
        .draw(coasts: &coasts, borders: &borders)
      picture.paint(coasts, over: borders, characters)
    } else {
      paintGrid(on: &picture)
    }
    picture.paint(Labelling(self).placed, characters)
    return picture
  }

  private func paintGrid(on picture: inout MapPicture) {
    let grid = Grid(view)
    var dots = DotCanvas(size: view.size)
    grid.draw(into: &dots)
    picture.paint(dots, as: .grid, characters)
    var leftmost = 0
    for lat in grid.parallels {
      let text = MapText(Coordinates.latitude(lat, step: grid.latitudeStep, characters), characters)
      picture.write(text, at: MapCell(column: 0, row: Dot(view.dot(lat: lat, east: 0)).y / 4), .text)
      leftmost = max(leftmost, text.cells.count + 1)
    }
    for meridian in grid.meridians {
      let text = MapText(Coordinates.longitude(meridian.lon, step: grid.longitudeStep, characters), characters)
      let column = Dot(view.dot(lat: 0, east: meridian.east)).x / 2 - text.cells.count / 2
      // The left edge is the parallels'.
      guard column >= leftmost else { continue }
      picture.write(text, at: MapCell(column: column, row: view.size.rows - 1), .text)
    }
  }
}
