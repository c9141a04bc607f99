import CitiesProtocol
import Testing

@testable import CitiesMap

@Suite struct GridTests {
  @Test(arguments: [1.0, 40, 999]) func `its lines are round and apart`(metres: Double) {
    for centre in [
      Position(lat: 59.437, lon: 24.7535), Position(lat: -18.14, lon: 179.9999), Position(lat: 89.99, lon: 3),
    ] {
      let view = Viewport(centre: centre, metresPerDot: metres, size: MapSize(columns: 80, rows: 24))
      let grid = Grid(view)
      #expect(!grid.parallels.isEmpty || !grid.meridians.isEmpty)
      for lat in grid.parallels {
        let steps = lat / grid.latitudeStep
        #expect(abs(steps - steps.rounded()) < 1e-6)
        // A line may lie on the very edge.
        #expect((-1e-6...Double(view.size.dotRows) + 1e-6).contains(view.dot(lat: lat, east: 0).y))
      }
      let columns = grid.meridians.map { view.dot(lat: 0, east: $0.east).x }
      #expect(zip(columns, columns.dropFirst()).allSatisfy { $1 - $0 >= 31.9 })
      #expect(grid.meridians.allSatisfy { (-180..<180).contains($0.lon) })
    }
  }

  @Test func `no name covers its coordinates`() {
    let view = Viewport(
      centre: Position(lat: 59.437, lon: 24.7535), metresPerDot: 40, size: MapSize(columns: 40, rows: 10))
    let outlines = Outlines.embedded()
    func picture(_ marks: [MapMark]) -> MapPicture {
      MapDrawing(view: view, marks: marks, outlines: outlines, characters: .unicode).picture()
    }
    let bare = picture([])
    let coordinates = view.cells.filter { bare[$0.column, $0.row].layer == .text }
    #expect(coordinates.count > 12)
    var named = [false: 0, true: 0]
    for (place, needsLabel) in view.cells.compactMap(view.position(of:)).flatMap({ [($0, false), ($0, true)] }) {
      let drawn = picture([MapMark(at: place, kind: .town, label: "Viimsi", needsLabel: needsLabel)])
      #expect(coordinates.allSatisfy { drawn[$0.column, $0.row].layer != .label }, "\(place)")
      if view.cells.contains(where: { drawn[$0.column, $0.row].layer == .label }) { named[needsLabel, default: 0] += 1 }
    }
    #expect(named.values.allSatisfy { $0 > 300 }, "\(named)")
  }
}
