/// The dots of a straight line: one for each step along its longer direction, the nearest to the line there.
///
/// These are the dots of Bresenham's algorithm; each is computed for itself, so that a line may begin anywhere.
struct DotLine {
  private let start: Dot
  private let (across, down): (Int, Int)

  /// Steps from the first dot to the last.
  let count: Int

  /// The line from `start` to `end`, both within a billion dots.
  init(from start: Dot, to end: Dot) {
    self.start = start
    (across, down) = (end.x - start.x, end.y - start.y)
    count = max(abs(across), abs(down))
  }

  /// The dot at a step from 0 to ``count``; halves are taken away from the start.
  subscript(step: Int) -> Dot {
    guard count > 0 else { return start }
    return Dot(x: start.x + moved(across, step), y: start.y + moved(down, step))
  }

  private func moved(_ distance: Int, _ step: Int) -> Int {
    (2 * step * abs(distance) + count) / (2 * count) * distance.signum()
  }

  /// The steps whose dots may lie in a window: all that do, and, along the shorter direction, some that do not.
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
