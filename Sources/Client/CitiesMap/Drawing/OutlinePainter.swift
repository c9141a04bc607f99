internal import CitiesProtocol

/// Draws the outlines that a view shows into rasters of dots, coasts and borders apart.
struct OutlinePainter {
  let view: Viewport
  let scale: Outlines.Scale
  let unitsPerDegree: Double

  /// Draws all lines; borders are dashed.
  ///
  /// - Complexity: O(lines + points of those that the view shows).
  func draw(coasts: inout DotCanvas, borders: inout DotCanvas) {
    for line in scale.lines {
      for turn in view.turns(of: line, unitsPerDegree: unitsPerDegree) {
        switch line.kind {
        case .coast: draw(line, east: turn, into: &coasts)
        case .border: draw(line, east: turn, dashed: true, into: &borders)
        }
      }
    }
  }

  private func draw(_ line: Outlines.Line, east turn: Double, dashed: Bool = false, into canvas: inout DotCanvas) {
    let window = view.globeColumns
    var before: Dot?
    var phase = 0
    for point in scale.points[line.points] {
      let dot = Dot(view.dot(of: point, unitsPerDegree: unitsPerDegree, east: turn))
      if let before {
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

  /// Where a point of the outlines lies, `turn` degrees around the globe.
  func dot(of point: Outlines.Point, unitsPerDegree: Double, east turn: Double) -> DotPoint {
    dot(lat: Double(point.lat) / unitsPerDegree, east: Double(point.lon) / unitsPerDegree - centre.lon + turn)
  }

  /// The turns around the globe, in degrees, at which the picture may show something of a line.
  func turns(of line: Outlines.Line, unitsPerDegree: Double) -> [Double] {
    let (south, north) = (Double(line.south) / unitsPerDegree, Double(line.north) / unitsPerDegree)
    let reach = Double(size.dotRows) / 2 * latitudePerDot
    guard north >= centre.lat - reach, south <= centre.lat + reach else { return [] }
    let half = min(180, Double(size.dotColumns) / 2 * longitudePerDot)
    let (west, east) = (Double(line.west) / unitsPerDegree, Double(line.east) / unitsPerDegree)
    return [-360, 0, 360].filter { turn in
      east - centre.lon + turn >= -half && west - centre.lon + turn <= half
    }
  }
}
