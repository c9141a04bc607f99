import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesMap

@Suite struct OutlineDotsTests {
  /// Every line of a scale drawn dot by dot, with no box looked at: three times around the globe, and then only the
  /// dots kept that lie in the picture and on the globe's one copy.
  private func plain(_ scale: Outlines.Scale, _ view: Viewport, _ kind: Outlines.Kind) -> Set<Dot> {
    var raster = PlainRaster()
    let columns = view.globeColumns
    // The world is shown without Antarctica.
    for line in scale.lines where line.kind == kind && !(view.showsWorld && line.north < -58) {
      for turn in [-360.0, 0, 360] {
        let dots = scale.points[line.points].map { point in
          Dot(view.dot(lat: Double(point.lat) / 100, east: Double(point.lon) / 100 - view.centre.lon + turn))
        }
        var walked = 0
        for (start, end) in zip(dots, dots.dropFirst()) {
          raster.line(from: start, to: end) { kind == .coast || ((walked + $0) / 2).isMultiple(of: 2) }
          walked += max(abs(end.x - start.x), abs(end.y - start.y))
        }
      }
    }
    return raster.dots.filter { columns.contains($0.x) && (0..<view.size.dotRows).contains($0.y) }
  }

  @Test(arguments: [
    (Position(lat: 59.4, lon: 24.7), 30_000.0), (Position(lat: -18.1, lon: 178.4), 20_000),
    (Position(lat: 66, lon: -180), 40_000), (Position(lat: 78, lon: 15), 60_000), (Position(lat: -90, lon: 60), 90_000),
    (Position(lat: 0, lon: 100), .infinity), (Position(lat: 20, lon: -170), 250_000),
  ])
  func `it is the same as drawing everything`(centre: Position, metres: Double) throws {
    let coarse = try #require(Outlines.embedded().scales.first)
    for size in [MapSize(columns: 60, rows: 18), MapSize(columns: 11, rows: 30)] {
      let view = Viewport(centre: centre, metresPerDot: metres, size: size)
      for kind in [Outlines.Kind.coast, .border] {
        #expect(view.dots(of: kind, in: coarse).dots == plain(coarse, view, kind))
      }
    }
  }

  @Test func `the scale suits the view`() throws {
    let outlines = Outlines.embedded()
    #expect(outlines.scale(forMetresPerDot: 1_000)?.points.count == 80_175)
    #expect(outlines.scale(forMetresPerDot: 39_999)?.points.count == 80_175)
    #expect(outlines.scale(forMetresPerDot: 40_000)?.points.count == 8_101)
    #expect(outlines.scale(forMetresPerDot: 999) == nil)
  }

  @Test(arguments: [2_000.0, 14_999, 15_001, 25_000]) func `paths are within a pixel and a half of the finest coast`(
    metres: Double
  ) throws {
    let fine = try #require(Outlines.embedded().scales.last)
    // Japan, at five pixels per dot.
    let view = Viewport(
      centre: Position(lat: 38, lon: 137), metresPerDot: metres, size: MapSize(columns: 80, rows: 30))
    let paths = view.paths(of: .coast, in: fine)
    for line in fine.lines where line.kind == .coast {
      for point in fine.points[line.points] {
        let dot = view.dot(lat: Double(point.lat) / 100, east: Double(point.lon) / 100 - view.centre.lon)
        guard (0...160).contains(dot.x), (0...120).contains(dot.y), line.points.count > 8 else { continue }
        #expect(paths.joined().contains { max(abs($0.x - dot.x), abs($0.y - dot.y)) < 0.3 })
      }
    }
  }

  @Test(arguments: ["EE", "JP", "FJ", "CL", "GF"]) func `the area of a country is where its coast is`(code: String)
    throws
  {
    let areas = try #require(Outlines.areas().scales.last)
    let own = areas.lines.filter { $0.kind == .country(code) }
    let largest = try #require(own.max { $0.points.count < $1.points.count })
    let middle = Position(lat: (largest.south + largest.north) / 2, lon: (largest.west + largest.east) / 2)
    let view = Viewport.around(middle, in: MapSize(columns: 80, rows: 30))
    let rings = view.areas(in: areas) { $0 == .country(code) }
    #expect(!rings.isEmpty && rings.count < areas.lines.count)
    #expect(rings.joined().allSatisfy { (0...160).contains($0.x) && (0...120).contains($0.y) })
  }

  @Test(arguments: [0.0, 59.4, -54.8, 78.2]) func `vector paths run where the dots do`(lat: Double) throws {
    let outlines = Outlines.embedded()
    let fine = try #require(outlines.scales.last)
    let size = MapSize(columns: 80, rows: 24)
    let view = Viewport(centre: Position(lat: lat, lon: 178), metresPerDot: 10_000, size: size)
    let paths = view.paths(of: .coast, in: fine)
    let dots = view.dots(of: .coast, in: fine).dots
    for point in paths.joined() {
      #expect((0...160).contains(point.x) && (0...96).contains(point.y))
      let dot = Dot(point)
      let around = (-1...1).flatMap { dx in (-1...1).map { dy in Dot(x: dot.x + dx, y: dot.y + dy) } }
      #expect(around.contains(where: dots.contains), "\(point)")
    }
    #expect(!paths.isEmpty)
  }
}
