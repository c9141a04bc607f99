import CitiesMap
import CitiesProtocol
import Testing

@testable import CitiesBrowser

@Suite("The cities on the screen")
struct CityScreenTests {
  @Test func `every change of the filter is one question of each kind, and the list is that of the answer`() {
    var rig = Rig()
    #expect(rig.searches.count == 1)
    rig.type("alb")
    #expect(rig.searches.map(\.prefix) == ["", "a", "al", "alb"])
    #expect(rig.finds == ["a", "al", "alb"])
    rig.press(.backspace)
    #expect(rig.searches.count == 5)
    // The start has asked for the largest cities, and how many titles start with a sign, too.
    #expect(rig.log.count == 2 + 5 + 4)
    #expect(rig.browser.cities.rows.total == 2)
    #expect(rig.lines[1].contains("Find: al "))
    #expect(rig.lines[2].hasPrefix("> Alabama, US"))
  }

  @Test
  func `the screen does not wait: what was there stays until the answer comes, and late answers change nothing`() {
    var rig = Rig()
    rig.take(.key(.character("s")))
    rig.take(.key(.character("p")))
    #expect(rig.lines[1].contains("Find: sp"))
    #expect(rig.browser.cities.rows.total == 6)
    for _ in 0..<3 {
      rig.answer()
      #expect(rig.browser.cities.rows.total == 6, "the answers to 's' came too late")
    }
    rig.answer()
    #expect(rig.browser.cities.rows.total == 2)
  }

  @Test func `not more than a few questions are under way, and the last keystroke wins`() {
    var rig = Rig(answers: false)
    for character in "spring, and much more" { rig.take(.key(.character(character))) }
    #expect(rig.log.count == RequestWindow.capacity)
    for _ in 0..<16 { rig.take(.key(.backspace)) }
    rig.answerAll()
    #expect(rig.browser.cities.filter.text == "sprin")
    #expect(rig.browser.cities.rows.total == 2)
    #expect(rig.log.count <= 2 * RequestWindow.capacity)
  }

  @Test func `Enter before the answer chooses what the answer brings`() {
    var rig = Rig(.pick)
    for key in [KeyPress.character("s"), .character("p"), .enter] { rig.take(.key(key)) }
    #expect(rig.departure == nil)
    rig.answerAll()
    var picked = rig.world.cities[4]
    (picked.region, picked.zone) = ("Region", "Europe/Tallinn")
    #expect(rig.departure == .picked([picked], generation: rig.world.generation))
  }

  @Test func `moves and Enter before the answer are about the list that it brings`() {
    var rig = Rig(.pick)
    rig.press(.down, .down)
    for key in [KeyPress.character("s"), .character("p"), .down, .up, .down, .enter] { rig.take(.key(key)) }
    #expect(rig.departure == nil)
    rig.answerAll()
    guard case .picked(let cities, _)? = rig.departure else {
      Issue.record("nothing was picked")
      return
    }
    #expect(cities.map(\.id) == [6])
  }

  @Test(arguments: [(KeyPress.alt("y"), "copy"), (.alt("o"), "open")])
  func `commands before the answer are about the list that it brings`(_ key: KeyPress, _ name: String) {
    var rig = Rig()
    for key in "springfield".map(KeyPress.character) + [key] { rig.take(.key(key)) }
    #expect(rig.performed.isEmpty)
    rig.answerAll()
    #expect(rig.performed == ["\(name) 39.8,2.5"])
    // While a filter is typed, letters are none.
    for key in [KeyPress.backspace, .character("y")] { rig.take(.key(key)) }
    #expect(rig.browser.cities.filter.text == "springfiely" && rig.performed.count == 1)
  }

  @Test func `the map shows the list that the answer brings`() {
    var rig = Rig()
    for key in [KeyPress.character("s"), .character("p"), .alt("m")] { rig.take(.key(key)) }
    #expect(rig.browser.cities.view == .list)
    rig.answerAll()
    #expect(rig.browser.cities.view == .map)
  }

  @Test(arguments: [KeyPress.escape, .tab, .alt("v"), .alt("?"), .left, .down])
  func `another key takes back an Enter that waits for its list`(_ key: KeyPress) {
    var rig = Rig(state: BrowserState(visits: [World.city(1, "Alabama", "US")]))
    for key in [KeyPress.character("s"), .character("p"), .enter, key] { rig.take(.key(key)) }
    rig.answerAll()
    #expect(rig.performed.isEmpty && rig.browser.cities.view == .list)
  }

  @Test func `Enter opens a row that has not arrived as soon as it does`() {
    var rig = Rig(world: .many(1_000))
    rig.take(.key(.end))
    rig.take(.key(.enter))
    rig.answerAll()
    #expect(rig.performed == ["visit City 001000"])
  }

  @Test func `when the data changes, details stay those of their city, and the list stays at it`() {
    var rig = Rig(world: .many(40))
    rig.press(.down, .down, .enter)
    rig.world.cities.insert(contentsOf: (1...4).map { World.city(UInt64(100 + $0), "Aa \($0)", "XX") }, at: 0)
    let news = Watch.Event(event: "changed", subject: .cities, generation: "x", at: Timestamp(secondsSince1970: 0))
    rig.take(.news(news))
    #expect(rig.lines[2].contains("City 000003, XX"))
    rig.answerAll()
    #expect(rig.lines[2].contains("City 000003, XX"))
    rig.press(.escape)
    #expect(rig.browser.cities.selected?.id == 3 && rig.browser.cities.cursor.selected == 6)
    rig.world.cities.removeFirst(4)
    rig.take(.news(news))
    rig.answerAll()
    #expect(rig.browser.cities.selected?.id == 3 && rig.browser.cities.cursor.selected == 2)
    rig.press(.down)
    #expect(rig.browser.cities.selected?.id == 4)
  }

  @Test func `a visited city is picked from its details`() {
    var rig = Rig(.pick, state: BrowserState(visits: [World.city(3, "Łódź", "PL")]))
    rig.press(.alt("v"), .enter)
    #expect(rig.departure == nil && rig.lines[23].contains("Enter pick"))
    rig.press(.enter)
    guard case .picked(let cities, _)? = rig.departure else {
      Issue.record("nothing was picked")
      return
    }
    #expect(cities.map(\.id) == [3])
  }

  @Test func `the list is that of the filter, which has a limit of scalars`() {
    let rig = Rig(prefix: String(repeating: "a", count: 300))
    #expect(rig.searches.map(\.prefix) == [String(repeating: "a", count: LineEditor.limit)])
    var marked = Rig(prefix: "a" + String(repeating: "\u{301}", count: 300))
    marked.type("\u{301}")
    #expect(marked.searches.map(\.prefix.unicodeScalars.count) == [LineEditor.limit])
  }

  @Test func `walking the map goes to a mark that arrives later`() {
    var world = World.many(100)
    for index in world.cities.indices { world.cities[index].lat = Double(index) * 0.8 - 40 }
    var rig = Rig(world: world)
    rig.press(.escape, .character("m"))
    for _ in 0..<60 {
      rig.press(.character("n"))
      let city = rig.browser.cities.selected
      #expect(city.map { rig.browser.cities.pane.view?.cell(of: $0.position) != nil } == true)
    }
    // A key that moves the map takes it back.
    while rig.browser.cities.selected != nil { rig.take(.key(.character("n"))) }
    rig.take(.key(.character("w")))
    let view = rig.browser.cities.pane.view
    rig.answerAll()
    #expect(rig.browser.cities.selected != nil && rig.browser.cities.pane.view == view)
  }

  @Test func `a drag starts where the button was pressed on this map`() {
    var rig = Rig()
    rig.press(.alt("m"), .press(row: 10, column: 10), .drag(row: 10, column: 12), .escape, .alt("m"))
    let before = rig.browser.cities.pane.view
    rig.press(.drag(row: 15, column: 60))
    #expect(rig.browser.cities.pane.view == before)
    rig.press(.drag(row: 15, column: 61))
    #expect(rig.browser.cities.pane.view != before)
  }

  @Test func `what a busy server refused is requested again, also other than rows`() {
    var rig = Rig()
    rig.take(.key(.enter))
    rig.world.problem = WireError(.busy, "busy")
    rig.answerAll()
    #expect(rig.browser.isWaitingForData)
    rig.world.problem = nil
    rig.take(.tick)
    rig.answerAll()
    #expect(!rig.browser.isWaitingForData && rig.browser.cities.neighbours.value != nil)
  }

  @Test func `a refresh that is under way is not requested again`() {
    var rig = Rig()
    rig.press(.escape)
    for _ in 0..<40 { rig.take(.key(.character("r"))) }
    rig.take(.key(.character("r")))
    #expect(rig.log.count { $0 is Refresh } == 1)
    #expect(rig.lines.contains { $0.contains("refreshing ...") })
    rig.answerAll()
    #expect(rig.lines.contains { $0.contains("downloaded, 7 records") })
    rig.press(.escape, .character("r"))
    #expect(rig.log.count { $0 is Refresh } == 2)
    // The outcome of a refresh cannot be known without its connection.
    rig.press(.escape)
    rig.take(.key(.character("r")))
    rig.disconnect()
    #expect(rig.browser.overlay == nil)
  }

  @Test func `only what comes into view is fetched, through to the last row and back`() {
    var rig = Rig(world: .many(10_000))
    #expect(rig.searches.count == 1)
    rig.press(.end)
    #expect(rig.browser.cities.selected?.id == 10_000)
    #expect(rig.searches.count == 3, "the last screen stands on two pages")
    rig.press(.pageUp)
    #expect(rig.browser.cities.selected?.id == 9_980)
    #expect(rig.searches.count == 4)
    rig.press(.home)
    #expect(rig.browser.cities.selected?.id == 1)
    #expect(rig.searches.count == 4, "all of it is still there")
  }

  @Test func `pages far from the view are given up, so that memory stays bounded`() {
    let size = Layout(ScreenSize(rows: 24, columns: 80)).pageSize
    var rig = Rig(world: .many(100 * size))
    while rig.browser.cities.cursor.selected < 100 * size - 1 { rig.press(.pageDown) }
    rig.press(.home)
    #expect(rig.browser.cities.selected?.id == 1)
    #expect(rig.searches.count == 101)
  }

  @Test func `a newer generation is read again at the position of the list`() {
    var rig = Rig(world: .many(1_000))
    rig.world.generation = "00000000000000bb"
    rig.press(.end)
    #expect(rig.browser.cities.selected?.id == 1_000)
    #expect(rig.browser.cities.rows.generation == "00000000000000bb")
  }

  @Test func `news of other data is followed at once, and other subjects' news is not`() {
    var rig = Rig()
    rig.world.cities.removeFirst()
    let at = Timestamp(secondsSince1970: 0)
    rig.take(.news(.init(event: "changed", subject: .trade, at: at)))
    rig.answerAll()
    #expect(rig.browser.cities.rows.total == 6)
    rig.take(.news(.init(event: "changed", subject: .cities, generation: "x", at: at)))
    rig.answerAll()
    #expect(rig.browser.cities.rows.total == 5)
  }

  @Test func `after a lost connection what was under way is asked again`() {
    var rig = Rig()
    rig.take(.key(.character("s")))
    rig.disconnect()
    #expect(rig.lines.last?.contains("trying again") == true)
    rig.take(.key(.character("ã")))
    #expect(rig.asked.isEmpty, "without a connection nobody would answer")
    rig.take(.connected(.init(ready: [:], generations: ["cities": rig.world.generation])))
    rig.answerAll()
    #expect(rig.browser.cities.rows.total == 1)
    #expect(rig.lines.last?.contains("trying again") == false)
  }

  @Test func `a selection survives every size`() {
    var rig = Rig(world: .many(1_000))
    for _ in 0..<5 { rig.press(.pageDown, .down) }
    let chosen = rig.browser.cities.selected
    for (rows, columns) in [(10, 40), (60, 200), (11, 59), (24, 80), (9, 39), (1, 1), (24, 80)] {
      rig.take(.resized(ScreenSize(rows: rows, columns: columns)))
      rig.answerAll()
      #expect(rig.browser.cities.selected == chosen)
      #expect(rig.lines.count == rows)
      if rows >= 10 { #expect(rig.lines.contains { $0.hasPrefix("> \(chosen?.title ?? "")") }) }
    }
  }

  @Test func `letters are typed, or commands after Esc; Alt makes them commands anywhere`() {
    var rig = Rig()
    rig.type("q")
    #expect(rig.departure == nil)
    rig.press(.backspace, .alt("a"))
    #expect(rig.browser.cities.rows.query.match == .plain)
    rig.press(.escape, .character("a"))
    #expect(rig.browser.cities.rows.query.match == .folded)
    rig.press(.character("/"), .character("a"))
    #expect(rig.browser.cities.filter.text == "a")
    rig.press(.alt("q"))
    #expect(rig.departure == .done)
  }

  @Test func `details and the map keep selection and filter`() {
    var rig = Rig()
    rig.type("spring")
    rig.press(.down, .enter)
    #expect(rig.browser.cities.view == .details)
    #expect(rig.lines.contains { $0.contains("42.1 N") })
    #expect(rig.lines.contains { $0.contains("Country     United States") })
    rig.press(.character("m"))
    #expect(rig.browser.cities.view == .map)
    rig.press(.left, .character("+"), .character("l"))
    #expect(rig.browser.cities.view == .list)
    #expect(rig.browser.cities.selected?.id == 6)
    #expect(rig.browser.cities.filter.text == "spring")
  }

  @Test func `numbers that cannot be are shown somehow, and never end the program`() {
    var world = World()
    world.claimed = .max
    world.cities = [
      CityRow(id: .max, lat: 1e300, lon: -1e300, name: "\u{1B}[2J", country: "", population: .max)
    ]
    var rig = Rig(world: world)
    let keys: [KeyPress] = [
      .end, .pageDown, .down, .wheelDown(row: 3, column: 3), .pageUp, .home, .pageUp, .enter, .character("m"), .right,
      .press(row: 5, column: 5), .drag(row: -3, column: 900), .wheelUp(row: 0, column: 0),
    ]
    for key in keys {
      rig.press(key)
      #expect(rig.lines.count == 24)
      #expect(!rig.lines.joined().contains("\u{1B}"))
    }
    #expect(Strings.noData("loading", 1e300).contains("100%"))
    #expect(Strings.noData("loading", -1e300).contains(" 0%"))
  }

  @Test func `an error is reported, and missing data is requested again`() {
    var world = World()
    world.problem = WireError(
      .unavailable, "no data", data: .init(subject: .cities, phase: "importing", done: 0.25))
    var rig = Rig(world: world)
    #expect(rig.lines.joined().contains("No data yet: importing, 25% done"))
    #expect(rig.browser.isWaitingForData)
    rig.world.problem = nil
    rig.take(.tick)
    rig.answerAll()
    #expect(rig.browser.cities.rows.total == 6)
    #expect(!rig.browser.isWaitingForData)
  }
}
