internal import CitiesProtocol

/// A raster of dots, two by four per cell, for drawing lines.
///
/// The bits of a cell are those of its braille pattern (Unicode, block Braille Patterns): dots 1, 2, 3 and 7 down the
/// left column are bits 0, 1, 2 and 6; dots 4, 5, 6 and 8 down the right one are bits 3, 4, 5 and 7.
struct DotCanvas {
  /// The bits of a cell's dots by row, left and right.
  private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  /// The size in cells.
  let size: MapSize
  private(set) var cells: [UInt8]

  init(size: MapSize) {
    self.size = size
    cells = Array(repeating: 0, count: size.columns * size.rows)
  }

  /// The dots of a cell.
  subscript(column: Int, row: Int) -> UInt8 { cells[row * size.columns + column] }

  /// Sets a dot, if it is within the canvas.
  mutating func set(_ dot: Dot) {
    guard dot.x >= 0, dot.y >= 0, dot.x < size.dotColumns, dot.y < size.dotRows else { return }
    cells[(dot.y / 4) * size.columns + dot.x / 2] |= Self.bits[dot.y % 4][dot.x % 2]
  }

  /// Draws a line, both ends included, clipped to `window` and the canvas.
  ///
  /// The dots are those of the unclipped line. Dashed lines set only half of them, two by two, counted from `phase`, so
  /// that the dashes of a polyline are continuous.
  ///
  /// - Returns: the phase for the next segment.
  /// - Complexity: O(1) for a line outside the canvas, else O(dots of the canvas along the line).
  @discardableResult
  mutating func line(from start: Dot, to end: Dot, columns window: ClosedRange<Int>, dashes phase: Int? = nil) -> Int {
    let line = DotLine(from: start, to: end)
    let across = max(window.lowerBound, 0)...max(min(window.upperBound, size.dotColumns - 1), max(window.lowerBound, 0))
    for step in line.steps(across: across, down: 0...size.dotRows - 1) {
      if let phase, (phase + step) & 2 != 0 { continue }
      let dot = line[step]
      if across.contains(dot.x) { set(dot) }
    }
    return (phase ?? 0) + line.count
  }
}

/// A dot of a picture, counted from the upper left one.
struct Dot: Hashable {
  var x: Int
  var y: Int

  /// Coordinates are clamped to this, more dots than any picture has, so that sums do not overflow.
  private static let farthest = 1e9

  init(x: Int, y: Int) { (self.x, self.y) = (x, y) }

  /// The dot that contains a point.
  init(_ point: DotPoint) {
    x = Int(min(max(point.x.rounded(.down), -Self.farthest), Self.farthest))
    y = Int(min(max(point.y.rounded(.down), -Self.farthest), Self.farthest))
  }
}

/// The dots of a straight line: the nearest one for each step along its longer direction.
///
/// These are the dots of Bresenham's algorithm, computed independently, so that drawing may start at any step.
struct DotLine {
  private let start: Dot
  private let (across, down): (Int, Int)

  /// Steps from the first dot to the last.
  let count: Int

  /// The line from `start` to `end`, both with coordinates of at most a billion.
  init(from start: Dot, to end: Dot) {
    self.start = start
    (across, down) = (end.x - start.x, end.y - start.y)
    count = max(abs(across), abs(down))
  }

  /// The dot at a step from 0 to ``count``; halves are rounded away from the start.
  subscript(step: Int) -> Dot {
    guard count > 0 else { return start }
    return Dot(x: start.x + moved(across, step), y: start.y + moved(down, step))
  }

  private func moved(_ distance: Int, _ step: Int) -> Int {
    (2 * step * abs(distance) + count) / (2 * count) * distance.signum()
  }

  /// The steps whose dots may be in a window: all that are, and some that miss it in the shorter direction.
  func steps(across window: ClosedRange<Int>, down other: ClosedRange<Int>) -> ClosedRange<Int>.SubSequence {
    let isOutside =
      max(start.x, start.x + across) < window.lowerBound || min(start.x, start.x + across) > window.upperBound
      || max(start.y, start.y + down) < other.lowerBound || min(start.y, start.y + down) > other.upperBound
    guard !isOutside else { return (0...0).dropFirst() }
    let (first, distance, range) = abs(across) >= abs(down) ? (start.x, across, window) : (start.y, down, other)
    // Along the longer direction a step is exactly one dot.
    let (low, high) =
      distance >= 0
      ? (range.lowerBound - first, range.upperBound - first) : (first - range.upperBound, first - range.lowerBound)
    guard max(low, 0) <= min(high, count) else { return (0...0).dropFirst() }
    return (max(low, 0)...min(high, count))[...]
  }
}

extension Viewport {
  /// The outlines of a kind as dots; borders are dashed.
  ///
  /// - Complexity: O(lines + points of visible lines).
  func dots(of kind: Outlines.Kind, in scale: Outlines.Scale) -> DotCanvas {
    let window = globeColumns
    var canvas = DotCanvas(size: size)
    for line in scale.lines where line.kind == kind {
      for turn in turns(of: line) {
        var phase = 0
        forEachStretch(of: line, in: scale, east: turn) { start, end in
          phase = canvas.line(
            from: Dot(start), to: Dot(end), columns: window, dashes: kind == .border ? phase : nil)
        }
      }
    }
    return canvas
  }

  /// The columns of dots that show the globe once; beyond them it would repeat.
  var globeColumns: ClosedRange<Int> {
    let half = 180 / longitudePerDot
    let middle = Double(size.dotColumns) / 2
    guard half < middle else { return 0...size.dotColumns - 1 }
    let first = Int((middle - half).rounded(.down))
    return first...max(first, Int((middle + half).rounded(.up)) - 1)
  }

  /// Calls `body` with the ends of each segment of a line, shifted by `turn` degrees.
  func forEachStretch(
    of line: Outlines.Line, in scale: Outlines.Scale, east turn: Double, _ body: (DotPoint, DotPoint) -> Void
  ) {
    var before: DotPoint?
    for point in scale.points[line.points] {
      let (lat, lon) = (Double(point.lat) / scale.unitsPerDegree, Double(point.lon) / scale.unitsPerDegree)
      let next = dot(lat: lat, east: lon - centre.lon + turn)
      if let before { body(before, next) }
      before = next
    }
  }

  /// Whether a line is not entirely south of the picture.
  func shows(_ line: Outlines.Line) -> Bool {
    let edge = centre.lat - degreesDown
    return line.north >= (showsWorld ? max(edge, Self.inhabited.lowerBound) : edge)
  }

  /// The multiples of 360 degrees by which a line must be shifted to appear in the picture.
  func turns(of line: Outlines.Line) -> [Double] {
    shows(line) && line.south <= centre.lat + degreesDown ? turns(around: line) : []
  }

  /// The multiples of 360 degrees by which a line must be shifted to meet the picture's meridians.
  func turns(around line: Outlines.Line) -> [Double] {
    [-360, 0, 360].filter { turn in
      line.east - centre.lon + turn >= -degreesAcross && line.west - centre.lon + turn <= degreesAcross
    }
  }
}
