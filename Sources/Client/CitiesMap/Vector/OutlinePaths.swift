internal import CitiesProtocol

/// The outlines that a view shows as polylines, cut at the picture's edges.
struct OutlinePaths {
  /// Points nearer to each other than this, in dots, are one: nobody sees the difference.
  private static let tolerance = 0.15

  let view: Viewport
  let scale: Outlines.Scale
  let unitsPerDegree: Double

  /// The polylines of one kind, in dots.
  ///
  /// - Complexity: O(lines + points of those that the view shows).
  func paths(of kind: Outlines.Kind) -> [[DotPoint]] {
    let box = view.box
    return scale.lines.filter { $0.kind == kind }.flatMap { line in
      view.turns(of: line, unitsPerDegree: unitsPerDegree).flatMap { turn in paths(of: line, east: turn, in: box) }
    }
  }

  private func paths(of line: Outlines.Line, east turn: Double, in box: Clipping) -> [[DotPoint]] {
    var paths: [[DotPoint]] = []
    var before: DotPoint?
    for point in scale.points[line.points] {
      let next = view.dot(of: point, unitsPerDegree: unitsPerDegree, east: turn)
      defer { before = next }
      guard let before, let piece = box.clipped(before, next) else { continue }
      if paths.last?.last == piece.start {
        paths[paths.count - 1].append(piece.end)
      } else {
        paths.append([piece.start, piece.end])
      }
    }
    return paths.map(Self.thinned)
  }

  /// The path without points that are hardly apart; its ends stay.
  private static func thinned(_ path: [DotPoint]) -> [DotPoint] {
    guard let first = path.first, let last = path.last else { return path }
    var kept = [first]
    for point in path.dropFirst().dropLast() {
      guard let before = kept.last else { break }
      if max(abs(point.x - before.x), abs(point.y - before.y)) >= tolerance { kept.append(point) }
    }
    return kept + [last]
  }
}

extension Viewport {
  /// The picture's ground: its edges, or the globe's where they come first.
  var box: Clipping {
    let (middle, half) = (Double(size.dotColumns) / 2, 180 / longitudePerDot)
    return Clipping(
      left: max(0, middle - half), right: min(2 * middle, middle + half), top: 0, bottom: Double(size.dotRows))
  }
}
