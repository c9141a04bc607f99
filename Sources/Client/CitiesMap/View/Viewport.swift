package import CitiesProtocol

/// The part of the world that a map shows: its centre, how much ground a dot covers, and how many cells there are.
///
/// Longitudes are scaled by the cosine of the centre's latitude (an equirectangular projection with that latitude as its
/// standard parallel), so that shapes are true around the centre and the ground of a dot is as wide as high there:
///
///     var view = Viewport.around(Position(lat: 59.437, lon: 24.754), in: MapSize(columns: 80, rows: 24))
///     view.cell(of: Position(lat: 59.437, lon: 24.754))     // the cell in the middle
///     view = view.zoomed(by: 0.5).panned(columns: 10, rows: 0)
///
/// A viewport is always possible: the longitude of its centre is wrapped at the date line, no pole leaves the picture
/// towards its middle, and it shows at most the whole world, once.
package struct Viewport: Equatable, Sendable {
  /// The closest view, in metres a dot.
  package static let minimumMetresPerDot = 1.0
  /// The ground that the width of a map covers around a single place, in metres, if nothing else is asked for.
  package static let usualWidth = 400_000.0
  /// The least ground that the width covers where several places are fitted in, in metres: neighbours in a street.
  package static let leastFittingWidth = 2_000.0

  /// What lies in the middle.
  package let centre: Position
  /// The ground that a dot covers in the middle, in metres, across as well as down.
  package let metresPerDot: Double
  /// How many cells there are.
  package let size: MapSize
  /// The cosine that longitudes are scaled by.
  private let shrink: Double

  /// A view, taken to the nearest possible one.
  ///
  /// Numbers that are none, such as NaN, stand for the whole world around (0, 0).
  package init(centre: Position, metresPerDot: Double, size: MapSize) {
    let widest = max(360 / Double(size.dotColumns), 180 / Double(size.dotRows)) * Globe.metresPerDegree
    let metres = metresPerDot.isFinite ? min(max(metresPerDot, Self.minimumMetresPerDot), widest) : widest
    let halfHeight = Double(size.dotRows) / 2 * metres / Globe.metresPerDegree
    let most = max(0, 90 - halfHeight)
    let lat = centre.lat.isFinite ? min(max(centre.lat, -most), most) : 0
    self.centre = Position(lat: lat, lon: centre.lon.isFinite ? Globe.wrapped(centre.lon) : 0)
    (self.metresPerDot, self.size) = (metres, size)
    shrink = Globe.cosine(ofDegrees: lat)
  }

  /// The degrees of latitude that a dot covers.
  var latitudePerDot: Double { metresPerDot / Globe.metresPerDegree }
  /// The degrees of longitude that a dot covers.
  var longitudePerDot: Double { metresPerDot / Globe.metresPerDegree / shrink }
  /// The ground that the width of the picture covers in its middle, in metres.
  package var width: Double { metresPerDot * Double(size.dotColumns) }
  /// The ground from the middle of the picture to its corners, in metres.
  package var reach: Double {
    let (across, down) = (Double(size.dotColumns), Double(size.dotRows))
    return metresPerDot * (across * across + down * down).squareRoot() / 2
  }

  /// Where a place lies, in dots from the upper left corner; it may lie outside of the picture.
  ///
  /// Of the places that one longitude has around the globe it is the nearest to the centre.
  func dot(of position: Position) -> DotPoint { dot(lat: position.lat, east: Globe.wrapped(position.lon - centre.lon)) }

  /// Where a place lies that is `east` degrees east of the centre's meridian, without wrapping.
  func dot(lat: Double, east: Double) -> DotPoint {
    DotPoint(
      x: Double(size.dotColumns) / 2 + east / longitudePerDot,
      y: Double(size.dotRows) / 2 + (centre.lat - lat) / latitudePerDot)
  }

  /// The cell that a place lies in, or `nil` if the picture does not show it.
  package func cell(of position: Position) -> MapCell? {
    guard position.lat.isFinite, position.lon.isFinite else { return nil }
    let dot = dot(of: position)
    let (column, row) = ((dot.x / 2).rounded(.down), (dot.y / 4).rounded(.down))
    guard column >= 0, row >= 0, column < Double(size.columns), row < Double(size.rows) else { return nil }
    return MapCell(column: Int(column), row: Int(row))
  }

  /// The place in the middle of a cell, or `nil` where the picture shows no ground, beyond a pole or around the globe.
  package func position(of cell: MapCell) -> Position? {
    let east = (2 * Double(cell.column) + 1 - Double(size.dotColumns) / 2) * longitudePerDot
    let lat = centre.lat - (4 * Double(cell.row) + 2 - Double(size.dotRows) / 2) * latitudePerDot
    guard (-90...90).contains(lat), (-180...180).contains(east) else { return nil }
    return Position(lat: lat, lon: Globe.wrapped(centre.lon + east))
  }
}
