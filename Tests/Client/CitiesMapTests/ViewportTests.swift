import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesMap

@Suite struct ViewportTests {
  private static let sizes = [(80, 24), (40, 10), (200, 60), (1, 1), (13, 7)].map { MapSize(columns: $0, rows: $1) }

  /// Centres, scales and sizes of all kinds, the same in every run.
  private func views(_ count: Int) -> [Viewport] {
    var random = SeededGenerator(seed: 11)
    return (0..<count).map { index in
      let centre = Position(lat: .random(in: -90...90, using: &random), lon: .random(in: -180...180, using: &random))
      return Viewport(
        centre: centre, metresPerDot: .random(in: 1...400_000, using: &random),
        size: Self.sizes[index % Self.sizes.count])
    }
  }

  @Test func `a cells place lies in that cell`() {
    for view in views(200) {
      for row in stride(from: 0, to: view.size.rows, by: 3) {
        for column in stride(from: 0, to: view.size.columns, by: 7) {
          let cell = MapCell(column: column, row: row)
          guard let position = view.position(of: cell) else { continue }
          #expect((-90...90).contains(position.lat) && (-180..<180).contains(position.lon))
          #expect(view.cell(of: position) == cell, "\(view) \(position)")
        }
      }
    }
  }

  @Test func `all that the picture shows lies in its box`() {
    for view in views(200) {
      let box = view.area
      #expect(-90 <= box.south && box.south <= box.north && box.north <= 90)
      #expect(abs(box.west) <= 180 && abs(box.east) <= 180)
      for row in 0..<view.size.rows {
        for column in [0, view.size.columns / 2, view.size.columns - 1] {
          guard let place = view.position(of: MapCell(column: column, row: row)) else { continue }
          let isBetween =
            box.west <= box.east
            ? box.west <= place.lon && place.lon <= box.east : box.west <= place.lon || place.lon <= box.east
          #expect(isBetween && box.south <= place.lat && place.lat <= box.north, "\(view) \(place)")
        }
      }
    }
  }

  /// The projection once more, in plain terms: how far east and south of the middle, in cells.
  private func plainCell(of place: Position, in view: Viewport) -> MapCell? {
    let degree = 6_371_008.8 * 2 * Double.pi / 360
    var east = place.lon - view.centre.lon
    while east >= 180 { east -= 360 }
    while east < -180 { east += 360 }
    // The standard parallel: the middle's, but of a view that reaches far, 45/71 of the way to its edge.
    let edge = min(71, Double(2 * view.size.rows) * view.metresPerDot / degree)
    let parallel = max(abs(view.centre.lat), edge * 45 / 71)
    let across = east * degree * Globe.cosine(ofDegrees: parallel) / (2 * view.metresPerDot)
    let down = (view.centre.lat - place.lat) * degree / (4 * view.metresPerDot)
    let column = (Double(view.size.columns) / 2 + across).rounded(.down)
    let row = (Double(view.size.rows) / 2 + down).rounded(.down)
    guard (0..<Double(view.size.columns)).contains(column), (0..<Double(view.size.rows)).contains(row) else {
      return nil
    }
    return MapCell(column: Int(column), row: Int(row))
  }

  @Test(arguments: [
    ("Tallinn", Position(lat: 59.43696, lon: 24.75353)), ("Suva", Position(lat: -18.14161, lon: 178.44149)),
    ("Ushuaia", Position(lat: -54.8, lon: -68.3)), ("Longyearbyen", Position(lat: 78.22334, lon: 15.64689)),
    ("Apia", Position(lat: -13.83333, lon: -171.76666)), ("Alert", Position(lat: 82.50057, lon: -62.34863)),
    ("the date line", Position(lat: 0, lon: 180)), ("its other side", Position(lat: 0, lon: -180)),
  ])
  func `a place is in the right cell`(name: String, place: Position) {
    for size in Self.sizes where size.columns > 1 {
      let around = Viewport.around(place, in: size)
      if abs(place.lat) < 80 {
        #expect(around.cell(of: place) == MapCell(column: size.columns / 2, row: size.rows / 2))
      }
      for view in [around, around.panned(columns: 3, rows: -2), around.zoomed(by: 9), .world(in: size)] {
        #expect(view.cell(of: place) == plainCell(of: place, in: view), "\(name) in \(view)")
      }
      #expect(Viewport.world(in: size).cell(of: place) != nil)
    }
  }

  @Test func `the world is shown once and whole but for Antarctica`() {
    for size in Self.sizes {
      let world = Viewport.world(in: size)
      #expect(world.centre == Position(lat: 13, lon: 11) && world.showsWorld)
      #expect(world.zoomed(by: 2) == world)
      for (lat, lon) in [(83.999, 0.0), (-57.999, 0), (0, 179.999), (0, -179.999), (0, -168.999), (0, -169.001)] {
        #expect(world.cell(of: Position(lat: lat, lon: lon)) != nil)
      }
      // Half as large it would lose some of that.
      let closer = world.zoomed(by: 0.5)
      #expect(!closer.showsWorld || closer.cell(of: Position(lat: -57.999, lon: 0)) == nil)
    }
    // Who looks for the pole finds it.
    let south = Viewport.world(in: MapSize(columns: 80, rows: 20)).panned(columns: 0, rows: 100)
    #expect(south.cell(of: Position(lat: -89.9, lon: 0))?.row == 19)
  }

  @Test func `cells are counted row by row`() {
    let cells = Viewport.world(in: MapSize(columns: 3, rows: 2)).cells
    #expect(cells.map(\.column) == [0, 1, 2, 0, 1, 2] && cells.map(\.row) == [0, 0, 0, 1, 1, 1])
  }

  @Test func `panning goes around the globe and stops at the poles`() {
    var view = Viewport.around(Position(lat: -18.14, lon: 178.44), in: MapSize(columns: 80, rows: 24))
    view = view.panned(columns: 40, rows: 0)
    #expect(view.centre.lon < -179 && view.centre.lon > -180)
    #expect(view.panned(columns: -40, rows: 0).cell(of: Position(lat: -18.14, lon: 178.44)) != nil)
    let north = view.panned(columns: 0, rows: -100_000)
    #expect(north.cell(of: Position(lat: 89.9999, lon: north.centre.lon))?.row == 0)
    #expect(north.panned(columns: 0, rows: -1) == north)
  }

  @Test func `zooming keeps what is under the mouse`() throws {
    let view = Viewport.around(Position(lat: 59.4, lon: 24.7), in: MapSize(columns: 80, rows: 24))
    for cell in [MapCell(column: 0, row: 0), MapCell(column: 79, row: 23), MapCell(column: 51, row: 4)] {
      let place = try #require(view.position(of: cell))
      let closer = view.zoomed(by: 0.5, about: cell)
      let kept = try #require(closer.cell(of: place))
      #expect(kept == cell)
      #expect(closer.metresPerDot == view.metresPerDot / 2)
    }
  }

  @Test func `a view that fits shows every place and not much more`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let middle = Double.random(in: -180...180, using: &random)
      let spread = Double.random(in: 0.001...40, using: &random)
      let places = (0..<Int.random(in: 2...9, using: &random)).map { _ in
        Position(
          lat: .random(in: -70...70, using: &random),
          lon: Globe.wrapped(middle + .random(in: -spread...spread, using: &random)))
      }
      for size in Self.sizes where size.columns > 1 {
        let view = Viewport.fitting(places, in: size)
        #expect(places.allSatisfy { view.cell(of: $0) != nil }, "\(view)")
        // Half as wide it would lose some.
        let closer = view.zoomed(by: 0.5)
        #expect(closer == view || view.width < 2_001 || places.contains { closer.cell(of: $0) == nil })
      }
    }
  }

  @Test func `one or no place has a view too`() {
    let size = MapSize(columns: 80, rows: 24)
    let suva = Position(lat: -18.14, lon: 178.44)
    #expect(Viewport.fitting([suva], in: size).cell(of: suva) == MapCell(column: 40, row: 12))
    #expect(abs(Viewport.fitting([suva, suva], in: size).width - Viewport.usualWidth) < 1)
    #expect(Viewport.fitting([], in: size) == .world(in: size))
  }

  @Test func `numbers that are none give a view all the same`() {
    let size = MapSize(columns: .max, rows: .min)
    #expect(size == MapSize(columns: 2_000, rows: 1))
    for number in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0] {
      let place = Position(lat: number, lon: number)
      for view in [
        Viewport(centre: place, metresPerDot: number, size: size), .around(place, in: size),
        .fitting([place, Position(lat: 1, lon: 1)], in: size), Viewport.world(in: size).zoomed(by: number),
        Viewport.world(in: size).zoomed(by: number, about: MapCell(column: .max, row: .min)),
        Viewport.world(in: size).panned(columns: .max, rows: .min),
      ] {
        #expect(view.metresPerDot.isFinite && (-90...90).contains(view.centre.lat))
        #expect((-180..<180).contains(view.centre.lon))
        _ = view.cell(of: place)
      }
    }
  }

  @Test func `wrapping is taking turns away`() {
    for lon in stride(from: -1_000.0, through: 1_000, by: 12.5) {
      var plain = lon
      while plain >= 180 { plain -= 360 }
      while plain < -180 { plain += 360 }
      #expect(Globe.wrapped(lon) == plain)
    }
    #expect((-180..<180).contains(Globe.wrapped(-180.000_000_000_000_03)))
  }

  @Test func `the smallest arc is that of the best start`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let longitudes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        Double(Int.random(in: -180..<180, using: &random))
      }
      let arc = Globe.smallestArc(longitudes)
      let best = longitudes.map { start in
        longitudes.map { ($0 - start + 360).truncatingRemainder(dividingBy: 360) }.max() ?? 0
      }.min()
      #expect(arc.east - arc.west == best)
      #expect(
        longitudes.allSatisfy { ($0 - arc.west + 720).truncatingRemainder(dividingBy: 360) <= arc.east - arc.west })
    }
  }
}
