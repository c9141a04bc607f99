/// The map to draw.
///
///     let drawing = MapDrawing(view: view, marks: marks, outlines: .embedded(), characters: .unicode)
///     for line in drawing.picture().lines + drawing.caption() { … }
package struct MapDrawing: Sendable {
  /// The part of the world.
  package var view: Viewport
  /// The marks, most important first: of overlapping labels, the later one is left out.
  package var marks: [MapMark]
  /// Coasts and borders.
  package var outlines: Outlines
  /// The characters to draw with.
  package var characters: Charset
  /// The cells, row by row, whose land is highlighted; `nil` if none is.
  package var bright: [Bool]?

  /// Makes a map; a world map highlights where it is day at `moment`, in seconds since 1970.
  package init(
    view: Viewport, marks: [MapMark], outlines: Outlines, characters: Charset, at moment: Int64? = nil
  ) {
    (self.view, self.marks, self.outlines, self.characters) = (view, marks, outlines, characters)
    guard let moment, view.showsWorld else { return }
    let sun = Sun(at: Double(moment))
    bright = view.cells.map { cell in view.position(of: cell).map { sun.altitude(at: $0) > 0 } ?? false }
  }
}

extension MapDrawing {
  /// The lines below the picture, no wider than it: the scale bar with the coordinates of the map's subject (else of
  /// the middle), a legend if there are signs other than cities', and a note if outlines are too inaccurate to draw.
  ///
  /// If coasts may be off by more than a row, the scale says so, if there is room.
  package func caption() -> [String] {
    let scale = ScaleBar(view).text(characters)
    var line = joined(scale, coordinates)
    if note == nil, 4 * view.metresPerDot < Outlines.accuracy {
      let rough = "\(scale), coasts to \(Int(Outlines.accuracy / 1_000)) km"
      if rough.count + 2 + coordinates.count <= view.size.columns { line = joined(rough, coordinates) }
    }
    let lines = [line, legend, note].compactMap { $0 }
    return lines.map { line in
      var text = MapText(line, characters)
      text.cut(to: view.size.columns, characters)
      return text.cells.joined()
    }
  }

  /// The kinds of marks that the view shows.
  var kinds: [MapMark.Kind] {
    let shown = marks.filter { view.cell(of: $0.position) != nil }.map(\.kind)
    return MapMark.Kind.allCases.filter(shown.contains)
  }

  private var legend: String? {
    guard view.showsWorld || kinds.contains(where: { !$0.isCity && $0 != .here }) else { return nil }
    let signs = kinds.map { "\($0.sign(characters)) \($0.meaning)" }
    return (signs + (bright != nil && view.showsWorld ? ["solid land: day"] : [])).joined(separator: "  ")
  }

  /// The coordinates of the map's subject, else of its middle, as precise as a dot.
  var coordinates: String {
    let place = marks.first { $0.isChosen }?.position ?? view.centre
    return Coordinates.text(place, step: view.latitudePerDot, characters)
  }

  /// A note on marks that the picture cannot show; `nil` if it shows all.
  package var note: String? {
    guard view.metresPerDot < Outlines.finestMetresPerDot else { return nil }
    return "a plan without streets: places on a grid; coasts are too coarse at this zoom"
  }

  /// Aligns both to the ends of a line; only the first if there is no room.
  private func joined(_ left: String, _ right: String) -> String {
    let blanks = view.size.columns - left.count - right.count
    return blanks < 2 ? left : left + String(repeating: " ", count: blanks) + right
  }

  /// Draws outlines or the grid, then the signs of the marks, and labels that cover neither a sign nor another label.
  ///
  /// - Complexity: O(cells + lines + points of visible lines + cells of all labels).
  package func picture() -> MapPicture {
    var picture = MapPicture(size: view.size)
    if let scale = outlines.scale(forMetresPerDot: view.metresPerDot) {
      // On a world map, borders would be as dense as the lattice of land.
      let borders = view.showsWorld ? DotCanvas(size: view.size) : view.dots(of: .border, in: scale)
      let land = LandMask(view, scale)
      picture.paint(
        view.dots(of: .coast, in: scale), over: borders, on: land.dots, bright: bright, characters)
    } else {
      paintGrid(on: &picture)
    }
    let text = view.cells.filter { picture[$0.column, $0.row].layer == .text }
    picture.paint(Labelling(self, keeping: Set(text)).placed, characters)
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
      // The left edge is for the parallels' labels.
      guard column >= leftmost else { continue }
      picture.write(text, at: MapCell(column: column, row: view.size.rows - 1), .text)
    }
  }
}
