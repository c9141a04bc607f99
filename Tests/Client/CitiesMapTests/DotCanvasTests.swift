import TestSupport
import Testing

@testable import CitiesMap

@Suite struct DotCanvasTests {
  private let size = MapSize(columns: 9, rows: 4)

  private func isInside(_ dot: Dot) -> Bool {
    dot.x >= 0 && dot.y >= 0 && dot.x < size.dotColumns && dot.y < size.dotRows
  }

  @Test func `every dot sets its own bit`() {
    for y in -1...size.dotRows {
      for x in -1...size.dotColumns {
        var canvas = DotCanvas(size: size)
        canvas.set(Dot(x: x, y: y))
        #expect(canvas.dots == Set([Dot(x: x, y: y)].filter(isInside)))
      }
    }
  }

  @Test func `a braille character has the dots of its number`() {
    var canvas = DotCanvas(size: MapSize(columns: 1, rows: 1))
    for dot in [Dot(x: 0, y: 0), Dot(x: 1, y: 1), Dot(x: 0, y: 3), Dot(x: 1, y: 3)] { canvas.set(dot) }
    // BRAILLE PATTERN DOTS-1578
    #expect(Charset.unicode.text(canvas[0, 0], isFaint: false) == "\u{28D1}")
  }

  @Test func `random lines are those of bresenham wherever they are cut`() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<Thoroughness.count(2_000, ofAll: 20_000) {
      let range = Bool.random(using: &random) ? -6...24 : -200...200
      let ends = (0..<2).map { _ in
        Dot(x: .random(in: range, using: &random), y: .random(in: range, using: &random))
      }
      var (canvas, plain) = (DotCanvas(size: size), PlainRaster())
      canvas.line(from: ends[0], to: ends[1], columns: 0...size.dotColumns - 1)
      plain.line(from: ends[0], to: ends[1])
      #expect(canvas.dots == plain.dots.filter(isInside), "\(ends)")
    }
  }

  @Test func `dashes go on over the pieces of a line in a window`() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<2_000 {
      let points = (0..<5).map { _ in
        Dot(x: .random(in: -30...50, using: &random), y: .random(in: -30...50, using: &random))
      }
      let low = Int.random(in: 0..<18, using: &random)
      let window = low...Int.random(in: low..<18, using: &random)
      var (canvas, plain) = (DotCanvas(size: size), PlainRaster())
      var (phase, walked) = (0, 0)
      for (start, end) in zip(points, points.dropFirst()) {
        phase = canvas.line(from: start, to: end, columns: window, dashes: phase)
        plain.line(from: start, to: end) { ((walked + $0) / 2).isMultiple(of: 2) }
        walked += max(abs(end.x - start.x), abs(end.y - start.y))
      }
      #expect(canvas.dots == plain.dots.filter { isInside($0) && window.contains($0.x) })
    }
  }

  @Test func `dots of any distance are safe`() {
    let far = Dot(DotPoint(x: 1e300, y: -.infinity))
    #expect(far == Dot(x: 1_000_000_000, y: -1_000_000_000))
    var canvas = DotCanvas(size: size)
    canvas.line(from: far, to: Dot(DotPoint(x: -1e300, y: .infinity)), columns: 0...17)
    #expect(canvas.dots.count <= size.dotColumns)
  }
}
