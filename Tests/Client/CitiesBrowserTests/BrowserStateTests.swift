import CitiesProtocol
import Testing

@testable import CitiesBrowser

@Suite("What is kept of a session")
struct BrowserStateTests {
  private static func springfield() -> CityRow {
    var city = CityRow(id: 5, lat: 39.80172, lon: -89.64371, name: "Springfield", country: "US", population: 112_544)
    city.region = "Illinois"
    return city
  }

  @Test func `a state is read from its own text`() {
    var state = BrowserState(order: .population)
    #expect(state.text == "order population\n")
    state.apply(.part(.titles))
    #expect(state.text == "order population\nlist titles\n" && BrowserState(text: state.text) == state)
    state.apply(.part(.all))
    state.apply(.visit(CityRow(id: 1, lat: -33.9, lon: 18.4, name: "Łódź 東京", country: "")))
    state.apply(.visit(Self.springfield()))
    #expect(
      state.text == "order population\nvisit\t5\t39.80172\t-89.64371\t112544\tUS\tIllinois\tSpringfield\n"
        + "visit\t1\t-33.9\t18.4\t\t\t\tŁódź 東京\n")
    #expect(BrowserState(text: state.text) == state)
    // Earlier versions have written no zones.
    var zoned = Self.springfield()
    zoned.zone = "America/Chicago"
    state.apply(.visit(zoned))
    #expect(state.text.contains("\tSpringfield\tAmerica/Chicago\n") && BrowserState(text: state.text) == state)
  }

  @Test(
    arguments: [
      "order sideways", "order", "list sideways", "visit", "visit\t1\t2\t3\t4\tXX\tR", "visit\tx\t2\t3\t4\tXX\tR\tName",
      "visit\t1\t91\t3\t4\tXX\tR\tName", "visit\t1\t2\tnan\t4\tXX\tR\tName", "visit\t1\t2\t3\t4\tXX\tR\t",
      "\u{0}\u{1B}", "visit\t1\t2\t3\t4000000001\tXX\tR\tName",
    ])
  func `a line that cannot be read is left out, and the others stay`(_ line: String) {
    let visit = "visit\t5\t39.80172\t-89.64371\t112544\tUS\tIllinois\tSpringfield"
    let state = BrowserState(text: "\(line)\n\(visit)\n\(line)\n")
    #expect(state == BrowserState(visits: [Self.springfield()]))
  }

  @Test func `a city stands once, the last visit first, and the oldest go`() {
    var state = BrowserState()
    for id in 1...60 {
      state.apply(.visit(CityRow(id: UInt64(id), lat: 1, lon: 2, name: "City", country: "XX")))
    }
    #expect(state.visits.map(\.id) == (11...60).reversed().map { UInt64($0) })
    state.apply(.visit(state.visits[49]))
    #expect(state.visits.prefix(2).map(\.id) == [11, 60])
    state.apply(.forget(id: 60))
    #expect(state.visits.count == 49)
    #expect(BrowserState(text: state.text + state.text).visits.count == 50)
  }

  @Test func `a name that would tear its line apart is not kept`() {
    var state = BrowserState()
    state.apply(.visit(CityRow(id: 1, lat: 1, lon: 2, name: "a\tb\nvisit", country: "XX")))
    #expect(state.text == "order key\n")
  }
}
