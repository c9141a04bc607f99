internal import CitiesProtocol

/// All that the browser knows: a value that events change, without a screen and without a server.
///
/// ```swift
/// var browser = Browser(.browse, size: .init(rows: 24, columns: 80))
/// let commands = browser.update(.key(.character("a")))     // one question, which someone sends
/// let picture = Painter(.unicode).picture(of: browser)     // what someone shows
/// ```
struct Browser: Sendable {
  /// How the server is.
  enum Link: Hashable, Sendable {
    /// It answers, or is silent for longer than it should be.
    case connected(isSlow: Bool)
    /// It is away, for a reason, and is tried again.
    case lost(String)
  }

  /// What it was started for.
  let purpose: Purpose
  /// Where things stand.
  var layout: Layout
  /// The subject that is seen.
  var subject = Subject.cities
  /// The cities.
  var cities: CityScreen
  /// The banks.
  var banks: BankScreen
  /// Products and their totals.
  var trade = TradeScreen()
  /// How the server is.
  private(set) var link = Link.connected(isSlow: false)
  /// What lies over the screen, if anything.
  var overlay: Overlay?
  /// Something that the user is to know, until the next key.
  var notice: String?
  /// The city that the system's time zone is called after.
  let zoneCity: String?
  private var asker = Asker()
  private var generations: [String: String]?

  /// Begins with the cities that begin with `prefix`.
  init(
    _ purpose: Purpose, prefix: String = "", here: Position? = nil, zoneCity: String? = nil, size: ScreenSize
  ) {
    (self.purpose, self.zoneCity) = (purpose, zoneCity)
    layout = Layout(size)
    cities = CityScreen(prefix: prefix)
    banks = BankScreen(here: here)
  }

  /// The subjects that can be seen, in their order.
  var subjects: [Subject] { purpose == .pick ? [.cities] : Subject.all }

  /// The screen that is seen.
  var screen: any SubjectScreen {
    get {
      switch subject {
      case .banks: banks
      case .trade: trade
      default: cities
      }
    }
    set {
      switch newValue {
      case let screen as BankScreen: banks = screen
      case let screen as TradeScreen: trade = screen
      case let screen as CityScreen: cities = screen
      default: break
      }
    }
  }

  /// Whether something that is wanted was not there yet, so that ticks are wanted.
  var isWaitingForData: Bool { screen.isWaitingForData }

  /// Takes an event.
  ///
  /// - Returns: what is to be done about it, in order.
  mutating func update(_ event: Event) -> [Command] {
    let commands = take(event)
    if case .leave? = commands.first { return commands }
    switch subject {
    case .banks: banks.ask(layout, &asker)
    case .trade: trade.ask(layout, &asker)
    default: cities.ask(layout, &asker)
    }
    switch overlay {
    case .refresh(var panel):
      panel.ask(&asker)
      overlay = .refresh(panel)
    case .position(var panel):
      panel.ask(&asker)
      overlay = .position(panel)
    default: break
    }
    return commands + asker.takeMade().map(Command.ask)
  }

  private mutating func take(_ event: Event) -> [Command] {
    switch event {
    case .key(let key): return press(key)
    case .resized(let size):
      layout = Layout(size)
      cities.settle(layout)
      banks.settle(layout)
      trade.settle(layout)
    case .answer(let id, let answer): return take(id, answer)
    case .connected(let state): connected(state)
    case .disconnected(let reason): disconnected(reason)
    case .news(let news):
      guard news.event == "changed", let subject = news.subject else { break }
      generations?[subject.rawValue] = news.generation
      changed(subject)
    case .waiting(let isSlow): if case .connected = link { link = .connected(isSlow: isSlow) }
    case .tick: screen.retry()
    case .notKept(let reason): notice = reason
    }
    return []
  }

  private mutating func take(_ id: UInt64, _ answer: Result<Answer, WireError>) -> [Command] {
    asker.answered(id)
    switch overlay {
    case .refresh(var panel):
      panel.take(id, answer)
      overlay = .refresh(panel)
    case .position(var panel):
      panel.take(id, answer)
      overlay = .position(panel)
    default: break
    }
    for reaction in [
      cities.take(id, answer, layout), banks.take(id, answer, layout), trade.take(id, answer, layout),
    ] {
      let commands = react(reaction)
      if !commands.isEmpty { return commands }
    }
    return []
  }

  // MARK: - The server

  private mutating func connected(_ state: Watch.Reply) {
    link = .connected(isSlow: false)
    asker.connected()
    // While nobody was there to tell, the data may have changed.
    if let generations {
      for subject in Subject.all where state.generations[subject.rawValue] != generations[subject.rawValue] {
        changed(subject)
      }
    }
    generations = state.generations
  }

  private mutating func disconnected(_ reason: String) {
    link = .lost(reason)
    asker.lost()
    cities.lost()
    banks.lost()
    trade.lost()
    if case .position(var panel) = overlay {
      panel.lost()
      overlay = .position(panel)
    }
    if case .refresh = overlay { overlay = nil }
  }

  private mutating func changed(_ subject: Subject) {
    cities.outdated(subject)
    banks.outdated(subject)
    trade.outdated(subject)
  }
}

extension Browser {
  /// Does what a key means: over the screen, everywhere, or on the screen that is seen.
  mutating func press(_ key: Key) -> [Command] {
    notice = nil
    if key == .control("c") { return [.leave(.interrupted)] }
    if key == .control("l") { return [.redraw] }
    if let overlay { return press(key, over: overlay) }
    // Alt with a letter is the command of that letter, from anywhere; a letter alone where nothing is typed.
    switch key {
    case .alt(let letter): if let commands = command(letter) { return commands }
    case .character(let letter) where !screen.isTyping || !screen.isAtList:
      if let commands = command(letter) { return commands }
    case .function(1): return command("?") ?? []
    case .tab: turn(by: 1)
    case .backTab: turn(by: -1)
    case .escape where purpose == .pick && screen.isAtList: return [.leave(.interrupted)]
    default: break
    }
    if key == .tab || key == .backTab { return [] }
    return react(screen.press(key, layout))
  }

  /// The commands that all screens have; `nil` for a letter that is none.
  private mutating func command(_ letter: Character) -> [Command]? {
    switch letter {
    case "q": return [.leave(.done)]
    case "?": overlay = .keys(from: 0)
    case "r" where purpose == .browse: overlay = .refresh(RefreshPanel(subject))
    default: return nil
    }
    return []
  }

  private mutating func turn(by places: Int) {
    let subjects = self.subjects
    guard let place = subjects.firstIndex(of: subject) else { return }
    subject = subjects[(place + places + subjects.count) % subjects.count]
    screen.settle(layout)
  }

  /// Does what a screen cannot do by itself.
  mutating func react(_ reaction: Reaction) -> [Command] {
    switch reaction {
    case .ignored, .handled: break
    case .chosen(let city):
      if purpose == .pick { return [.leave(.picked(city, generation: cities.rows.generation ?? ""))] }
      cities.turn(to: .details, layout)
    case .over(let overlay): self.overlay = overlay
    case .wantsPosition: overlay = .position(PositionPanel(suggestion: banks.here == nil ? zoneCity : nil))
    }
    return []
  }

  // MARK: - Over the screen

  private mutating func press(_ key: Key, over overlay: Overlay) -> [Command] {
    switch overlay {
    case .keys(let line): press(key, onKeysFrom: line)
    case .hours, .refresh: self.overlay = nil
    case .currencies(let known, let selected): press(key, onCurrencies: known, selected)
    case .position(let panel): return press(key, on: panel)
    }
    return []
  }

  private mutating func press(_ key: Key, onKeysFrom line: Int) {
    switch key {
    case .down, .wheelDown, .pageDown: overlay = .keys(from: min(line + 1, layout.lastKeyLine))
    case .up, .wheelUp, .pageUp: overlay = .keys(from: max(0, line - 1))
    default: overlay = nil
    }
  }

  private mutating func press(_ key: Key, onCurrencies known: [String], _ selected: String) {
    let place = known.firstIndex(of: selected) ?? 0
    switch key {
    case .down: overlay = .currencies(known, selected: known[min(place + 1, known.count - 1)])
    case .up: overlay = .currencies(known, selected: known[max(place - 1, 0)])
    case .character(let letter):
      let typed = Character(letter.uppercased())
      if let next = known.first(where: { $0.first == typed }) { overlay = .currencies(known, selected: next) }
    case .enter:
      overlay = nil
      trade.turn(to: selected)
    case .escape: overlay = nil
    default: break
    }
  }

  private mutating func press(_ key: Key, on panel: PositionPanel) -> [Command] {
    var panel = panel
    switch panel.press(key) {
    case .open: overlay = .position(panel)
    case .closed: overlay = nil
    case .found(let city, let isKept):
      overlay = nil
      banks.take(here: city.position)
      banks.turn(to: .nearest)
      banks.turn(to: .list, layout)
      return isKept ? [.keep(city.position)] : []
    }
    return []
  }
}
