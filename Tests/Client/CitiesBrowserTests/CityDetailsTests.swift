import CitiesProtocol
import Testing

@testable import CitiesBrowser

@Suite("The details of a city")
struct CityDetailsTests {
  private static func world() -> World {
    var world = World()
    world.cities = [World.city(3, "Warsaw", "PL", population: 1_702_139), World.city(4, "Zagreb", "HR", lat: 60)]
    world.otherNames = [3: ["Varsovie", "Warsaw", "Warschau", "Warszawa", "Варшава"]]
    return world
  }

  @Test func `region, local time, zone and other names stand in them`() {
    var rig = Rig(world: Self.world())
    rig.press(.enter)
    let text = rig.lines.map { String($0.prefix(36)) }
    #expect(text[2].contains(" Warsaw, PL"))
    for line in [
      "  Country     Poland", "  Region      Region", "  Population  1,702,139", "  Local time  Sun 13:52, UTC+2",
      "  Time zone   Europe/Tallinn", "  Other names Varsovie, Warschau,", "              Warszawa, Варшава",
      "  GeoNames ID 3",
    ] { #expect(text.contains { $0.hasPrefix(line) }, "\(line)") }
    #expect(!rig.browser.cities.facts.isMissing)
  }

  @Test func `on a small screen the time stands after the title`() {
    var rig = Rig(rows: 10, columns: 40, world: Self.world())
    rig.press(.enter)
    #expect(rig.lines[2].hasPrefix("  Warsaw, PL  Sun 13:52, UTC+2"))
    #expect(rig.lines[3].hasPrefix("  Region, Poland  1,702,139"))
  }

  @Test func `the clock is asked for when a minute has passed, and stands still until then`() {
    var rig = Rig(world: Self.world())
    rig.take(.minute)
    #expect(rig.asked.isEmpty)
    #expect(!rig.browser.showsClock)
    rig.press(.enter)
    #expect(rig.browser.showsClock)
    rig.world.local = "2026-11-22T13:53:00"
    let before = rig.log.count
    rig.take(.minute)
    #expect(rig.asked.count == 1)
    #expect(rig.lines.contains { $0.contains("Sun 13:52, UTC+2") })
    rig.answerAll()
    #expect(rig.lines.contains { $0.contains("Sun 13:53, UTC+2") })
    #expect(rig.log.count == before + 1)
    rig.press(.escape)
    #expect(!rig.browser.showsClock)
  }

  @Test func `a city that is gone has its row, and nothing else`() {
    var state = BrowserState()
    state.apply(.visit(World.city(99, "Atlantis", "XX")))
    var rig = Rig(state: state, world: Self.world())
    rig.press(.alt("v"), .enter)
    #expect(rig.lines[2].contains("Atlantis, XX"))
    #expect(!rig.lines.contains { $0.contains("Local time") })
    #expect(!rig.browser.showsClock)
  }

  @Test func `the map names the largest cities of its picture`() {
    var rig = Rig(world: Self.world())
    rig.press(.enter)
    #expect(rig.areas.count == 1)
    let box = rig.areas[0].box
    #expect(box.south < 1.5 && box.north > 1.5 && box.north < 5)
    #expect(box.west < 2.5 && box.east > 2.5)
    rig.press(.character("m"), .character("w"))
    #expect(rig.areas.last?.box.north == 90)
    #expect(rig.browser.cities.names.cities.map(\.name) == ["Warsaw", "Zagreb"])
  }

  @Test(
    arguments: [
      ("+02:00", "UTC+2"), ("-05:00", "UTC-5"), ("+05:45", "UTC+5:45"), ("+00:00", "UTC"), ("-00:44:30", "UTC-0:44:30"),
      ("+14:00", "UTC+14"), ("-10:00", "UTC-10"),
    ])
  func `offsets are short`(_ text: String, _ shown: String) { #expect(Strings.offset(text) == shown) }

  @Test func `names are listed as far as there is room`() {
    let names = ["Varsovie", "Warschau", "Warszawa", "Варшава"]
    #expect(Charset.unicode.listed(names, width: 20, rows: 3) == ["Varsovie, Warschau,", "Warszawa, Варшава"])
    #expect(Charset.unicode.listed(names, width: 20, rows: 1) == ["Varsovie, Warschau …"])
    #expect(Charset.unicode.listed(names, width: 10, rows: 2) == ["Varsovie,", "Warschau …"])
    #expect(Charset.unicode.listed(names, width: 20, rows: 0) == [])
    #expect(Charset.unicode.listed([], width: 20, rows: 2) == [])
    #expect(Charset.ascii.listed(names, width: 20, rows: 1) == ["Varsovie, Warsch ..."])
    let long = String(repeating: "x", count: 50)
    #expect(Charset.unicode.listed([long], width: 10, rows: 1) == [long])
  }
}
