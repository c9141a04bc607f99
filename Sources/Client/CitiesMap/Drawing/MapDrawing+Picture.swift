extension MapDrawing {
  /// Draws it: outlines or the grid, above them the signs of the marks, and labels where they cover neither a sign nor
  /// another label.
  ///
  /// - Complexity: O(cells + lines + points of the lines that are shown + marks × labels).
  package func picture() -> MapPicture {
    var picture = MapPicture(size: view.size)
    if let scale = outlines.scale(forMetresPerDot: view.metresPerDot) {
      var (coasts, borders) = (DotCanvas(size: view.size), DotCanvas(size: view.size))
      OutlinePainter(view: view, scale: scale, unitsPerDegree: outlines.unitsPerDegree)
        .draw(coasts: &coasts, borders: &borders)
      picture.paint(coasts, under: borders, characters)
    } else {
      paintGrid(on: &picture)
    }
    Labelling(drawing: self).paint(on: &picture)
    return picture
  }

  private func paintGrid(on picture: inout MapPicture) {
    let grid = Grid(view)
    var dots = DotCanvas(size: view.size)
    grid.draw(into: &dots)
    picture.paint(dots, as: .grid, characters)
    for lat in grid.parallels {
      let text = Coordinates.latitude(lat, step: grid.latitudeStep, characters)
      picture.write(MapText(text, characters), at: 0, Dot(view.dot(lat: lat, east: 0)).y / 4, .text)
    }
    for meridian in grid.meridians {
      let text = MapText(Coordinates.longitude(meridian.lon, step: grid.longitudeStep, characters), characters)
      let column = Dot(view.dot(lat: 0, east: meridian.east)).x / 2 - text.cells.count / 2
      // The left edge is the parallels'.
      if column >= 12 { picture.write(text, at: column, view.size.rows - 1, .text) }
    }
  }
}

extension MapPicture {
  /// Shows the dots of both rasters; where both have some, the cell is a coast's.
  mutating func paint(_ coasts: DotCanvas, under borders: DotCanvas, _ characters: MapCharacters) {
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
  mutating func write(_ text: MapText, at column: Int, _ row: Int, _ layer: Layer) {
    guard (0..<size.rows).contains(row) else { return }
    for (offset, cell) in text.cells.enumerated() where (0..<size.columns).contains(column + offset) {
      self[column + offset, row] = Cell(text: cell, layer: layer)
    }
  }
}

extension MapCharacters {
  /// The character for the dots of a cell; faint lines have lighter ones in ASCII, where they cannot be dashed.
  func text(_ dots: UInt8, isFaint: Bool) -> String {
    switch self {
    case .braille: String(Unicode.Scalar(UInt32(0x2800) + UInt32(dots)).map(Character.init) ?? " ")
    case .ascii: Self.ascii(dots, isFaint: isFaint)
    }
  }

  /// Upper dots are 0, 1, 3 and 4 of the bits, the others lie below the middle.
  private static func ascii(_ dots: UInt8, isFaint: Bool) -> String {
    let (upper, lower) = (dots & 0b0001_1011 != 0, dots & 0b1110_0100 != 0)
    if isFaint { return upper && lower ? ":" : upper ? "'" : "." }
    return upper && lower ? "#" : upper ? "\"" : "_"
  }
}
