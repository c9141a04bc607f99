@testable import CitiesMap

/// Dots in a set, drawn without any short cut: what the raster of bits is compared with.
struct PlainRaster {
  var dots: Set<Dot> = []

  /// Bresenham's line by its error term, as in every textbook; ties are taken away from the start.
  mutating func line(from start: Dot, to end: Dot, isSet: (Int) -> Bool = { _ in true }) {
    let (dx, dy) = (abs(end.x - start.x), abs(end.y - start.y))
    let (right, down) = ((end.x - start.x).signum(), (end.y - start.y).signum())
    var dot = start
    var error = 0
    for step in 0...max(dx, dy) {
      if isSet(step) { dots.insert(dot) }
      if dx >= dy {
        dot.x += right
        error += 2 * dy
        if error >= dx, dx > 0 { (dot.y, error) = (dot.y + down, error - 2 * dx) }
      } else {
        dot.y += down
        error += 2 * dx
        if error >= dy { (dot.x, error) = (dot.x + right, error - 2 * dy) }
      }
    }
  }
}

extension DotCanvas {
  /// The dots that are set, each found by its braille number: dots 1 to 3 and 7 down the left, 4 to 6 and 8 the right.
  var dots: Set<Dot> {
    let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    var dots: Set<Dot> = []
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        for (number, place) in places.enumerated() where self[column, row] & 1 << UInt8(number) != 0 {
          dots.insert(Dot(x: 2 * column + place.0, y: 4 * row + place.1))
        }
      }
    }
    return dots
  }
}
