extension Viewport {
  /// Points nearer to each other than this, in dots, are merged: the difference is invisible.
  private static let tolerance = 0.2

  /// The outlines of a kind as polylines in dots, clipped at the picture's edges.
  ///
  /// - Complexity: O(lines + points of visible lines).
  func paths(of kind: Outlines.Kind, in scale: Outlines.Scale) -> [[DotPoint]] {
    scale.lines.filter { $0.kind == kind }.flatMap { line in
      turns(of: line).flatMap { turn in paths(of: line, in: scale, east: turn) }
    }
  }

  private func paths(of line: Outlines.Line, in scale: Outlines.Scale, east turn: Double) -> [[DotPoint]] {
    var paths: [[DotPoint]] = []
    let box = box
    forEachStretch(of: line, in: scale, east: turn) { start, end in
      guard let piece = box.clipped(start, end) else { return }
      if paths.last?.last == piece.start {
        paths[paths.count - 1].append(piece.end)
      } else {
        paths.append([piece.start, piece.end])
      }
    }
    return paths.map(Self.thinned).filter { $0.count > 2 || $0.first != $0.last }
  }

  /// The areas within lines of the given kind, in dots, clipped at the picture's edges.
  ///
  /// Points are rounded to the same positions in all areas, so that neighbours have no gap between them.
  ///
  /// - Complexity: O(lines + points of visible lines).
  func areas(in scale: Outlines.Scale, _ isShown: (Outlines.Kind) -> Bool) -> [[DotPoint]] {
    let box = box
    return scale.lines.filter { isShown($0.kind) }.flatMap { line in
      turns(of: line).compactMap { turn in
        var ring: [DotPoint] = []
        forEachStretch(of: line, in: scale, east: turn) { _, end in
          let point = DotPoint(x: Self.rounded(end.x), y: Self.rounded(end.y))
          if ring.last != point { ring.append(point) }
        }
        let clipped = box.clipped(ring: ring)
        return clipped.count > 2 ? clipped : nil
      }
    }
  }

  private static func rounded(_ dots: Double) -> Double { (dots / tolerance).rounded() * tolerance }

  /// The path without almost coincident points; its ends stay.
  private static func thinned(_ path: [DotPoint]) -> [DotPoint] {
    guard let first = path.first, let last = path.last else { return path }
    var kept = [first]
    for point in path.dropFirst().dropLast() {
      guard let before = kept.last else { break }
      if max(abs(point.x - before.x), abs(point.y - before.y)) >= tolerance { kept.append(point) }
    }
    return kept + [last]
  }

  /// The picture's edges, or the globe's if they are nearer.
  var box: Clipping {
    let (middle, half) = (Double(size.dotColumns) / 2, 180 / longitudePerDot)
    return Clipping(
      left: max(0, middle - half), right: min(2 * middle, middle + half), top: 0, bottom: Double(size.dotRows))
  }
}

/// Clips straight lines to a box, by the algorithm of Cohen and Sutherland.
struct Clipping {
  /// The box's edges, `left` ≤ `right` and `top` ≤ `bottom`, which are part of it.
  var (left, right, top, bottom): (Double, Double, Double, Double)

  /// The sides of the box beyond which a point lies.
  private struct Sides: OptionSet {
    let rawValue: UInt8
    static let left = Sides(rawValue: 1)
    static let right = Sides(rawValue: 2)
    static let top = Sides(rawValue: 4)
    static let bottom = Sides(rawValue: 8)
  }

  /// The part of a line within the box, or `nil` if there is none.
  func clipped(_ start: DotPoint, _ end: DotPoint) -> (start: DotPoint, end: DotPoint)? {
    var (start, end) = (start, end)
    // Each cut removes one side from one end, so there are at most eight.
    for _ in 0...8 {
      let (first, last) = (sides(of: start), sides(of: end))
      if first.isEmpty && last.isEmpty { return (start, end) }
      guard first.isDisjoint(with: last) else { return nil }
      if first.isEmpty { end = cut(start, end, at: last) } else { start = cut(start, end, at: first) }
    }
    return nil
  }

  /// The part of a closed ring's area within the box, by the algorithm of Sutherland and Hodgman.
  func clipped(ring: [DotPoint]) -> [DotPoint] {
    [Sides.left, .right, .top, .bottom].reduce(ring) { ring, side in
      guard var before = ring.last else { return [] }
      var kept: [DotPoint] = []
      for point in ring {
        let isOutside = sides(of: point).contains(side)
        if isOutside != sides(of: before).contains(side) { kept.append(cut(before, point, at: side)) }
        if !isOutside { kept.append(point) }
        before = point
      }
      return kept
    }
  }

  private func sides(of point: DotPoint) -> Sides {
    var sides: Sides = []
    if point.x < left { sides.insert(.left) } else if point.x > right { sides.insert(.right) }
    if point.y < top { sides.insert(.top) } else if point.y > bottom { sides.insert(.bottom) }
    return sides
  }

  /// The intersection with one of the given sides, exactly on that side, so that the new end is inside.
  private func cut(_ start: DotPoint, _ end: DotPoint, at sides: Sides) -> DotPoint {
    if sides.contains(.left) || sides.contains(.right) {
      let x = sides.contains(.left) ? left : right
      return DotPoint(x: x, y: start.y + (end.y - start.y) * (x - start.x) / (end.x - start.x))
    }
    let y = sides.contains(.top) ? top : bottom
    return DotPoint(x: start.x + (end.x - start.x) * (y - start.y) / (end.y - start.y), y: y)
  }
}
