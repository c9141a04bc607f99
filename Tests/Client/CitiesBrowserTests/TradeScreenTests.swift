import CitiesProtocol
import Testing

@testable import CitiesBrowser

@Suite("Trade on the screen")
struct TradeScreenTests {
  private var rig: Rig {
    var rig = Rig()
    rig.press(.backTab)
    return rig
  }

  @Test func `products have totals, and the omissions of one are reported`() {
    var rig = rig
    #expect(rig.lines[2].hasPrefix("> M2007"))
    #expect(rig.lines[2].hasSuffix("partial: 14.99 EUR"))
    #expect(rig.lines[3].hasSuffix(" 14.99 EUR"))
    rig.press(.enter)
    #expect(rig.lines[2].hasSuffix("7.36 EUR"))
    #expect(rig.lines[3].hasSuffix("no rate"))
    #expect(rig.lines.contains { $0.contains("not included: 1 XAU (no rate)") })
    rig.press(.escape)
    #expect(rig.browser.trade.isAtList)
  }

  @Test func `moves and Enter before the answer are about the products that it brings`() {
    var rig = Rig()
    for key in [KeyPress.backTab, .down, .enter] { rig.take(.key(key)) }
    #expect(rig.browser.trade.isAtList)
    rig.answerAll()
    #expect(rig.browser.trade.sku == "T2006" && !rig.browser.trade.isAtList)
  }

  @Test func `the selection follows its product when the data changes`() {
    var rig = rig
    rig.press(.down)
    rig.world.skus.insert("A1", at: 0)
    rig.world.generation = "00000000000000bb"
    let now = Timestamp(secondsSince1970: 0)
    rig.take(.news(Watch.Event(event: "changed", subject: .trade, generation: rig.world.generation, at: now)))
    rig.answerAll()
    #expect(rig.browser.trade.sku == "T2006")
  }

  @Test func `the currency is changed in place`() {
    var rig = rig
    rig.press(.down, .character("c"))
    #expect(rig.lines.contains { $0.contains("> EUR") })
    rig.press(.down, .enter)
    #expect(rig.browser.trade.terms.currency == "USD")
    #expect(rig.lines[3].hasPrefix("> T2006"))
    #expect(rig.lines[3].hasSuffix("20.37 USD"))
    rig.press(.enter, .character("c"), .character("e"), .enter)
    #expect(rig.lines[1].contains("T2006"))
    #expect(rig.lines[1].hasSuffix("in EUR"))
  }

  @Test func `a key rounds at each step, and again once`() {
    var rig = rig
    rig.press(.character("e"))
    #expect(rig.lines[1].hasSuffix("in EUR, rounded at each step"))
    #expect((rig.log.last as? ProductList)?.rounding == .step)
    rig.press(.enter)
    #expect((rig.log.last as? ProductGet)?.rounding == .step)
    rig.press(.character("e"))
    #expect(rig.lines[1].hasSuffix("in EUR") && (rig.log.last as? ProductGet)?.rounding == .once)
  }

  @Test(arguments: [KeyPress.tab, .down, .character("?")])
  func `the currencies open only if no other key is pressed before they arrive`(_ key: KeyPress) {
    var rig = rig
    rig.take(.key(.character("c")))
    rig.take(.key(key))
    rig.answerAll()
    if case .currencies? = rig.browser.overlay { Issue.record("the panel is open") }
    #expect(rig.browser.subject == (key == .tab ? .cities : .trade))
  }

  @Test func `currencies that cannot be listed are a notice, and can be requested again`() {
    var rig = rig
    rig.world.problem = WireError(.internal, "no such luck")
    rig.press(.character("c"))
    #expect(rig.browser.overlay == nil && rig.lines[23].contains("! no such luck"))
    rig.world.problem = nil
    rig.press(.character("c"))
    #expect(rig.lines.contains { $0.contains("> EUR") })
  }

  @Test func `the mouse opens the selected product`() {
    var rig = rig
    rig.press(.press(row: 3, column: 4))
    #expect(rig.browser.trade.isAtList)
    rig.press(.press(row: 3, column: 4))
    #expect(rig.lines[1].contains("T2006") && !rig.browser.trade.isAtList)
  }

  @Test func `the screen is there before the data, and fills in when news comes`() {
    var world = World()
    world.problem = WireError(.unavailable, "no data", data: .init(subject: .trade, phase: "downloading", done: 0.5))
    var rig = Rig(world: world)
    rig.press(.backTab)
    #expect(rig.lines.joined().contains("No data yet: downloading, 50% done"))
    rig.world.problem = nil
    rig.take(.news(.init(event: "changed", subject: .trade, generation: "x", at: Timestamp(secondsSince1970: 0))))
    rig.answerAll()
    #expect(rig.lines[2].hasPrefix("> M2007"))
  }

  @Test func `without data Enter takes the samples`() {
    var rig = Rig()
    rig.world.problem = WireError(.unavailable, "no data", data: ErrorData(phase: "no data"))
    rig.press(.tab, .tab, .enter)
    #expect(rig.lines.contains { $0.contains(Strings.offer) } && rig.performed == ["load samples"])
    // The offer would not help against another problem.
    rig.world.problem = WireError(.busy, "busy")
    rig.take(.tick)
    rig.answerAll()
    #expect(!rig.lines.contains { $0.contains(Strings.offer) })
  }
}
