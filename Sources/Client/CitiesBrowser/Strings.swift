internal import CitiesProtocol

/// All words of the screen and of its messages, in one place: English only for now.
enum Strings {
  // MARK: - Everywhere

  static let keysHint = "F1 keys"
  static let find = "Find:"
  static let waiting = "Waiting for the server ..."
  static let you = "you"

  static func name(of subject: Subject) -> String {
    switch subject {
    case .cities: "Cities"
    case .banks: "Banks"
    case .trade: "Trade"
    default: subject.rawValue
    }
  }

  static func tooSmall(_ size: ScreenSize) -> String {
    "\(size.columns)x\(size.rows) is too small: "
      + "\(ScreenSize.least.columns)x\(ScreenSize.least.rows) is the least"
  }
  static func lost(_ reason: String) -> String { "\(reason); trying again ..." }
  static func unreadable(_ reason: String) -> String { "The server's answer cannot be read: \(reason)" }
  static func noData(_ phase: String?, _ done: Double?) -> String {
    "No data yet: \(phase ?? "loading")" + (done.map { ", \(Int(min(max($0, 0), 1) * 100)) % done" } ?? "") + " ..."
  }

  /// A note on the origin of the data; `nil` if there is nothing unusual.
  static func note(_ sources: Provenance) -> String? {
    if sources.sample { return "SAMPLE DATA" }
    guard sources.needsNote else { return nil }
    return "OLD DATA" + (sources.asOf.map { " of \($0.text.prefix(16).replacing("T", with: " "))" } ?? "")
  }

  /// A count with commas between thousands.
  static func grouped(_ count: Int) -> String {
    var digits = String(count)
    var place = digits.utf8.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }

  /// A distance in whole metres, or kilometres to three digits or none of their fraction.
  static func distance(_ metres: UInt64) -> String {
    if metres < 1_000 { return "\(metres) m" }
    let tenths = (metres / 50 + 1) / 2
    if tenths < 1_000 { return "\(tenths / 10).\(tenths % 10) km" }
    return "\(grouped(Int(clamping: (metres / 500 + 1) / 2))) km"
  }

  // MARK: - Keys

  /// The keys, and what each does.
  static let keys: [(keys: String, does: String)] = [
    ("letters", "typed into the filter"),
    ("Esc", "back; in the filter: letters are commands"),
    ("/", "letters are typed into the filter again"),
    ("Up Down PgUp PgDn", "through the list; the mouse wheel too"),
    ("Home End", "first and last of the list"),
    ("Enter", "details of what is selected; hours of a bank"),
    ("Tab", "cities, banks, trade"),
    ("m l", "the map, the list"),
    ("arrows + - w", "on the map: move, closer, farther, world"),
    ("n p 0", "on the map: next, previous, all of them"),
    ("a", "cities: accents count, or not"),
    ("h", "banks: nearest to you; again: where you are"),
    ("c", "trade: another currency"),
    ("r", "refresh what is shown from its sources"),
    ("? F1", "these keys"),
    ("q Ctrl-C", "leave"),
    ("Alt-letter", "the command from anywhere, the filter too"),
    ("Ctrl-L", "redraw the screen"),
    ("Ctrl-A Ctrl-E", "start and end of the filter"),
    ("Ctrl-U Ctrl-W", "remove the filter, its last word"),
  ]

  /// The keys of the current screen and their effects, the most useful first.
  static func hints(_ browser: Browser) -> [String] {
    let usual = ["? keys", "q leave"]
    if let overlay = browser.overlay { return hints(overlay) }
    if browser.purpose == .pick && browser.screen.isAtList { return ["Enter pick", "Esc leave without"] }
    if browser.screen.isTyping && browser.screen.isAtList {
      return ["Enter details", "Esc commands", "Tab subject", "Ctrl-C leave"]
    }
    return switch browser.subject {
    case .banks: bankHints(browser.banks.view) + usual
    case .trade:
      (browser.trade.isAtList ? ["Enter transactions"] : ["Esc products"]) + ["c currency", "Tab subject"] + usual
    default: cityHints(browser.cities.view) + usual
    }
  }

  private static func hints(_ overlay: Overlay) -> [String] {
    switch overlay {
    case .keys: ["Up/Down", "Esc back"]
    case .hours, .refresh: ["Esc back"]
    case .currencies: ["Enter choose", "Up/Down", "Esc back"]
    case .position(let panel):
      panel.picked == nil ? ["Enter choose", "Up/Down", "Esc cancel"] : ["y keep", "n only now", "Esc back"]
    }
  }

  private static func cityHints(_ view: ScreenView) -> [String] {
    switch view {
    case .list: ["/ filter", "Enter details", "m map", "a accents", "Tab subject"]
    case .details: ["Esc list", "m map", "Up/Down next"]
    case .map: ["Esc list", "arrows + - w", "n next", "Enter details"]
    }
  }

  private static func bankHints(_ view: ScreenView) -> [String] {
    switch view {
    case .list: ["/ filter", "Enter open", "h nearest", "m map", "Tab subject"]
    case .details: ["Esc list", "Enter hours", "m map", "Up/Down next"]
    case .map: ["Esc list", "n next", "p previous", "Enter details", "0 all"]
    }
  }

  // MARK: - Starting

  static let noSignals = "the system gives no descriptor for signals"
  static func noScreen(_ error: TerminalError) -> String {
    switch error {
    case .absent: "this needs a terminal, and there is none; in a script take 'citiesctl search'"
    case .incapable(let type):
      "the terminal '\(type)' (TERM) cannot show a full screen; 'citiesctl search' works on any"
    }
  }

  // MARK: - Cities

  static let plainGrid = "a plain grid"
  static let folded = "any accents"
  static let plain = "exact accents"
  static let nothingBegins = "Nothing begins with this."
  static let neighbours = "Nearby"
  static func count(_ count: Int) -> String { grouped(count) + (count == 1 ? " city" : " cities") }
  static func facts(_ city: CityRow) -> [String] {
    ["id \(city.id)"] + (city.population.map { ["\(grouped(Int(clamping: $0))) inhabitants"] } ?? [])
  }

  // MARK: - Banks

  static let noRegion = "(without a region)"
  static let noLocations = "No location holds these words."
  static let hours = "Hours"
  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// The kind of rows listed, and their number.
  static func scope(_ screen: BankScreen) -> String {
    switch screen.scope {
    case .headings where screen.list == .headings: locations(Int(clamping: screen.regions.value?.total ?? 0))
    case .headings, .everything: locations(screen.rows.total)
    case .country(_, let name): "\(name): \(screen.rows.total)"
    case .region(let region, _, let name): "\(region ?? "\(name) \(noRegion)"): \(screen.rows.total)"
    case .nearest: "nearest to you: \(screen.count)"
    }
  }
  private static func locations(_ count: Int) -> String { grouped(count) + (count == 1 ? " location" : " locations") }

  static func short(_ open: OpenAnswer) -> String {
    switch open {
    case .yes: "open  "
    case .no: "closed"
    case .unknown: "  ?   "
    }
  }

  private static func sentence(_ open: OpenAnswer) -> String {
    switch open {
    case .yes: "Open now"
    case .no: "Closed now"
    case .unknown: "Whether it is open is not known"
    }
  }

  private static func name(of location: BankRow) -> String {
    switch location.kind {
    case .branch: "Branch"
    case .atm: "ATM"
    case .bna: "BNA (takes cash in too)"
    default: "Of unknown kind" + (location.code.map { " (\($0))" } ?? "")
    }
  }

  /// The details of a location, in lines, the most important first.
  static func details(of entry: BankEntry) -> [(text: String, role: Style.Role)] {
    let location = entry.location
    var lines: [(text: String, role: Style.Role)] = [(location.title, .heading)]
    if location.name != nil { lines.append((location.address, .plain)) }
    lines.append((sentence(entry.open) + (location.hours == nil ? "" : "; Enter: hours"), .strong))
    lines.append((name(of: location), .plain))
    lines.append(([location.region, location.countryName].compactMap { $0 }.joined(separator: ", "), .plain))
    if let distance = entry.distance { lines.append((Self.distance(distance), .plain)) }
    lines += (location.availability ?? "").split(separator: "\n").map { (String($0), .plain) }
    if location.kind == .branch {
      lines += (location.info ?? "").split(separator: "\n").map { (String($0), .plain) }
      if location.noCash { lines.append(("No cash is handled here", .plain)) }
      if location.coinStation { lines.append(("With a machine for coins", .plain)) }
    }
    lines += [location.phone, location.email, location.website].compactMap { $0 }.map { ($0, .plain) }
    lines.append((Degrees.exactText(lat: location.lat, lon: location.lon), .faint))
    lines.append((location.id, .faint))
    return lines
  }

  /// When a location is open on each day of a week.
  static func week(of location: BankRow) -> [String] {
    guard let hours = location.hours else { return [location.availability ?? "They are not known."] }
    return weekdays.enumerated().map { day, name in
      let stretches = hours.filter { $0.day == day }.map { "\(clock($0.opens))-\(clock($0.closes))" }
      let padding = String(repeating: " ", count: 11 - name.count)
      return name + padding + (stretches.isEmpty ? "closed" : stretches.joined(separator: ", "))
    } + ["", location.zone]
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, minute) = (minute / 60, minute % 60)
    let clock = "\(hour > 24 ? hour - 24 : hour):\(minute < 10 ? "0" : "")\(minute)"
    return clock.count < 5 ? "0" + clock : clock
  }

  // MARK: - Where the user is

  static let whereAreYou = "Where are you?"
  static let city = "City:"
  static func suggestion(_ name: String?) -> String {
    name == nil ? "Type the name of a city." : "Suggested by your time zone:"
  }
  static func keepQuestion(_ city: CityRow) -> [String] {
    ["\(city.title).", "Keep this position for later?", "", "y  keep it, for 'citiesctl near' too", "n  for now only"]
  }
  static func notKept(_ reason: String) -> String { "The position could not be kept: \(reason)" }

  // MARK: - Trade

  static let currency = "Currency"
  static let total = "Total"
  static func products(_ count: Int) -> String { grouped(count) + (count == 1 ? " product" : " products") }
  static func transactions(_ count: Int, _ sku: String) -> String { "\(sku): \(transactionCount(count))" }
  static func transactionCount(_ count: Int) -> String {
    grouped(count) + (count == 1 ? " transaction" : " transactions")
  }
  static func amounts(in currency: String) -> String { "in \(currency)" }
  static func amount(_ total: TotalRow) -> String {
    guard let amount = total.amount else { return "more than 38 digits" }
    return "\(total.partial ? "part: " : "")\(amount) \(total.currency)"
  }
  static func notConverted(_ reason: String?) -> String { reason == "overflow" ? "too large" : "no rate" }
  static func leftOut(_ remainder: TotalRow.Remainder) -> String {
    let sum = remainder.sum.map { "\($0) " } ?? ""
    return "left out: \(sum)\(remainder.currency), \(notConverted(remainder.reason))"
  }

  // MARK: - Refreshing

  static let refresh = "Refresh"
  static func outcomes(_ panel: RefreshPanel) -> [String] {
    if let problem = panel.outcomes.problem { return [problem.message] }
    guard let outcomes = panel.outcomes.value else { return panel.feeds.map { "\($0.rawValue): asked ..." } }
    return outcomes.map { "\($0.feed.rawValue): \(text(of: $0))" }
  }

  private static func text(of outcome: FeedOutcome) -> String {
    let records = outcome.records.map { ", \(grouped(Int(clamping: $0))) records" } ?? ""
    return switch outcome.outcome {
    case .failed: "failed: \(outcome.error ?? "")"
    case .reused: "still young" + (outcome.age.map { " (\($0 / 60) min)" } ?? "") + records
    default: outcome.outcome.rawValue + records
    }
  }
}

extension Provenance {
  /// Whether the user should know of it.
  var needsNote: Bool { sample || feeds.contains(where: \.stale) }
}
