internal import CitiesProtocol

/// The plain grid of meridians and parallels that stands where outlines are no longer true.
struct Grid {
  /// Cells that two lines of it are at least apart, across: room for a label and for what is between.
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

  /// The parallels in the picture: their latitudes.
  var parallels: [Double] {
    let reach = Double(view.size.dotRows) / 2 * view.latitudePerDot
    return multiples(of: latitudeStep, from: view.centre.lat - reach, to: view.centre.lat + reach)
      .filter { (-90...90).contains($0) }
  }

  /// The meridians in the picture: degrees east of the centre's, and their longitudes.
  var meridians: [(east: Double, lon: Double)] {
    let reach = min(180, Double(view.size.dotColumns) / 2 * view.longitudePerDot)
    return multiples(of: longitudeStep, from: view.centre.lon - reach, to: view.centre.lon + reach)
      .map { (east: $0 - view.centre.lon, lon: Globe.wrapped($0)) }
  }

  private func multiples(of step: Double, from first: Double, to last: Double) -> [Double] {
    let (low, high) = ((first / step).rounded(.up), (last / step).rounded(.down))
    guard low <= high, high - low < 10_000 else { return [] }
    return stride(from: low, through: high, by: 1).map { $0 * step }
  }

  /// Sets every second dot of its lines.
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
