package import CitiesProtocol

extension Viewport {
  /// The whole world.
  package static func world(in size: MapSize) -> Viewport {
    Viewport(centre: Position(lat: 0, lon: 0), metresPerDot: .infinity, size: size)
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
  /// What `fixed` shows stays where it is, as a mouse wheel wants it; without it the centre does.
  package func zoomed(by factor: Double, about fixed: MapCell? = nil) -> Viewport {
    let zoomed = Viewport(centre: centre, metresPerDot: metresPerDot * factor, size: size)
    guard let fixed, let before = position(of: fixed), let after = zoomed.position(of: fixed) else { return zoomed }
    // The latitude first: how long a degree of longitude is depends on it.
    let moved = zoomed.centred(on: Position(lat: centre.lat + before.lat - after.lat, lon: centre.lon))
    guard let beside = moved.position(of: fixed) else { return moved }
    let lon = moved.centre.lon + Globe.wrapped(before.lon - beside.lon)
    return moved.centred(on: Position(lat: moved.centre.lat, lon: lon))
  }

  /// The view so many cells to the right and down.
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
