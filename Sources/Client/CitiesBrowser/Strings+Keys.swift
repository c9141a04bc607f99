internal import CitiesProtocol

/// A key and its effect in the footer; if they do not all fit, the lowest ranks stay.
struct KeyHint: Hashable, Sendable {
  var keys: String
  var does: String
  var rank: Int

  init(_ keys: String, _ does: String, _ rank: Int) { (self.keys, self.does, self.rank) = (keys, does, rank) }
}

/// Texts about keys: the help and the footer.
extension Strings {
  /// A line of the help: a heading, or keys and their effect; empty between groups.
  struct KeyLine: Hashable, Sendable {
    var keys: String
    /// The effect; `nil` for a heading.
    var does: String?
  }

  /// The keys in groups, each with its heading.
  static let keyGroups: [[KeyLine]] = [
    group(
      "Filter",
      [
        ("letters", "type a name or its start"), ("Esc", "command mode; again: quit"), ("/", "back to the filter"),
        ("Ctrl-U/W", "delete all, a word"), ("Ctrl-A/E", "start, end of the line"),
      ]),
    group(
      "List",
      [
        ("Up Down", "move; also Ctrl-P/N, k j"), ("PgUp PgDn", "page up, page down"), ("Home End", "first, last"),
        ("Enter", "details; hours of a bank"), ("Esc", "back"), ("mouse", "select, open, scroll"),
      ]),
    group(
      "Map",
      [
        ("arrows", "move; or drag the map"), ("+ -", "zoom in, out; or wheel"), ("w", "the whole world"),
        ("n p 0", "next, previous, all"),
      ]),
    group(
      "Commands (with Alt while typing)",
      [
        ("Tab", "next subject; pick: mark"), ("m l", "map, list"), ("s", "cities: largest first"),
        ("b", "cities: best, A to Z, both"), ("a", "cities: match accents"), ("v", "cities: visited"),
        ("y", "copy the coordinates"),
        ("o", "open in a map program"), ("h", "banks: nearest to you"), ("c", "trade: change currency"),
        ("e", "trade: round each step"), ("r", "refresh the data"), ("? F1", "help"), ("Ctrl-L", "redraw the screen"),
        ("q Ctrl-C", "quit"),
      ]),
  ]

  private static func group(_ heading: String, _ keys: [(String, String)]) -> [KeyLine] {
    [KeyLine(keys: heading, does: nil)] + keys.map { KeyLine(keys: $0.0, does: $0.1) }
  }

  /// All lines of the help, one below the other.
  static let keyLines: [KeyLine] = Array(keyGroups.joined(separator: [KeyLine(keys: "", does: nil)]))

  // MARK: - The footer

  private static let help = KeyHint("?", "help", 3)
  private static let quit = KeyHint("q", "quit", 1)

  /// The keys of the current screen and their effects, in the order in which they are shown.
  static func hints(_ browser: Browser) -> [KeyHint] {
    if let overlay = browser.overlay { return hints(overlay, browser) }
    if browser.purpose == .pick && browser.screen.isAtList {
      let mark = browser.cities.marked == nil ? [] : [KeyHint("Tab", "mark", 3)]
      return [KeyHint("Enter", "pick", 0)] + mark + [KeyHint("Esc", "cancel", 1), KeyHint("F1", "help", 2)]
    }
    if browser.screen.isTyping && browser.screen.isAtList {
      return [
        KeyHint("Enter", browser.subject == .banks ? "open" : "details", 0),
        KeyHint("Esc", "command mode", 2), KeyHint("Tab", next(browser), 3),
        KeyHint("Ctrl-C", "quit", 1),
      ]
    }
    return switch browser.subject {
    case .banks: bankHints(browser.banks.view, next(browser)) + [help, quit]
    case .trade:
      [browser.trade.isAtList ? KeyHint("Enter", "transactions", 0) : KeyHint("Esc", "products", 0)]
        + [KeyHint("c", "currency", 2), KeyHint("Tab", next(browser), 4), help, quit]
    default: cityHints(browser.cities, next(browser)) + [help, quit]
    }
  }

  /// The subject that Tab switches to.
  private static func next(_ browser: Browser) -> String {
    let subjects = browser.subjects
    guard let place = subjects.firstIndex(of: browser.subject) else { return "" }
    return name(of: subjects[(place + 1) % subjects.count]).lowercased()
  }

  private static func hints(_ overlay: Overlay, _ browser: Browser) -> [KeyHint] {
    switch overlay {
    case .keys: (browser.layout.lastKeyLine > 0 ? [KeyHint("Up/Down", "scroll", 1)] : []) + [KeyHint("Esc", "back", 0)]
    case .hours, .refresh: [KeyHint("Esc", "back", 0)]
    case .currencies: [KeyHint("Enter", "choose", 1), KeyHint("Up/Down", "move", 2), KeyHint("Esc", "back", 0)]
    case .visits:
      [
        KeyHint("Enter", "open", 1), KeyHint("Up/Down", "move", 3), KeyHint("Del", "forget", 2),
        KeyHint("Esc", "back", 0),
      ]
    case .position:
      browser.position.picked == nil
        ? [KeyHint("Enter", "choose", 1), KeyHint("Up/Down", "move", 2), KeyHint("Esc", "cancel", 0)]
        : [KeyHint("y", "save", 1), KeyHint("n", "this session only", 2), KeyHint("Esc", "back", 0)]
    }
  }

  private static func cityHints(_ screen: CityScreen, _ next: String) -> [KeyHint] {
    switch screen.view {
    case .list:
      [
        KeyHint("/", "filter", 0), KeyHint("Enter", "details", 2), KeyHint("m", "map", 4),
        KeyHint("s", screen.rows.query.order == .key ? "largest first" : "A to Z", 5),
        KeyHint("b", "best or A to Z", 8), KeyHint("a", "accents", 6),
        KeyHint("Tab", next, 7),
      ]
    case .details:
      (screen.purpose == .pick ? [KeyHint("Enter", "pick", 1)] : []) + [
        KeyHint("Esc", "list", 0), KeyHint("m", "map", 2), KeyHint("y", "copy", 4), KeyHint("o", "open", 5),
        KeyHint("Up/Down", "next", 6),
      ]
    case .map:
      [
        KeyHint("Esc", "list", 0), KeyHint("arrows + - w", "move", 2), KeyHint("n", "next", 4),
        KeyHint("Enter", screen.purpose == .pick ? "pick" : "details", 5),
      ]
    }
  }

  private static func bankHints(_ view: ScreenView, _ next: String) -> [KeyHint] {
    switch view {
    case .list:
      [
        KeyHint("/", "filter", 0), KeyHint("Enter", "open", 2), KeyHint("h", "nearest", 4), KeyHint("m", "map", 5),
        KeyHint("Tab", next, 6),
      ]
    case .details:
      [
        KeyHint("Esc", "list", 0), KeyHint("Enter", "hours", 2), KeyHint("m", "map", 4), KeyHint("y", "copy", 5),
        KeyHint("Up/Down", "next", 6),
      ]
    case .map:
      [
        KeyHint("Esc", "list", 0), KeyHint("n", "next", 2), KeyHint("p", "previous", 4), KeyHint("Enter", "details", 5),
        KeyHint("0", "all", 6),
      ]
    }
  }
}
