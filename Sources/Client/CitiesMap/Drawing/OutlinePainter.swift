internal import CitiesProtocol

/// Draws the outlines that a view shows into rasters of dots, coasts and borders apart.
struct OutlinePainter {
  let view: Viewport
  let scale: Outlines.Scale
  let unitsPerDegree: Double

  /// Draws all lines.
  ///
  /// - Complexity: O(lines + points of those that the view shows).
  func draw(coasts: inout DotCanvas, borders: inout DotCanvas) {
    for line in scale.lines {
      for east in shifts(of: line) {
        switch line.kind {
        case .coast: draw(line, east: east, dashed: false, into: &coasts)
        case .border: draw(line, east: east, dashed: true, into: &borders)
        }
      }
    }
  }

  /// The turns around the globe, in degrees, at which the view shows something of a line's box.
  private func shifts(of line: Outlines.Line) -> [Double] {
    let (south, north) = (Double(line.south) / unitsPerDegree, Double(line.north) / unitsPerDegree)
    let reach = Double(view.size.dotRows) / 2 * view.latitudePerDot
    guard north >= view.centre.lat - reach, south <= view.centre.lat + reach else { return [] }
    let half = min(180, Double(view.size.dotColumns) / 2 * view.longitudePerDot)
    let (west, east) = (Double(line.west) / unitsPerDegree, Double(line.east) / unitsPerDegree)
    return [-360, 0, 360].filter { turn in
      east - view.centre.lon + turn >= -half && west - view.centre.lon + turn <= half
    }
  }

  private func draw(_ line: Outlines.Line, east turn: Double, dashed: Bool, into canvas: inout DotCanvas) {
    let window = view.globeColumns
    var before: Dot?
    var phase = 0
    for point in scale.points[line.points] {
      let dot = Dot(
        view.dot(
          lat: Double(point.lat) / unitsPerDegree, east: Double(point.lon) / unitsPerDegree - view.centre.lon + turn))
      if let before, before != dot || line.points.count == 2 {
        phase = canvas.line(from: before, to: dot, columns: window, dashes: dashed ? phase : nil)
      }
      before = dot
    }
  }
}

extension Viewport {
  /// The columns of dots that show ground: beyond them it would be the same ground once more.
  var globeColumns: ClosedRange<Int> {
    let half = 180 / longitudePerDot
    let middle = Double(size.dotColumns) / 2
    guard half < middle else { return 0...size.dotColumns - 1 }
    let first = Int((middle - half).rounded(.down))
    return first...max(first, Int((middle + half).rounded(.up)) - 1)
  }
}
