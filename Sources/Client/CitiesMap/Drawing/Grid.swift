internal import CitiesProtocol

/// The grid of meridians and parallels that replaces outlines when they are too inaccurate.
struct Grid {
  /// The fewest columns between two meridians: room for a label and a gap.
  private static let leastColumns = 16

  let view: Viewport
  /// Degrees between two parallels.
  let latitudeStep: Double
  /// Degrees between two meridians.
  let longitudeStep: Double

  /// The grid for a view.
  init(_ view: Viewport) {
    self.view = view
    latitudeStep = RoundNumbers.least(from: Double(Self.leastColumns) * view.latitudePerDot * 2)
    longitudeStep = RoundNumbers.least(from: Double(Self.leastColumns) * view.longitudePerDot * 2)
  }

  /// The latitudes of the parallels in the picture.
  var parallels: [Double] {
    multiples(of: latitudeStep, from: view.centre.lat - view.degreesDown, to: view.centre.lat + view.degreesDown)
      .filter { (-90...90).contains($0) }
  }

  /// The meridians in the picture: degrees east of the centre's, and their longitudes.
  var meridians: [(east: Double, lon: Double)] {
    multiples(of: longitudeStep, from: view.centre.lon - view.degreesAcross, to: view.centre.lon + view.degreesAcross)
      .map { (east: $0 - view.centre.lon, lon: Globe.wrapped($0)) }
  }

  private func multiples(of step: Double, from first: Double, to last: Double) -> [Double] {
    let (low, high) = ((first / step).rounded(.up), (last / step).rounded(.down))
    guard low <= high, high - low < 10_000 else { return [] }
    return stride(from: low, through: high, by: 1).map { $0 * step }
  }

  /// Draws every second dot of the lines.
  func draw(into canvas: inout DotCanvas) {
    for lat in parallels {
      let row = Dot(view.dot(lat: lat, east: 0)).y
      for column in stride(from: view.globeColumns.lowerBound, through: view.globeColumns.upperBound, by: 2) {
        canvas.set(Dot(x: column, y: row))
      }
    }
    for meridian in meridians {
      let column = Dot(view.dot(lat: 0, east: meridian.east)).x
      for row in stride(from: 0, to: canvas.size.dotRows, by: 2) { canvas.set(Dot(x: column, y: row)) }
    }
  }
}

/// A scale bar of a round length, with the length as text.
struct ScaleBar {
  /// The distance it represents, in metres.
  let metres: Double
  /// Its length in dots.
  let dots: Double

  /// The bar for a view: at most a quarter of the picture, but long enough for its ends.
  init(_ view: Viewport) {
    metres = RoundNumbers.greatest(upTo: view.metresPerDot * max(6, Double(view.size.dotColumns) / 4))
    dots = metres / view.metresPerDot
  }

  /// `10,000 km`, `50 km`, `200 m`.
  var length: String {
    metres >= 1_000 ? "\(groupedText(UInt64(metres / 1_000))) km" : "\(fixed(metres, decimals: 0)) m"
  }

  /// The bar, in whole cells, and its length.
  func text(_ characters: Charset) -> String {
    let inner = max(0, Int((dots / 2).rounded()) - 2)
    let (left, line, right) = characters == .unicode ? ("├", "─", "┤") : ("|", "-", "|")
    return left + String(repeating: line, count: inner) + "\(right) \(length)"
  }
}

/// Formats coordinates for people.
enum Coordinates {
  /// `59.437° N`, with as many decimals as `step` needs.
  static func latitude(_ lat: Double, step: Double, _ characters: Charset) -> String {
    "\(degrees(lat, step: step, characters)) \(lat < 0 ? "S" : "N")"
  }

  /// `24.754° E`, with as many decimals as `step` needs.
  static func longitude(_ lon: Double, step: Double, _ characters: Charset) -> String {
    "\(degrees(lon, step: step, characters)) \(lon < 0 ? "W" : "E")"
  }

  /// Latitude and longitude.
  static func text(_ position: Position, step: Double, _ characters: Charset) -> String {
    "\(latitude(position.lat, step: step, characters)) \(longitude(position.lon, step: step, characters))"
  }

  private static func degrees(_ number: Double, step: Double, _ characters: Charset) -> String {
    var (decimals, unit) = (0, 1.0)
    while unit > step * 1.000_001, decimals < 6 { (decimals, unit) = (decimals + 1, unit / 10) }
    return fixed(abs(number), decimals: decimals) + (characters == .ascii ? "" : "°")
  }
}

/// Round numbers: 1, 2 and 5 times a power of ten.
enum RoundNumbers {
  /// The least round number that is at least `number`; 1 if `number` is not positive.
  static func least(from number: Double) -> Double {
    let power = power(upTo: number)
    return [power, 2 * power, 5 * power].first { $0 >= number } ?? 10 * power
  }

  /// The greatest round number that is at most `number`; 1 if `number` is not positive.
  static func greatest(upTo number: Double) -> Double {
    let power = power(upTo: number)
    return [5 * power, 2 * power].first { $0 <= number } ?? power
  }

  /// The greatest power of ten up to `number`.
  ///
  /// Negative powers are computed with a single division, so that they print exactly.
  private static func power(upTo number: Double) -> Double {
    guard number > 0, number.isFinite else { return 1 }
    var power = 1.0
    if number >= 1 {
      while power * 10 <= number { power *= 10 }
      return power
    }
    while 1 / power > number { power *= 10 }
    return 1 / power
  }
}

/// A number with a fixed number of decimals, at most 6, and without an exponent; halves are rounded away from zero.
///
/// Numbers beyond a billion are written as a billion.
func fixed(_ number: Double, decimals: Int) -> String {
  let factor = (0..<min(decimals, 6)).reduce(1) { product, _ in product * 10 }
  let scaled = Int((min(abs(number), 1e9) * Double(factor) + 0.5).rounded(.down))
  let sign = number < 0 && scaled > 0 ? "-" : ""
  guard factor > 1 else { return "\(sign)\(scaled)" }
  let fraction = "\(factor + scaled % factor)".dropFirst()
  return "\(sign)\(scaled / factor).\(fraction)"
}

/// A number with at most two decimals and no trailing zeros, for vector pictures.
func short(_ number: Double) -> String {
  var text = fixed(number, decimals: 2)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text == "-0" ? "0" : text
}
