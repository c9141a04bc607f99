package import CitiesProtocol
internal import Glibc

/// The part of the world that a map shows: its centre, how much ground a dot covers, and how many cells there are.
///
/// Longitudes are scaled by the cosine of the centre's latitude (an equirectangular projection with that latitude as
/// its standard parallel), so that shapes are true around the centre and the ground of a dot is as wide as high there:
///
///     var view = Viewport.around(Position(lat: 59.437, lon: 24.754), in: MapSize(columns: 80, rows: 24))
///     view.cell(of: Position(lat: 59.437, lon: 24.754))     // the cell in the middle
///     view = view.zoomed(by: 0.5).panned(columns: 10, rows: 0)
///
/// A view that reaches far to north and south has a standard parallel between its middle and its edge, so that the
/// world is not wider than it looks on other maps.
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
  /// The latitudes that the world is shown with: without Antarctica, where nobody has a city.
  static let inhabited = -58.0...84.0
  /// The middle of the world, by which neither Chukotka nor another land is cut at the edges.
  private static let middle = Position(lat: 13, lon: 11)
  /// Degrees from the world's middle to its edge, and the standard parallel of a view that reaches so far.
  private static let (reach, worldParallel) = (71.0, 45.0)

  /// The position in the middle.
  package let centre: Position
  /// The ground that a dot covers in the middle, in metres, across as well as down.
  package let metresPerDot: Double
  /// How many cells there are.
  package let size: MapSize
  /// The cosine that longitudes are scaled by.
  private let shrink: Double

  /// A view, taken to the nearest possible one.
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
  /// The ground that the width of the picture covers in its middle, in metres.
  package var width: Double { metresPerDot * Double(size.dotColumns) }
  /// Whether it shows most of the world: such a map has day and night.
  package var showsWorld: Bool { Double(size.dotColumns) * longitudePerDot >= 240 }
  /// The parallels and meridians between which all of the picture lies.
  package var area: CityWithin.Box {
    let down = Double(size.dotRows) / 2 * latitudePerDot
    let across = Double(size.dotColumns) / 2 * longitudePerDot
    let isWhole = across >= 180
    return CityWithin.Box(
      south: max(centre.lat - down, -90), west: isWhole ? -180 : Globe.wrapped(centre.lon - across),
      north: min(centre.lat + down, 90), east: isWhole ? 180 : Globe.wrapped(centre.lon + across))
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

  /// A place and what lies around it, ``usualWidth`` wide.
  package static func around(_ place: Position, width: Double = usualWidth, in size: MapSize) -> Viewport {
    Viewport(centre: place, metresPerDot: width / Double(size.dotColumns), size: size)
  }

  /// The closest view that shows all of `places`, with a margin for their marks and labels.
  ///
  /// One place is shown with `width` metres around it, none gives the whole world. Across the date line it takes the
  /// shorter way round.
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
    // An eighth of the picture on each side is left to marks and labels.
    let down = (north - south) / (0.75 * Double(size.dotRows))
    let across = (east - west) * Globe.cosine(ofDegrees: middle.lat) / (0.75 * Double(size.dotColumns))
    let metres = max(down, across) * Globe.metresPerDegree
    return Viewport(centre: middle, metresPerDot: max(metres, leastFittingWidth / Double(size.dotColumns)), size: size)
  }

  /// The view with `factor` times the ground a dot: closer below 1.
  ///
  /// The position in the cell `fixed` keeps its place, as with a mouse wheel; without it the centre does.
  package func zoomed(by factor: Double, about fixed: MapCell? = nil) -> Viewport {
    let zoomed = Viewport(centre: centre, metresPerDot: metresPerDot * factor, size: size)
    guard let fixed, let before = position(of: fixed), let after = zoomed.position(of: fixed) else { return zoomed }
    // The latitude first: how long a degree of longitude is depends on it.
    let moved = zoomed.centred(on: Position(lat: centre.lat + before.lat - after.lat, lon: centre.lon))
    guard let beside = moved.position(of: fixed) else { return moved }
    let lon = moved.centre.lon + Globe.wrapped(before.lon - beside.lon)
    return moved.centred(on: Position(lat: moved.centre.lat, lon: lon))
  }

  /// The view, moved by cells to the right and down.
  package func panned(columns: Int, rows: Int) -> Viewport {
    let lat = centre.lat - 4 * Double(rows) * latitudePerDot
    return Viewport(
      centre: Position(lat: lat, lon: centre.lon + 2 * Double(columns) * longitudePerDot),
      metresPerDot: metresPerDot, size: size)
  }

  /// The view with another centre.
  package func centred(on place: Position) -> Viewport {
    Viewport(centre: place, metresPerDot: metresPerDot, size: size)
  }

  /// The view in a picture of another size, with the same ground a dot.
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

  /// Names a cell.
  package init(column: Int, row: Int) { (self.column, self.row) = (column, row) }
}

/// How many cells a map has.
package struct MapSize: Hashable, Sendable {
  /// The most columns and rows: no terminal is wider, and memory is taken for every cell.
  package static let maximum = MapSize(columns: 2_000, rows: 1_000)

  /// Cells in a row.
  package var columns: Int
  /// Rows.
  package var rows: Int

  /// Names a size, taken to at least one cell and at most ``maximum``.
  package init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (min(max(columns, 1), 2_000), min(max(rows, 1), 1_000))
  }

  /// Dots in a row: a cell is two dots wide.
  var dotColumns: Int { 2 * columns }
  /// Rows of dots: a cell is four dots high, so that dots are as wide as high where cells are twice as high as wide.
  var dotRows: Int { 4 * rows }
}

/// A point of the picture, in dots from its upper left corner; whole numbers lie between dots.
struct DotPoint: Hashable {
  /// Dots to the right.
  var x: Double
  /// Dots down.
  var y: Double
}

/// The earth as far as a map needs it: a sphere of 6,371,008.8 m, as for distances.
enum Globe {
  /// Metres along a meridian for one degree.
  static let metresPerDegree = 6_371_008.8 * Double.pi / 180
  /// The least cosine that longitudes are scaled by: at a pole itself all of them would lie in one dot.
  static let leastCosine = 0.01

  /// The cosine of a latitude, at least ``leastCosine``.
  static func cosine(ofDegrees lat: Double) -> Double { max(leastCosine, cos(lat * .pi / 180)) }

  /// The ground between two places, nearly: as if it were flat between their parallels.
  static func metres(from one: Position, to other: Position) -> Double {
    let up = other.lat - one.lat
    let across = wrapped(other.lon - one.lon) * cosine(ofDegrees: (one.lat + other.lat) / 2)
    return (up * up + across * across).squareRoot() * metresPerDegree
  }

  /// A longitude from −180 up to, and without, 180; any finite number of degrees may go in.
  static func wrapped(_ lon: Double) -> Double {
    if lon >= -180 && lon < 180 { return lon }
    let turn = (lon + 180).truncatingRemainder(dividingBy: 360)
    let wrapped = (turn < 0 ? turn + 360 : turn) - 180
    // Rounding may lift a remainder just below zero to the full turn.
    return wrapped < 180 ? wrapped : -180
  }

  /// The smallest arc that holds all of `longitudes`, from `west` to `east`, which may be beyond 180.
  ///
  /// It is the whole circle without the widest gap between neighbours.
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
