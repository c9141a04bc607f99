/// The dots of a view on land.
///
/// In each column of dots, from the north pole down, every crossing of a coast switches between sea and land.
struct LandMask {
  /// Lines of fewer points enclose no land: the source has two stray ones.
  private static let fewestPoints = 4

  private let view: Viewport
  /// Whether a dot differs from the one above, sea or land, row by row.
  private var changes: [Bool]

  /// Finds the land of a view.
  ///
  /// - Complexity: O(lines + points of the coasts in or north of the view + dots).
  init(_ view: Viewport, _ scale: Outlines.Scale) {
    self.view = view
    changes = Array(repeating: false, count: view.size.dotColumns * view.size.dotRows)
    for line in scale.lines where line.kind == .coast && view.shows(line) {
      let points = scale.points[line.points]
      // A closed line north of the picture crosses each column an even number of times.
      let isNorth = points.first == points.last && view.dot(lat: line.south, east: 0).y < 0
      guard points.count >= Self.fewestPoints, !isNorth else { continue }
      for turn in view.turns(around: line) { cross(line, in: scale, east: turn) }
    }
  }

  /// Notes where a coast crosses columns of dots.
  private mutating func cross(_ line: Outlines.Line, in scale: Outlines.Scale, east turn: Double) {
    let (view, window) = (view, view.globeColumns)
    view.forEachStretch(of: line, in: scale, east: turn) { before, next in
      // A point exactly in the middle of a column belongs to the segment on its left.
      let first = max((min(before.x, next.x) - 0.5).rounded(.up), Double(window.lowerBound))
      let last = min((max(before.x, next.x) - 0.5).rounded(.up) - 1, Double(window.upperBound))
      guard first <= last else { return }
      for column in Int(first)...Int(last) {
        let y = before.y + (next.y - before.y) * (Double(column) + 0.5 - before.x) / (next.x - before.x)
        let row = max(0, (y - 0.5).rounded(.up))
        guard row < Double(view.size.dotRows) else { continue }
        changes[Int(row) * view.size.dotColumns + column].toggle()
      }
    }
  }

  /// The dots on land.
  var dots: DotCanvas {
    var canvas = DotCanvas(size: view.size)
    var isLand = Array(repeating: false, count: view.size.dotColumns)
    let south = view.showsWorld ? Viewport.inhabited.lowerBound : -90
    let rows = min(Double(view.size.dotRows), max(0, view.dot(lat: south, east: 0).y))
    for row in 0..<Int(rows) {
      for column in isLand.indices {
        if changes[row * isLand.count + column] { isLand[column].toggle() }
        if isLand[column] { canvas.set(Dot(x: column, y: row)) }
      }
    }
    return canvas
  }
}
