/// Cuts straight lines at a box, by the algorithm of Cohen and Sutherland.
struct Clipping {
  /// The box's edges, `left` ≤ `right` and `top` ≤ `bottom`; they belong to it.
  var (left, right, top, bottom): (Double, Double, Double, Double)

  /// On which sides of the box a point lies.
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
    // Each cut takes one side away from one end, so that eight are the most.
    for _ in 0...8 {
      let (first, last) = (sides(of: start), sides(of: end))
      if first.isEmpty && last.isEmpty { return (start, end) }
      guard first.isDisjoint(with: last) else { return nil }
      if first.isEmpty { end = cut(start, end, at: last) } else { start = cut(start, end, at: first) }
    }
    return nil
  }

  private func sides(of point: DotPoint) -> Sides {
    var sides: Sides = []
    if point.x < left { sides.insert(.left) } else if point.x > right { sides.insert(.right) }
    if point.y < top { sides.insert(.top) } else if point.y > bottom { sides.insert(.bottom) }
    return sides
  }

  /// Where the line meets one of the sides that an end of it lies beyond; it is set exactly, so that the end is inside
  /// afterwards.
  private func cut(_ start: DotPoint, _ end: DotPoint, at sides: Sides) -> DotPoint {
    if sides.contains(.left) || sides.contains(.right) {
      let x = sides.contains(.left) ? left : right
      return DotPoint(x: x, y: start.y + (end.y - start.y) * (x - start.x) / (end.x - start.x))
    }
    let y = sides.contains(.top) ? top : bottom
    return DotPoint(x: start.x + (end.x - start.x) * (y - start.y) / (end.y - start.y), y: y)
  }
}
