import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesMap

@Suite struct LandMaskTests {
  private static let places: [(name: String, at: Position, isLand: Bool)] = [
    ("Sahara", Position(lat: 22, lon: 10), true),
    ("Chukotka, west of the date line", Position(lat: 67.2, lon: -178), true),
    ("Siberia", Position(lat: 62, lon: 100), true), ("below the Crimea", Position(lat: 30, lon: 38.5), true),
    ("Brazil", Position(lat: -10, lon: -55), true), ("Australia", Position(lat: -25, lon: 135), true),
    ("Greenland", Position(lat: 72, lon: -40), true), ("Caspian Sea", Position(lat: 41.8, lon: 50.6), false),
    ("Atlantic", Position(lat: 0, lon: -25), false), ("Pacific", Position(lat: 10, lon: -179), false),
    ("Indian Ocean", Position(lat: -30, lon: 38.6), false), ("Arctic Ocean", Position(lat: 83.8, lon: 178), false),
    ("Hudson Bay", Position(lat: 60, lon: -86), false), ("Black Sea", Position(lat: 43.3, lon: 34), false),
  ]

  private func isLand(_ place: Position, in view: Viewport, _ outlines: Outlines) throws -> Bool {
    let scale = try #require(outlines.scale(forMetresPerDot: view.metresPerDot))
    let dot = Dot(view.dot(of: place))
    let dots = LandMask(view, scale).dots
    var single = DotCanvas(size: view.size)
    single.set(dot)
    return dots[dot.x / 2, dot.y / 4] & single[dot.x / 2, dot.y / 4] != 0
  }

  @Test(arguments: [360.0, 40, 8]) func `land is told from sea at every scale`(degrees: Double) throws {
    let outlines = Outlines.embedded()
    for (name, place, isLand) in Self.places {
      let size = MapSize(columns: 60, rows: 20)
      let view = degrees == 360 ? Viewport.world(in: size) : .around(place, width: degrees * 111_195, in: size)
      #expect(try self.isLand(place, in: view, outlines) == isLand, "\(name) at \(degrees)")
    }
  }

  @Test func `where a view stands changes nothing`() throws {
    let outlines = Outlines.embedded()
    let (estonia, gulf) = (Position(lat: 58.7, lon: 25.5), Position(lat: 59.75, lon: 25))
    var view = Viewport.around(estonia, in: MapSize(columns: 60, rows: 30))
    for (columns, rows) in [(0, 0), (20, 3), (-45, 0), (0, -4), (1, 1)] {
      view = view.panned(columns: columns, rows: rows)
      for (place, isLand) in [(estonia, true), (gulf, false)] where view.cell(of: place) != nil {
        #expect(try self.isLand(place, in: view, outlines) == isLand, "\(view.centre)")
      }
    }
  }

  @Test func `the ice of Antarctica is land where it is looked for and not on a map of the world`() throws {
    let outlines = Outlines.embedded()
    let (pole, size) = (Position(lat: -88, lon: 20), MapSize(columns: 60, rows: 40))
    #expect(try isLand(pole, in: .around(pole, width: 2e6, in: size), outlines))
    let tall = Viewport.world(in: MapSize(columns: 60, rows: 60))
    #expect(try #require(tall.cell(of: pole)).row < 60)
    #expect(try !isLand(pole, in: tall, outlines))
  }

  @Test func `bright land is solid and other land a lattice`() throws {
    let drawing = MapDrawing(
      view: .world(in: MapSize(columns: 80, rows: 20)), marks: [], outlines: .embedded(), characters: .unicode,
      at: 1_782_043_200)
    let (day, night) = (Position(lat: 20, lon: 10), Position(lat: -25, lon: 135))
    let picture = drawing.picture()
    for (place, layer, text) in [(day, MapPicture.Layer.brightLand, "⣿"), (night, .land, "⠅")] {
      let cell = try #require(drawing.view.cell(of: place))
      #expect(picture[cell.column, cell.row] == MapPicture.Cell(text: text, layer: layer))
    }
    let near = MapDrawing(
      view: .around(day, in: drawing.view.size), marks: [], outlines: .embedded(), characters: .unicode,
      at: 1_782_043_200)
    #expect(near.bright == nil)
  }
}
