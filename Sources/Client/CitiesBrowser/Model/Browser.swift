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
