import CitiesMap
import CitiesProtocol
import Testing

@testable import CitiesBrowser

@Suite("The banks on the screen")
struct BankScreenTests {
  private func rig(here: Position? = nil, zoneCity: String? = nil) -> Rig {
    var rig = Rig(here: here, zoneCity: zoneCity)
    rig.press(.tab)
    return rig
  }

  @Test func `countries are headings of their regions, and a region lists its locations`() {
    var rig = rig()
    #expect(
      rig.lines[2...6].map { $0.split(separator: "  ").first.map(String.init) ?? "" } == [
        "> Estonia", "Tallinn", "Tartu", "Latvia", "(no region)",
      ])
    rig.press(.down, .enter)
    #expect(rig.browser.banks.scope == .region("Tallinn", country: "EE", name: "Estonia"))
    #expect(rig.lines[2].contains("Kaubamaja"))
    #expect(rig.lines[2].hasSuffix("closed"))
    rig.press(.escape, .escape)
    #expect(rig.browser.banks.list == .headings)
    #expect(rig.browser.banks.cursor.selected == 1)
    rig.press(.end, .enter)
    #expect(rig.lines[2].contains("Street c"))
  }

  @Test func `words find locations anywhere`() {
    var rig = rig()
    rig.type("street b")
    #expect(rig.browser.banks.rows.total == 1)
    rig.press(.enter)
    #expect(rig.lines.contains { $0.contains("Closed now") })
    rig.press(.enter)
    #expect(rig.lines.contains { $0.contains("Monday     09:00-18:00") })
    #expect(rig.lines.contains { $0.contains("Sunday     closed") })
    rig.press(.escape, .escape)
    #expect(rig.browser.banks.filter.text == "street b")
  }

  @Test func `the hours mark the day that it is there`() {
    var rig = rig()
    rig.type("street a")
    rig.press(.enter, .enter)
    #expect(rig.lines.contains { $0.contains("│>Sunday     closed") })
    // Twelve hours later it is Monday there.
    rig.take(.minute(World.now + 43_200))
    #expect(rig.lines.contains { $0.contains("│>Monday     09:00-18:00") })
  }

  @Test func `the smallest screen shows all days of the week, without a frame`() {
    var rig = Rig(rows: 10, columns: 40)
    rig.press(.tab)
    rig.type("street a")
    rig.press(.enter, .enter)
    #expect(rig.lines[1] == "  Hours")
    #expect(rig.lines[2] == "  Monday     09:00-18:00")
    #expect(rig.lines[8] == " >Sunday     closed")
  }

  @Test func `walking the marks of the map shows name and address`() {
    var rig = rig()
    rig.press(.alt("m"))
    #expect(rig.lines[1].contains("Hansa, Street a"))
    rig.press(.character("n"))
    #expect(rig.lines[1].contains("Kaubamaja, Street b"))
    rig.press(.character("n"))
    #expect(rig.lines[1].contains("Street c"))
    rig.press(.character("p"), .enter)
    #expect(rig.browser.banks.view == .details)
    rig.press(.character("y"))
    #expect(rig.performed == ["copy 58.0,25.0"])
    #expect(rig.lines[23].contains("Copied 58.0,25.0"))
    #expect(rig.browser.banks.selected?.location.id == "b")
  }

  @Test func `the position that is known is where the nearest are listed from`() {
    var rig = rig(here: Position(lat: 59, lon: 25))
    rig.press(.alt("h"))
    #expect(rig.browser.banks.scope == .nearest)
    #expect(rig.lines[3].contains("1.5 km"))
    rig.press(.alt("h"))
    #expect(rig.lines.contains { $0.contains("Where are you?") })
  }

  @Test func `a position is suggested by the time zone, picked by the user, and kept only if that is said`() {
    for isKept in [true, false] {
      var rig = rig(zoneCity: "Springfield")
      rig.press(.alt("h"))
      #expect(rig.lines.contains { $0.contains("City: Springfield") })
      #expect(rig.browser.banks.here == nil, "a suggestion is none of the user's")
      rig.press(.enter)
      #expect(rig.kept.isEmpty)
      rig.press(.character(isKept ? "y" : "n"))
      #expect(rig.browser.banks.here == rig.world.cities[4].position)
      #expect(rig.kept.count == (isKept ? 1 : 0))
      #expect(rig.browser.banks.scope == .nearest)
    }
    var left = rig(zoneCity: "Springfield")
    left.press(.alt("h"), .escape)
    #expect(left.browser.banks.here == nil)
    #expect(left.browser.banks.list == .headings)
  }

  @Test func `a refresh shows the outcome of every source of the subject`() {
    var rig = rig()
    rig.press(.alt("r"))
    for feed in ["swedbank-ee", "swedbank-lv", "swedbank-lt", "imaginary"] {
      #expect(rig.lines.contains { $0.contains("\(feed): downloaded, 7 records") })
    }
    rig.press(.escape)
    #expect(rig.browser.overlay == nil)
  }

  @Test func `moves and Enter before the answer are about the locations that it brings`() {
    for (text, moves, found) in [("street", [KeyPress.down], "b"), ("street c", [], "c")] {
      var rig = rig()
      for key in text.map(KeyPress.character) + moves + [.enter] { rig.take(.key(key)) }
      #expect(rig.browser.banks.view == .list)
      rig.answerAll()
      #expect(rig.browser.banks.view == .details && rig.browser.banks.selected?.location.id == found)
    }
    // Nothing is found, so that nothing opens.
    var rig = rig()
    rig.type("street c")
    for key in [KeyPress.character("z"), .enter] { rig.take(.key(key)) }
    rig.answerAll()
    #expect(rig.browser.banks.view == .list)
    rig.press(.backspace)
    #expect(rig.browser.banks.view == .list)
  }

  @Test func `the panel for the position says why it has no cities, and asks again`() {
    var rig = rig()
    rig.world.problem = WireError(.unavailable, "no cities yet")
    rig.press(.alt("h"), .character("s"))
    #expect(rig.lines.contains { $0.contains("no cities yet") })
    #expect(rig.browser.isWaitingForData)
    rig.world.problem = nil
    rig.take(.tick)
    rig.answerAll()
    #expect(rig.lines.contains { $0.contains("> São Paulo, BR") })
    #expect(!rig.browser.isWaitingForData)
  }

  @Test func `the panel for the position waits for the cities of what was typed`() {
    var rig = rig()
    rig.press(.alt("h"))
    for key in "spring".map(KeyPress.character) + [.down, .enter] { rig.take(.key(key)) }
    rig.answerAll()
    rig.press(.character("n"))
    #expect(rig.browser.banks.here == rig.world.cities[5].position)
  }

  @Test func `when the data changes, details stay those of their location`() {
    var rig = rig()
    rig.type("street")
    rig.press(.down, .enter)
    let first = World.location("0", "First", .atm, "Tallinn", "EE", "Estonia", .no)
    rig.world.locations.insert(first, at: 0)
    rig.take(.news(.init(event: "changed", subject: .banks, generation: "x", at: Timestamp(secondsSince1970: 0))))
    rig.answerAll()
    #expect(rig.lines[2].contains("Kaubamaja"))
    rig.press(.escape)
    #expect(rig.browser.banks.selected?.location.id == "b" && rig.browser.banks.cursor.selected == 2)
  }

  @Test func `the map of all locations shows all of them`() {
    var world = World()
    for (index, lon) in [21.0, 24, 27].enumerated() { world.locations[index].location.lon = lon }
    var rig = Rig(world: world)
    rig.press(.tab, .alt("m"))
    let view = rig.browser.banks.pane.view
    #expect(view == .fitting(world.locations.map(\.location.position), in: rig.browser.layout.map))
    rig.press(.character("0"))
    #expect(rig.browser.banks.pane.view == view)
  }

  @Test func `the mouse opens the selected line`() {
    var rig = rig()
    rig.press(.press(row: 3, column: 4), .press(row: 3, column: 4))
    #expect(rig.browser.banks.scope == .region("Tallinn", country: "EE", name: "Estonia"))
    rig.press(.press(row: 2, column: 4))
    #expect(rig.browser.banks.view == .details)
  }

  @Test func `the filter is seen on the smallest screen, whatever the heading`() {
    var world = World()
    world.locations[0].location.region = "A region with a name that fills the row"
    var rig = Rig(rows: 10, columns: 40, world: world)
    rig.press(.tab)
    rig.browser.banks.setScope(.region(world.locations[0].location.region, country: "EE", name: "Estonia"))
    rig.type("street a")
    #expect(rig.lines[1].contains(" street a ") && rig.lines[1].hasSuffix("…"))
  }

  @Test func `sample and old data are reported`() {
    var world = World()
    world.sources.sample = true
    var rig = Rig(world: world)
    rig.press(.tab)
    #expect(rig.lines[0].contains("SAMPLE DATA"))
    world.sources.sample = false
    world.sources.feeds[0].stale = true
    rig = Rig(world: world)
    rig.press(.tab)
    #expect(rig.lines[0].contains("OLD DATA from 1970-01-01 00:00"))
    world.sources.feeds[0].missing = "no route"
    rig = Rig(world: world)
    rig.press(.tab)
    #expect(rig.lines[0].contains("NO DATA of swedbank-ee"))
  }

  @Test func `without data Enter takes the samples`() {
    var rig = Rig()
    rig.world.problem = WireError(.unavailable, "no data", data: ErrorData(phase: "no data"))
    rig.press(.tab)
    #expect(rig.lines.contains { $0.contains(Strings.offer) })
    rig.press(.enter)
    #expect(rig.performed == ["load samples"])
    rig.take(.reported("The sample data is stored"))
    #expect(rig.lines[23].contains("The sample data is stored"))
    rig.world.problem = nil
    rig.take(.tick)
    rig.answerAll()
    #expect(rig.lines.contains { $0.contains("Estonia") } && !rig.lines.contains { $0.contains(Strings.offer) })
  }
}
