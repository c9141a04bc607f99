import TestSupport
import Testing

@testable import CitiesMap

@Suite struct ClippingTests {
  private let box = Clipping(left: -3, right: 7, top: 2, bottom: 5)

  /// The part of a line within the box by its parameters: from 0 to 1, what each edge takes away from both ends.
  private func plain(_ start: DotPoint, _ end: DotPoint) -> (DotPoint, DotPoint)? {
    var (first, last) = (0.0, 1.0)
    for (from, to, low, high) in [(start.x, end.x, box.left, box.right), (start.y, end.y, box.top, box.bottom)] {
      if from == to {
        guard (low...high).contains(from) else { return nil }
      } else {
        let at = [(low - from) / (to - from), (high - from) / (to - from)].sorted()
        (first, last) = (max(first, at[0]), min(last, at[1]))
      }
    }
    guard first <= last else { return nil }
    let ends = [first, last].map { DotPoint(x: start.x + (end.x - start.x) * $0, y: start.y + (end.y - start.y) * $0) }
    return (ends[0], ends[1])
  }

  private func isNear(_ one: DotPoint, _ other: DotPoint) -> Bool {
    abs(one.x - other.x) < 1e-6 && abs(one.y - other.y) < 1e-6
  }

  @Test func `an area is cut at each edge`() {
    let around = [(-9.0, 0.0), (9, 0), (9, 9), (-9, 9)].map { DotPoint(x: $0, y: $1) }
    let corners = Set([(-3.0, 2.0), (7, 2), (7, 5), (-3, 5)].map { DotPoint(x: $0, y: $1) })
    #expect(Set(box.clipped(ring: around)) == corners)
    #expect(box.clipped(ring: around.map { DotPoint(x: $0.x, y: $0.y + 9) }).isEmpty)
    #expect(box.clipped(ring: [(0.0, 3.0), (1, 3), (1, 4)].map { DotPoint(x: $0, y: $1) }).count == 3)
    #expect(box.clipped(ring: []).isEmpty)
  }

  @Test func `random lines are cut as by their parameters`() {
    var random = SeededGenerator(seed: 4)
    var shown = 0
    for round in 0..<50_000 {
      let ends = (0..<2).map { _ in
        // Whole numbers hit edges and corners.
        round.isMultiple(of: 2)
          ? DotPoint(
            x: Double(Int.random(in: -9...13, using: &random)), y: Double(Int.random(in: -4...11, using: &random)))
          : DotPoint(x: .random(in: -50...50, using: &random), y: .random(in: -50...50, using: &random))
      }
      let (cut, wanted) = (box.clipped(ends[0], ends[1]), plain(ends[0], ends[1]))
      if let cut, let wanted {
        #expect(isNear(cut.start, wanted.0) && isNear(cut.end, wanted.1), "\(ends)")
        shown += 1
      } else if let one = cut.map({ ($0.start, $0.end) }) ?? wanted {
        // Both may differ by rounding alone, about a line that touches a corner.
        #expect(isNear(one.0, one.1), "\(ends)")
      }
    }
    #expect(shown > 5_000)
  }

  @Test func `what is cut lies in the box exactly`() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<20_000 {
      let ends = (0..<2).map { _ in
        DotPoint(x: .random(in: -1e9...1e9, using: &random), y: .random(in: -9...9, using: &random))
      }
      guard let cut = box.clipped(ends[0], ends[1]) else { continue }
      for point in [cut.start, cut.end] {
        #expect((box.left...box.right).contains(point.x) && (box.top...box.bottom).contains(point.y))
      }
    }
  }
}
