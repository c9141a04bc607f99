package import CitiesProtocol
internal import Glibc

/// The part of the world that a map shows: its centre, its scale and its size in cells.
///
/// Longitudes are scaled by the cosine of the centre's latitude (an equirectangular projection with that latitude as
/// its standard parallel), so that shapes are true around the centre, where a dot covers a square of ground:
///
///     var view = Viewport.around(Position(lat: 59.437, lon: 24.754), in: MapSize(columns: 80, rows: 24))
///     view.cell(of: Position(lat: 59.437, lon: 24.754))     // the cell in the middle
///     view = view.zoomed(by: 0.5).panned(columns: 10, rows: 0)
///
/// A view that extends far north and south has a standard parallel between its middle and its edge, so that the world
/// has its usual proportions.
///
/// A viewport is always valid: the longitude of its centre is wrapped at the date line, it never extends beyond a pole,
/// and it shows the world at most once.
package struct Viewport: Equatable, Sendable {
  /// The closest view, in metres per dot.
  package static let minimumMetresPerDot = 1.0
  /// The default width of a map around a single place, in metres of ground.
  package static let usualWidth = 400_000.0
  /// The least width of a map fitted to several places, in metres of ground: neighbours in a street.
  package static let leastFittingWidth = 2_000.0
  /// The latitudes of a world map: without Antarctica, which has no cities.
  static let inhabited = -58.0...84.0
  /// The centre of the world map, chosen so that no land, not even Chukotka, is cut at the edges.
  private static let middle = Position(lat: 13, lon: 11)
  /// Degrees of latitude from the middle of the world map to its edge, and the standard parallel of such a view.
  private static let (reach, worldParallel) = (71.0, 45.0)

  /// The position in the middle.
  package let centre: Position
  /// The size of a dot in the middle, in metres of ground.
  package let metresPerDot: Double
  /// The size in cells.
  package let size: MapSize
  /// The cosine that longitudes are scaled by.
  private let shrink: Double

  /// A view, adjusted to the nearest valid one.
  ///
  /// Invalid numbers, such as NaN, mean the whole world around (0, 0).
  package init(centre: Position, metresPerDot: Double, size: MapSize) {
    let around = 360 * Globe.cosine(ofDegrees: Self.worldParallel) / Double(size.dotColumns)
    let widest = max(around, 2 * Self.reach / Double(size.dotRows)) * Globe.metresPerDegree
    let metres = metresPerDot.isFinite ? min(max(metresPerDot, Self.minimumMetresPerDot), widest) : widest
    let halfHeight = Double(size.dotRows) / 2 * metres / Globe.metresPerDegree
    let (south, north) = (min(halfHeight - 90, Self.middle.lat), max(90 - halfHeight, Self.middle.lat))
    let lat = centre.lat.isFinite ? min(max(centre.lat, south), north) : Self.middle.lat
    self.centre = Position(lat: lat, lon: centre.lon.isFinite ? Globe.wrapped(centre.lon) : 0)
    (self.metresPerDot, self.size) = (metres, size)
    shrink = Globe.cosine(ofDegrees: max(abs(lat), min(halfHeight, Self.reach) * Self.worldParallel / Self.reach))
  }

  /// The degrees of latitude that a dot covers.
  var latitudePerDot: Double { metresPerDot / Globe.metresPerDegree }
  /// The degrees of longitude that a dot covers.
  var longitudePerDot: Double { metresPerDot / Globe.metresPerDegree / shrink }
  /// The degrees of latitude from the middle of the picture to its upper and lower edge.
  var degreesDown: Double { Double(size.dotRows) / 2 * latitudePerDot }
  /// The degrees of longitude from its middle to its sides, or to those of the globe if they are nearer.
  var degreesAcross: Double { min(180, Double(size.dotColumns) / 2 * longitudePerDot) }
  /// The width of the picture in its middle, in metres of ground.
  package var width: Double { metresPerDot * Double(size.dotColumns) }
  /// Whether it shows most of the world, so that the map shows day and night.
  package var showsWorld: Bool { Double(size.dotColumns) * longitudePerDot >= 240 }
  /// The bounding box of the picture.
  package var area: CityWithin.Box {
    let isWhole = degreesAcross >= 180
    return CityWithin.Box(
      south: max(centre.lat - degreesDown, -90), west: isWhole ? -180 : Globe.wrapped(centre.lon - degreesAcross),
      north: min(centre.lat + degreesDown, 90), east: isWhole ? 180 : Globe.wrapped(centre.lon + degreesAcross))
  }

  /// The position of a place, in dots from the upper left corner; it may be outside the picture.
  ///
  /// Of the repetitions around the globe, the one nearest to the centre.
  func dot(of position: Position) -> DotPoint { dot(lat: position.lat, east: Globe.wrapped(position.lon - centre.lon)) }

  /// The position of a place `east` degrees east of the centre's meridian, without wrapping.
  func dot(lat: Double, east: Double) -> DotPoint {
    DotPoint(
      x: Double(size.dotColumns) / 2 + east / longitudePerDot,
      y: Double(size.dotRows) / 2 + (centre.lat - lat) / latitudePerDot)
  }

  /// The cell of a place; `nil` if the picture does not show it.
  package func cell(of position: Position) -> MapCell? {
    guard position.lat.isFinite, position.lon.isFinite else { return nil }
    let dot = dot(of: position)
    let (column, row) = ((dot.x / 2).rounded(.down), (dot.y / 4).rounded(.down))
    guard column >= 0, row >= 0, column < Double(size.columns), row < Double(size.rows) else { return nil }
    return MapCell(column: Int(column), row: Int(row))
  }

  /// The place in the middle of a cell; `nil` beyond a pole or the edge of the globe.
  package func position(of cell: MapCell) -> Position? {
    let east = (2 * Double(cell.column) + 1 - Double(size.dotColumns) / 2) * longitudePerDot
    let lat = centre.lat - (4 * Double(cell.row) + 2 - Double(size.dotRows) / 2) * latitudePerDot
    guard (-90...90).contains(lat), (-180...180).contains(east) else { return nil }
    return Position(lat: lat, lon: Globe.wrapped(centre.lon + east))
  }

  /// The cells, row by row.
  package var cells: [MapCell] {
    (0..<size.rows * size.columns).map { MapCell(column: $0 % size.columns, row: $0 / size.columns) }
  }
}

extension Viewport {
  /// The whole world.
  package static func world(in size: MapSize) -> Viewport {
    Viewport(centre: middle, metresPerDot: .infinity, size: size)
  }

  /// A place and its surroundings, ``usualWidth`` wide.
  package static func around(_ place: Position, width: Double = usualWidth, in size: MapSize) -> Viewport {
    Viewport(centre: place, metresPerDot: width / Double(size.dotColumns), size: size)
  }

  /// The closest view that shows all of `places`, with a margin for their marks and labels.
  ///
  /// A single place is shown `width` metres wide; without places, the whole world is shown. Across the date line, the
  /// view takes the shorter way round.
  ///
  /// - Complexity: O(n log n).
  package static func fitting(
    _ places: [Position], single width: Double = usualWidth, in size: MapSize
  ) -> Viewport {
    let places = places.filter { $0.lat.isFinite && $0.lon.isFinite }
    guard let first = places.first else { return .world(in: size) }
    let (south, north) = places.reduce((first.lat, first.lat)) { (min($0.0, $1.lat), max($0.1, $1.lat)) }
    let (west, east) = Globe.smallestArc(places.map(\.lon))
    let middle = Position(lat: (south + north) / 2, lon: west + (east - west) / 2)
    guard south < north || west < east else { return .around(middle, width: width, in: size) }
    // An eighth of the picture on each side is left for marks and labels.
    let down = (north - south) / (0.75 * Double(size.dotRows))
    let across = (east - west) * Globe.cosine(ofDegrees: middle.lat) / (0.75 * Double(size.dotColumns))
    let metres = max(down, across) * Globe.metresPerDegree
    return Viewport(centre: middle, metresPerDot: max(metres, leastFittingWidth / Double(size.dotColumns)), size: size)
  }

  /// The view with `factor` times the ground per dot; below 1, it is closer.
  ///
  /// The position in the cell `fixed`, by default the centre, keeps its place, as with a mouse wheel.
  package func zoomed(by factor: Double, about fixed: MapCell? = nil) -> Viewport {
    let zoomed = Viewport(centre: centre, metresPerDot: metresPerDot * factor, size: size)
    guard let fixed, let before = position(of: fixed), let after = zoomed.position(of: fixed) else { return zoomed }
    // Latitude first: the length of a degree of longitude depends on it.
    let moved = zoomed.centred(on: Position(lat: centre.lat + before.lat - after.lat, lon: centre.lon))
    guard let beside = moved.position(of: fixed) else { return moved }
    let lon = moved.centre.lon + Globe.wrapped(before.lon - beside.lon)
    return moved.centred(on: Position(lat: moved.centre.lat, lon: lon))
  }

  /// The view, moved by cells to the right and down.
  package func panned(columns: Int, rows: Int) -> Viewport {
    let lat = centre.lat - 4 * Double(rows) * latitudePerDot
    return centred(on: Position(lat: lat, lon: centre.lon + 2 * Double(columns) * longitudePerDot))
  }

  /// The view with another centre.
  package func centred(on place: Position) -> Viewport {
    Viewport(centre: place, metresPerDot: metresPerDot, size: size)
  }

  /// The view in a picture of another size, with the same ground per dot.
  package func resized(to size: MapSize) -> Viewport {
    Viewport(centre: centre, metresPerDot: metresPerDot, size: size)
  }
}

/// A cell of a terminal, counted from the upper left one, which is (0, 0).
package struct MapCell: Hashable, Sendable {
  /// Cells to the left of it.
  package var column: Int
  /// Cells above it.
  package var row: Int

  /// Makes a cell.
  package init(column: Int, row: Int) { (self.column, self.row) = (column, row) }
}

/// The size of a map in cells.
package struct MapSize: Hashable, Sendable {
  /// Cells in a row.
  package var columns: Int
  /// Rows.
  package var rows: Int

  /// Makes a size, clamped to at least one cell, and at most 2,000 columns and 1,000 rows: no terminal is larger, and
  /// memory is allocated for every cell.
  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (min(max(columns, 1), 2_000), min(max(rows, 1), 1_000))
  }

  /// Dots in a row: a cell is two dots wide.
  var dotColumns: Int { 2 * columns }
  /// Rows of dots: a cell is four dots high, so that dots are square if cells are twice as high as wide.
  var dotRows: Int { 4 * rows }
}

/// A point of the picture, in dots from its upper left corner; whole numbers are between dots.
struct DotPoint: Hashable {
  /// Dots to the right.
  var x: Double
  /// Dots down.
  var y: Double
}

/// The earth as a sphere with a radius of 6,371,008.8 m, as for distances.
enum Globe {
  /// Metres along a meridian for one degree.
  static let metresPerDegree = 6_371_008.8 * Double.pi / 180
  /// The least cosine for scaling longitudes: at a pole all of them would be in one dot.
  static let leastCosine = 0.01

  /// The cosine of a latitude, at least ``leastCosine``.
  static func cosine(ofDegrees lat: Double) -> Double { max(leastCosine, cos(lat * .pi / 180)) }

  /// The approximate distance between two places, as if the ground were flat between their parallels.
  static func metres(from one: Position, to other: Position) -> Double {
    let up = other.lat - one.lat
    let across = wrapped(other.lon - one.lon) * cosine(ofDegrees: (one.lat + other.lat) / 2)
    return (up * up + across * across).squareRoot() * metresPerDegree
  }

  /// A longitude in −180..<180 for any finite number of degrees.
  static func wrapped(_ lon: Double) -> Double {
    if lon >= -180 && lon < 180 { return lon }
    let turn = (lon + 180).truncatingRemainder(dividingBy: 360)
    let wrapped = (turn < 0 ? turn + 360 : turn) - 180
    // Rounding may turn a remainder just below zero into a full turn.
    return wrapped < 180 ? wrapped : -180
  }

  /// The smallest arc that contains all of `longitudes`, from `west` to `east`, which may exceed 180.
  ///
  /// It is the circle without the widest gap between neighbours.
  ///
  /// - Complexity: O(n log n).
  static func smallestArc(_ longitudes: [Double]) -> (west: Double, east: Double) {
    let sorted = longitudes.map(wrapped).sorted()
    guard let first = sorted.first, let last = sorted.last else { return (0, 0) }
    var (west, east, widest) = (first, last, first + 360 - last)
    for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > widest {
      (west, east, widest) = (right, left + 360, right - left)
    }
    return (west, east)
  }
}
