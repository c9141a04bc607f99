import CitiesMap
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
  }

  @Test func `on a small screen the time stands after the title`() {
    var rig = Rig(rows: 10, columns: 40, world: Self.world())
    rig.press(.enter)
    #expect(rig.lines[2].hasPrefix("  Warsaw, PL  Sun 13:52, UTC+2"))
    #expect(rig.lines[3].hasPrefix("  Region, Poland  1,702,139"))
  }

  @Test func `the clock moves with each minute, and nothing is asked for it`() {
    var rig = Rig(world: Self.world())
    rig.press(.enter)
    let before = rig.log.count
    #expect(rig.lines.contains { $0.contains("Sun 13:52, UTC+2") })
    rig.take(.minute(World.now + 60))
    #expect(rig.lines.contains { $0.contains("Sun 13:53, UTC+2") } && rig.log.count == before)
  }

  @Test func `zones have the offsets of the systems rules, and unknown ones none`() {
    let clock = ZoneClock()
    // Summer and winter, half hours, and the other side of the date line.
    for (zone, moment, offset) in [
      ("Europe/Tallinn", 1_782_043_200, 10_800), ("Europe/Tallinn", World.now, 7_200),
      ("Asia/Kolkata", World.now, 19_800), ("Pacific/Apia", World.now, 46_800),
      ("America/New_York", World.now, -18_000),
    ] as [(String, Int64, Int64)] { #expect(clock.offset(in: zone, at: moment) == offset, "\(zone)") }
    for zone in ["", "Nowhere/At_All", "../../etc/passwd"] { #expect(clock.offset(in: zone, at: World.now) == nil) }
  }

  @Test func `a city that is gone has its row, and nothing else`() {
    var state = BrowserState()
    state.apply(.visit(World.city(99, "Atlantis", "XX")))
    var rig = Rig(state: state, world: Self.world())
    rig.press(.alt("v"), .enter)
    #expect(rig.lines[2].contains("Atlantis, XX"))
    #expect(!rig.lines.contains { $0.contains("Local time") })
  }

  @Test func `the map names the largest cities of its picture`() {
    var rig = Rig(world: Self.world())
    rig.press(.enter)
    #expect(rig.areas.count == 1)
    let box = rig.areas[0].box
    #expect(box.south < 1.5 && box.north > 1.5 && box.north < 5)
    #expect(box.west < 2.5 && box.east > 2.5)
    rig.press(.character("m"), .character("w"))
    #expect(rig.areas.last?.box.north ?? 0 >= 84)
    #expect(rig.browser.cities.names.value?.map(\.name) == ["Warsaw", "Zagreb"])
  }

  @Test(
    arguments: [
      (7_200, "UTC+2"), (-18_000, "UTC-5"), (20_700, "UTC+5:45"), (0, "UTC"), (-2_670, "UTC-0:44"),
      (50_400, "UTC+14"), (-36_000, "UTC-10"), (300, "UTC+0:05"),
    ])
  func `offsets are short`(_ seconds: Int64, _ shown: String) { #expect(Strings.offset(seconds) == shown) }

  @Test(
    arguments: [
      (nil, ""), (0, "0"), (582, "582"), (9_999, "9,999"), (10_000, "10k"), (99_500, "100k"), (999_499, "999k"),
      (999_500, "1.0M"), (9_949_999, "9.9M"), (9_950_000, "10M"), (24_874_500, "25M"),
      (4_000_000_000, "4000M"),
    ] as [(UInt64?, String)])
  func `inhabitants fit into five cells`(_ count: UInt64?, _ shown: String) {
    let text = Strings.shortPopulation(World.city(1, "A", "XX", population: count))
    #expect(text == shown && text.count <= 5)
    #expect(Strings.shortPopulation(World.city(1, "A", "XX", population: .max)) == "18446744073710M")
  }

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
