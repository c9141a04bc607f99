import CitiesProtocol
import Testing

@testable import CitiesMap

@Suite struct ViewportTests {
  @Test(arguments: [
    Position(lat: 59.437, lon: 24.754), Position(lat: -18.141, lon: 178.442), Position(lat: 78.2, lon: 15.6),
    Position(lat: -54.8, lon: -68.3), Position(lat: 0, lon: 180), Position(lat: 0, lon: -180),
  ])
  func aPlaceIsInTheMiddleOfTheMapAroundIt(place: Position) {
    let view = Viewport.around(place, in: MapSize(columns: 80, rows: 24))
    #expect(view.cell(of: place) == MapCell(column: 40, row: 12))
  }
}
