import CitiesMap
import CitiesProtocol
import Testing

@testable import CitiesBrowser

@Suite("The sections of the list of cities")
struct CityListTests {
  private static func inhabited() -> World {
    var world = World()
    world.cities = [
      World.city(1, "Alabama", "US"), World.city(2, "Albany", "US", population: 99_000),
      World.city(3, "Warsaw", "PL", population: 1_702_139), World.city(4, "Zagreb", "HR", population: 663_592),
    ]
    world.otherNames = [3: ["Warszawa", "Warschau"], 4: ["Agram"]]
    return world
  }

  /// The names in the lines of the list, with the sign of the selection, and headings as they are.
  private func shown(_ rig: Rig) -> [String] {
    rig.lines[2..<rig.lines.count - 1].map { line in
      let parts = line.split(separator: "  ", omittingEmptySubsequences: true)
      return parts.first.map { String($0).trimmingBlanks } ?? ""
    }.filter { !$0.isEmpty }
  }

  @Test func `without a filter the largest are above all titles, until the first character`() {
    var rig = Rig(world: Self.inhabited())
    #expect(
      shown(rig) == [
        "Largest places", "> Warsaw, PL", "Zagreb, HR", "Albany, US", "All places, A to Z", "Alabama, US", "Albany, US",
        "Warsaw, PL", "Zagreb, HR",
      ])
    #expect(rig.lines[3].contains("  Region  ") && rig.lines[3].hasSuffix("   1.50N   2.50E   1.7M"))
    rig.type("z")
    #expect(shown(rig) == ["> Zagreb, HR"])
    rig.press(.backspace)
    #expect(shown(rig).first == "Largest places")
  }

  @Test func `headings are passed over, up and down, and stay in view at the top`() {
    var rig = Rig(world: Self.inhabited())
    rig.press(.down, .down, .down)
    #expect(rig.browser.cities.selected?.name == "Alabama")
    rig.press(.up)
    #expect(rig.browser.cities.selected?.name == "Albany")
    rig.press(.end, .home, .up)
    #expect(rig.browser.cities.selected?.name == "Warsaw")
    #expect(rig.lines[2].contains("Largest places"))
  }

  @Test func `where the user is known to be, the cities around are suggested`() {
    var world = Self.inhabited()
    for index in world.cities.indices { world.cities[index].population = UInt64(1_000 - index) }
    for purpose in [Browser.Purpose.browse, .pick] {
      let rig = Rig(
        purpose, here: Position(lat: 59, lon: 25), state: BrowserState(visits: [World.city(9, "Oulu", "FI")]),
        world: world)
      let headings = ["Recent", "Near you", "Largest places", "All places, A to Z"]
      #expect(shown(rig).filter(headings.contains) == headings)
      #expect(shown(rig)[1] == ">✓Oulu, FI" && shown(rig)[3] == "Alabama, US")
    }
  }

  @Test func `the best matches, by any name, are above all titles that start with the filter`() {
    var rig = Rig(world: Self.inhabited())
    rig.type("a")
    #expect(
      shown(rig) == [
        "> Alabama, US", "Albany, US", "Agram → Zagreb, HR", "Cities starting with \"a\"", "Alabama, US", "Albany, US",
      ])
    #expect(rig.lines[4].contains("  Region of Agram  "))
    #expect(rig.lines[1].hasSuffix("  2 cities"))
    rig.press(.backspace)
    rig.type("warsz")
    #expect(shown(rig) == ["No city starts with \"warsz\"", "Also known as", "> Warszawa → Warsaw, PL"])
    #expect(rig.lines[1].hasSuffix("  1 city"))
    rig.press(.enter)
    #expect(rig.browser.cities.view == .details)
    #expect(rig.lines[2].contains("Warsaw, PL"))
  }

  @Test(arguments: [
    (CityFind.Kind.typo, "Similar names"), (.alternate, "Also known as"), (.code, "Also known as"),
    (.area, "Largest in \"bavaria\""), (.near, "Nearest to bavaria"), (.name, "Other matches"),
  ])
  func `a heading says how the best matches were found`(by: CityFind.Kind, heading: String) {
    let row = CityFind.Row(by: by, city: World.city(1, "Munich", "DE"))
    let hits = CityHits([row], hasTitles: false, firstTitle: nil)
    #expect(Strings.heading(hits.heading, "bavaria") == heading)
  }

  @Test func `the best match is the first row, and Enter opens it`() {
    var world = Self.inhabited()
    world.best = 4
    var rig = Rig(world: world)
    rig.type("a")
    #expect(
      shown(rig) == [
        "> Agram → Zagreb, HR", "Alabama, US", "Albany, US", "Cities starting with \"a\"", "Alabama, US", "Albany, US",
      ])
    #expect(rig.lines[1].hasSuffix("  2 cities"))
    rig.press(.down, .down, .down)
    #expect(rig.browser.cities.cursor.selected == 4, "the heading is passed over")
    rig.press(.home, .enter)
    #expect(rig.lines[2].contains("Zagreb, HR"))
    #expect(rig.performed == ["visit Zagreb"])
    rig.press(.escape, .backspace)
    #expect(shown(rig).prefix(3) == ["Recent", ">✓Zagreb, HR", "Largest places"])
  }

  @Test func `the first screen is filled by recent places and the largest, and all others follow`() {
    let earlier = (1...8).map { World.city(UInt64(100 + $0), "Visited \($0)", "XX") }
    var world = World.many(60)
    for index in world.cities.indices { world.cities[index].population = UInt64(1_000 - index) }
    var rig = Rig(state: BrowserState(visits: earlier), world: world)
    let lines = shown(rig)
    #expect(lines[0] == "Recent" && lines[1] == ">✓Visited 1, XX" && lines[5] == "✓Visited 5, XX")
    #expect(lines[6] == "Largest places" && lines.last == "All places, A to Z" && lines.count == 21)
    rig.press(.pageDown)
    #expect(shown(rig).contains { $0.hasSuffix("City 000001, XX") })
  }

  @Test func `names that do not start with a letter come last`() {
    var world = World.many(1_000)
    for (index, name) in ["'A'ala", "ʻEwa Beach", "’Olesh", "100 Mile House"].enumerated() {
      world.cities[index].name = name
    }
    var rig = Rig(world: world)
    rig.press(.end)
    #expect(
      shown(rig).suffix(5) == ["City 001000, XX", "'A'ala, XX", "ʻEwa Beach, XX", "’Olesh, XX", "> 100 Mile House, XX"])
    rig.press(.up, .up, .up, .up)
    #expect(rig.browser.cities.selected?.name == "City 001000")
    rig.press(.enter)
    #expect(rig.lines[2].contains("City 001000, XX"))
    // In the order of inhabitants and after a filter nothing is turned.
    rig.press(.escape, .escape, .character("s"), .home)
    #expect(rig.browser.cities.selected?.name == "'A'ala")
  }

  @Test func `where letters and signs meet far from the start, both ends of the titles stay fetched`() {
    var world = World.many(3_000)
    for (index, name) in ["'A'ala", "’Aïn Abid", "100 Mile House"].enumerated() { world.cities[index].name = name }
    var rig = Rig(world: world)
    for _ in 0..<72 { rig.press(.pageDown) }
    rig.take(.key(.end))
    rig.take(.key(.pageUp))
    rig.take(.key(.end))
    for _ in 0..<20 { rig.answer() }
    #expect(rig.asked.isEmpty, "pages are fetched again and again")
    #expect(shown(rig).count == 21 && shown(rig).last == "> 100 Mile House, XX")
  }

  @Test func `Esc twice leaves, whatever is typed, and goes back first from elsewhere`() {
    for (text, subject) in [("", Subject.cities), ("wars", .cities), ("", .banks)] {
      var rig = Rig(world: Self.inhabited())
      if subject == .banks { rig.press(.tab) }
      rig.type(text)
      rig.press(.escape)
      #expect(rig.departure == nil)
      rig.press(.escape)
      #expect(rig.departure == .done)
    }
    var trade = Rig()
    trade.press(.tab, .tab, .enter, .escape, .escape)
    #expect(trade.departure == nil && trade.browser.subject == .cities)
    trade.press(.escape, .escape)
    #expect(trade.departure == .done)
  }

  @Test(arguments: [Browser.Purpose.browse, .pick])
  func `of cities with one name the visited one comes first, marked`(purpose: Browser.Purpose) {
    let illinois = World.city(6, "Springfield", "US", lat: 42.1)
    var rig = Rig(purpose, state: BrowserState(visits: [illinois]))
    rig.type("spring")
    #expect(rig.browser.cities.selected?.id == 6 && rig.lines[2].hasPrefix(">✓Springfield, US"))
    // Not before a better match.
    rig.world.best = 5
    rig.world.otherNames = [6: ["Albion"]]
    rig.press(.control("u"))
    rig.type("alb")
    #expect(rig.browser.cities.selected?.name == "Albuquerque")
  }

  @Test func `a picked city is remembered`() {
    var rig = Rig(.pick, world: Self.inhabited())
    rig.type("wars")
    rig.press(.enter)
    #expect(rig.performed == ["visit Warsaw"])
    guard case .picked(let cities, _)? = rig.departure else {
      Issue.record("nothing was picked")
      return
    }
    #expect(cities.map(\.name) == ["Warsaw"])
  }

  @Test func `a best match that is the first title, or all there is, stands there alone`() {
    var world = Self.inhabited()
    world.best = 2
    var rig = Rig(world: world)
    rig.type("alban")
    #expect(shown(rig) == ["> Albany, US"])
    rig.press(.backspace, .backspace)
    rig.press(.backspace)
    #expect(
      shown(rig) == ["> Albany, US", "Alabama, US", "Cities starting with \"al\"", "Alabama, US", "Albany, US"])
    world.best = 4
    rig = Rig(world: world)
    rig.type("agram")
    #expect(shown(rig) == ["No city starts with \"agram\"", "Also known as", "> Agram → Zagreb, HR"])
  }

  @Test func `Enter before the answers opens the best match that they bring`() {
    var world = Self.inhabited()
    world.best = 4
    var rig = Rig(world: world)
    for key in [KeyPress.character("a"), .enter] { rig.take(.key(key)) }
    #expect(rig.performed.isEmpty)
    rig.answerAll()
    #expect(rig.performed == ["visit Zagreb"])
  }

  @Test func `the selection stays on its city when the best match comes late or goes`() {
    var world = Self.inhabited()
    world.best = 4
    var rig = Rig(world: world)
    rig.take(.key(.character("a")))
    let asked = rig.asked
    rig.take(.answer(id: asked[0].id, .failure(WireError(.busy, "busy"))))
    rig.take(.answer(id: asked[1].id, rig.world.answer(asked[1].message)))
    rig.take(.key(.down))
    #expect(shown(rig) == ["Alabama, US", "> Albany, US"])
    rig.take(.tick)
    rig.answerAll()
    #expect(
      shown(rig) == [
        "Agram → Zagreb, HR", "Alabama, US", "> Albany, US", "Cities starting with \"a\"", "Alabama, US", "Albany, US",
      ])
    rig.world.best = nil
    rig.world.otherNames = [:]
    rig.take(.news(.init(event: "changed", subject: .cities, generation: "x", at: Timestamp(secondsSince1970: 0))))
    rig.answerAll()
    #expect(rig.browser.cities.selected?.name == "Albany")
  }

  @Test func `while a city is picked, the list is that of the browser, and its hits are those of find`() throws {
    let here = Position(lat: 59, lon: 25)
    var (rig, browsing) = (Rig(.pick, here: here, world: Self.inhabited()), Rig(here: here, world: Self.inhabited()))
    #expect(shown(rig) == shown(browsing))
    rig.type("a")
    browsing.type("a")
    #expect(shown(rig) == shown(browsing) && shown(rig).count == 6)
    #expect(
      try #require(rig.log.compactMap { $0 as? CityFind }.last) == CityFind(query: "a", limit: 10, finished: true))
    rig.press(.down, .down, .enter)
    var picked = rig.world.cities[3]
    (picked.region, picked.zone) = ("Region of Agram", "Europe/Tallinn")
    #expect(rig.departure == .picked([picked], generation: rig.world.generation))
  }

  @Test func `a key hides the titles or the best matches, and is remembered`() {
    for keys in [[KeyPress.alt("b")], [.escape, .character("b")]] {
      var rig = Rig(world: Self.inhabited())
      rig.type("a")
      let (best, titles) = (Array(shown(rig)[..<3]), Array(shown(rig)[4...]))
      for key in keys { rig.press(key) }
      #expect(shown(rig) == best && rig.lines[1].hasSuffix("  best only"))
      rig.press(keys[keys.count - 1])
      #expect(shown(rig) == ["> " + titles[0]] + titles[1...] && rig.lines[1].hasSuffix("  titles only"))
      rig.press(keys[keys.count - 1])
      #expect(shown(rig).count == 6)
      #expect(rig.performed == ["remember best", "remember titles", "remember all"])
    }
    // Without a filter, too, but a part that is all there is stays.
    var best = Rig(state: BrowserState(part: .best), world: Self.inhabited())
    #expect(shown(best) == ["Largest places", "> Warsaw, PL", "Zagreb, HR", "Albany, US"])
    best.type("'-")
    #expect(shown(best) == ["> No city starts with \"'-\""])
    var titles = Rig(.pick, state: BrowserState(part: .titles), world: Self.inhabited())
    #expect(shown(titles) == ["> Alabama, US", "Albany, US", "Warsaw, PL", "Zagreb, HR"])
    titles.type("agram")
    #expect(shown(titles).last == "> Agram → Zagreb, HR")
  }

  @Test func `a position in the filter lists the cities nearest to it`() {
    var rig = Rig(world: Self.inhabited())
    rig.type("59.4,24.7")
    #expect(rig.log.contains { ($0 as? CityNear)?.place.at == Position(lat: 59.4, lon: 24.7) })
    #expect(shown(rig).prefix(2) == ["Nearest to 59.4,24.7", "> Alabama, US"])
    #expect(rig.lines[1].hasSuffix("  4 cities"))
    rig.press(.backspace, .backspace, .backspace, .backspace, .backspace)
    #expect(rig.finds.last == "59.4")
  }

  @Test func `several cities are picked in the order of their marks`() {
    var rig = Rig(.pick, world: Self.inhabited())
    rig.press(.tab, .enter)
    #expect(rig.departure == .picked([rig.browser.cities.selected!], generation: rig.world.generation), "only one")
    rig = Rig(.pick, world: Self.inhabited())
    rig.browser.cities.marked = []
    rig.press(.down, .tab, .tab, .up, .up, .up, .tab)
    #expect(shown(rig)[1...3] == ["*Warsaw, PL", ">*Zagreb, HR", "*Albany, US"])
    #expect(rig.lines[1].contains("  3 marked   4 cities") && rig.lines[23].contains("Tab mark"))
    // Tab takes a mark away, and the list may change in between.
    rig.press(.tab)
    for key in "al".map(KeyPress.character) + [.tab] { rig.take(.key(key)) }
    rig.answerAll()
    rig.press(.enter)
    guard case .picked(let cities, _)? = rig.departure else {
      Issue.record("nothing was picked")
      return
    }
    #expect(cities.map(\.name) == ["Albany", "Warsaw", "Alabama"])
    #expect(rig.performed == ["visit Albany", "visit Warsaw", "visit Alabama"])
  }

  @Test func `the terminal's cursor is on the selected line, and the caret of the filter is drawn`() {
    var rig = Rig(world: Self.inhabited())
    rig.type("al")
    rig.press(.down, .down, .left)
    #expect(rig.picture.cursor == MapCell(column: 0, row: 5))
    #expect((0..<80).filter { rig.picture.row(1)[80 + $0].style.isSelected } == [8])
    rig.press(.control("u"), .tab, .down)
    #expect(rig.picture.cursor == MapCell(column: 0, row: 3))
    rig.press(.tab, .down)
    #expect(rig.picture.cursor == MapCell(column: 0, row: 3))
    rig.press(.tab, .alt("v"))
    rig = Rig(state: BrowserState(visits: [World.city(3, "Warsaw", "PL")]), world: Self.inhabited())
    rig.press(.alt("v"))
    let row = rig.lines.firstIndex { $0.contains("│ > Warsaw, PL") }
    #expect(rig.picture.cursor?.row == row)
  }

  @Test func `a query of punctuation alone is not looked for by name`() {
    var rig = Rig(world: Self.inhabited())
    rig.type("'-")
    #expect(rig.finds == [])
    #expect(rig.searches.count == 3)
  }

  @Test func `names that cannot be found leave the titles as they are`() {
    var rig = Rig(world: Self.inhabited())
    rig.take(.key(.character("a")))
    let asked = rig.asked
    rig.take(.answer(id: asked[0].id, .failure(WireError(.unknownMethod, "no such method"))))
    rig.take(.answer(id: asked[1].id, rig.world.answer(asked[1].message)))
    #expect(shown(rig) == ["> Alabama, US", "Albany, US"])
  }

  @Test func `the other order is remembered, and has no suggestions`() {
    var rig = Rig(world: Self.inhabited())
    rig.press(.escape, .character("s"))
    #expect(shown(rig) == ["> Warsaw, PL", "Zagreb, HR", "Albany, US", "Alabama, US"])
    #expect(rig.performed == ["remember population"])
    rig.press(.character("s"))
    #expect(shown(rig).first == "Largest places")
    #expect(rig.performed == ["remember population", "remember key"])
  }

  @Test func `the preview follows the selection when no key is pressed, and is drawn once`() {
    var rig = Rig(rows: 30, columns: 100, world: Self.inhabited())
    #expect(rig.browser.wantsRest)
    #expect(rig.browser.cities.previewed == nil)
    rig.take(.rested)
    #expect(rig.browser.cities.previewed == nil, "its names are still under way")
    rig.answerAll()
    #expect(rig.browser.cities.previewed?.name == "Warsaw")
    #expect(!rig.browser.wantsRest)
    let before = rig.log.count
    rig.press(.down, .down)
    #expect(rig.log.count == before, "nothing is asked while keys are pressed")
    #expect(rig.browser.cities.previewed?.name == "Warsaw")
    rig.rest()
    #expect(rig.browser.cities.previewed?.name == "Albany")
    #expect(rig.lines.contains { $0.contains("│ Albany, US") })
    rig.take(.resized(ScreenSize(rows: 24, columns: 80)))
    #expect(!rig.browser.wantsRest)
    #expect(!rig.lines.contains { $0.contains("│") })
  }

  @Test func `positions are copied and opened, and visited cities are found again`() {
    var rig = Rig(world: Self.inhabited())
    rig.press(.alt("y"), .alt("o"))
    #expect(rig.performed == ["copy 1.5,2.5", "open 1.5,2.5"])
    rig.press(.enter, .escape, .down, .enter, .escape)
    rig.press(.alt("v"))
    #expect(rig.lines.contains { $0.contains("│ > Zagreb, HR") })
    #expect(rig.lines.contains { $0.contains("│   Warsaw, PL") })
    rig.press(.down, .enter)
    #expect(rig.browser.cities.view == .details)
    #expect(rig.lines[2].contains("Warsaw, PL"))
    rig.press(.escape)
    #expect(rig.browser.cities.selected?.name == "Zagreb")
    #expect(rig.performed.suffix(3) == ["visit Warsaw", "visit Zagreb", "visit Warsaw"])
  }

  @Test func `cities that were visited in earlier sessions are listed, and can be forgotten`() {
    let earlier = [World.city(4, "Zagreb", "HR"), World.city(3, "Warsaw", "PL")]
    var rig = Rig(state: BrowserState(visits: earlier), world: Self.inhabited())
    rig.press(.alt("v"))
    #expect(rig.lines.contains { $0.contains("│ > Zagreb, HR") })
    rig.press(.delete)
    #expect(rig.performed == ["forget 4"])
    #expect(rig.lines.contains { $0.contains("│ > Warsaw, PL") })
    rig.press(.delete)
    #expect(rig.browser.overlay == nil)
    rig.press(.alt("v"))
    #expect(rig.browser.overlay == nil)
  }

  @Test(arguments: [40, 50, 80, 100, 120, 200])
  func `titles say their region at every width, or the country of a city that is its own`(columns: Int) {
    var world = Self.inhabited()
    world.cities[0].region = "Opole"
    (world.cities[1].region, world.cities[1].country) = ("Albany", "FR")
    var rig = Rig(rows: 20, columns: columns, world: world)
    rig.type("al")
    #expect(rig.lines[2].contains(" Opole") && rig.lines[3].contains(" France"))
    #expect(rig.lines[3].contains("   1.50N   2.50E") == (columns >= 80))
    #expect(rig.lines[3].contains("  99k") == [80, 120, 200].contains(columns))
  }

  @Test func `a title is cut only if its row is full, and the region makes way`() {
    var world = Self.inhabited()
    world.cities[0].name = "Alabama on the River Seine"
    world.cities[1].name = "Alabama on the River Seine and the River Rhine"
    let rig = Rig(rows: 20, columns: 50, world: world)
    let titles = rig.lines.dropFirst(7)
    #expect(titles.first { $0.contains("Seine, US") } == "  Alabama on the River Seine, US  Region")
    #expect(titles.first { $0.contains("Rhi") } == "  Alabama on the River Seine and the River Rhine…")
  }

  @Test func `a click on the name of a subject shows it`() {
    var rig = Rig()
    for (column, subject) in [(9, Subject.banks), (15, .banks), (16, .trade), (22, .trade), (1, .cities)] {
      rig.press(.press(row: 0, column: column))
      #expect(rig.browser.subject == subject)
      #expect(rig.lines[0].prefix(column + 1).contains("["))
    }
    rig.press(.press(row: 0, column: 0), .press(row: 0, column: 23), .press(row: 0, column: 79))
    #expect(rig.browser.subject == .cities)
    rig = Rig(.pick)
    rig.press(.press(row: 0, column: 12))
    #expect(rig.browser.subject == .cities)
  }

  @Test func `keys of other programs move the selection too`() {
    var rig = Rig(world: Self.inhabited())
    rig.press(.control("n"), .control("n"), .control("p"))
    #expect(rig.browser.cities.selected?.name == "Zagreb")
    rig.press(.escape, .character("j"), .character("j"), .character("k"))
    #expect(rig.browser.cities.selected?.name == "Albany")
    rig.press(.press(row: 3, column: 4))
    #expect(rig.browser.cities.selected?.name == "Warsaw")
    rig.press(.press(row: 3, column: 4))
    #expect(rig.browser.cities.view == .details)
  }
}

@Suite("The lines of a list in sections")
struct CityLinesTests {
  @Test func `lines and places are each other's inverse`() {
    var lines = CityLines()
    lines.add(.largest, count: 3, .largest)
    lines.add(.titles, count: 5, .all)
    lines.add(.best, count: 2)
    #expect(lines.count == 12)
    #expect(lines[0] == .heading(.largest))
    #expect(lines[4] == .heading(.all))
    for (section, count) in [(CityLines.Section.largest, 3), (.titles, 5), (.best, 2)] {
      let found = (0..<lines.count).filter { if case .city(section, _)? = lines[$0] { true } else { false } }
      #expect(found.map { lines[$0] } == (0..<count).map { .city(section, $0) })
    }
    #expect(lines[-1] == nil)
    #expect(lines[12] == nil)
    #expect(lines.places(of: .titles, in: 2..<7) == 0..<2)
    #expect(lines.places(of: .titles, in: 9..<12) == 4..<5)
    #expect(lines.places(of: .best, in: 0..<4).isEmpty)
  }

  @Test func `a line without a city leads to the next one`() {
    var lines = CityLines()
    lines.add(.titles, count: 0, .nothing)
    #expect(lines.city(from: 0, towards: 1) == 0)
    lines.add(.best, count: 1, .alsoKnown)
    #expect(lines.count == 3)
    #expect(lines.city(from: 1, towards: -1) == 2)
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
