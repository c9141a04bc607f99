internal import CitiesProtocol

/// The state of the browser: a value that events change, without a screen or a server.
///
/// ```swift
/// var browser = Browser(.browse, size: .init(rows: 24, columns: 80))
/// let commands = browser.update(.key(.character("a")))     // a request to send
/// let picture = Painter(.unicode).picture(of: browser)     // a picture to show
/// ```
struct Browser: Sendable {
  /// The purposes of a browser.
  enum Purpose: Hashable, Sendable {
    case browse
    case pick
  }

  /// The states of the connection.
  enum ServerState: Hashable, Sendable {
    /// The connection works; the server may be slow.
    case connected(isSlow: Bool)
    /// The connection was lost for a reason, and is being restored.
    case lost(String)
  }

  /// Browsing, or choosing a city.
  let purpose: Purpose
  var layout: Layout
  /// The subject on the screen.
  var subject = Subject.cities
  var cities: CityScreen
  var banks: BankScreen
  var trade = TradeScreen()
  /// The state of the connection.
  private(set) var server = ServerState.connected(isSlow: false)
  /// The panel over the screen, if one is open.
  var overlay: Overlay?
  /// The question where the user is, while its panel is open.
  var position = PositionPanel()
  /// The latest refresh of each subject; one that is under way is not requested again.
  var refreshes: [Subject: FetchedValue<Subject, [FeedOutcome]>] = [:]
  /// The latest keys, as far as the data that they are about has not arrived.
  var waitingKeys: [KeyPress] = []
  /// A message for the user, until the next key.
  var notice: Notice?
  private var state: BrowserState
  /// The city that the system's time zone is named after.
  let zoneCity: String?
  /// The start of this minute, in seconds since 1970.
  private(set) var now: Int64
  private var window = RequestWindow()
  private var generations: [String: String]?

  /// Starts with the cities whose titles start with `prefix`.
  init(
    _ purpose: Purpose, prefix: String = "", here: Position? = nil, zoneCity: String? = nil,
    state: BrowserState = BrowserState(), size: ScreenSize, now: Int64 = 0
  ) {
    (self.purpose, self.zoneCity, self.state, self.now) = (purpose, zoneCity, state, now)
    layout = Layout(size)
    cities = CityScreen(purpose, prefix: prefix, here: here, state, layout)
    banks = BankScreen(here: here)
  }

  /// The cities whose details were shown, the latest first, including earlier sessions.
  var visits: [CityRow] { state.visits }

  /// The available subjects, in their order.
  var subjects: [Subject] { purpose == .pick ? [.cities] : Subject.all }

  /// The screen of the current subject.
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

  /// Whether data was missing and ticks are needed.
  var isWaitingForData: Bool { screen.isWaitingForData || position.isWaitingForData }

  /// Whether the screen changes when the user is idle.
  var wantsRest: Bool { subject == .cities && overlay == nil && cities.wantsRest(layout) }

  /// Takes an event.
  ///
  /// - Returns: The commands to perform, in order.
  mutating func update(_ event: BrowserEvent) -> [Command] {
    let commands = take(event)
    if case .leave? = commands.first { return commands }
    switch subject {
    case .banks: banks.ask(layout, &window)
    case .trade: trade.ask(layout, &window)
    default: cities.ask(layout, &window)
    }
    switch overlay {
    case .position: position.ask(&window)
    case .refresh(let subject): refreshes[subject]?.ask(&window, Refresh(feeds: subject.feeds)) { $0.feeds }
    default: break
    }
    return commands + window.takeIssued().map(Command.ask)
  }

  private mutating func take(_ event: BrowserEvent) -> [Command] {
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
      apply(.outdated(subject))
    case .waiting(let isSlow): if case .connected = server { server = .connected(isSlow: isSlow) }
    case .tick:
      screen.apply(.retry)
      position.apply(.retry)
    case .rested: cities.rest(layout)
    case .minute(let start): now = start
    case .failed(let reason): notice = Notice(text: reason, isProblem: true)
    case .reported(let text): notice = Notice(text: text, isProblem: false)
    }
    return []
  }

  private mutating func take(_ id: UInt64, _ answer: BrowserAnswer) -> [Command] {
    window.answered(id)
    position.take(id, answer)
    for subject in refreshes.keys { _ = refreshes[subject]?.take(id, answer) }
    cities.take(id, answer, layout)
    banks.take(id, answer, layout)
    trade.take(id, answer, layout)
    return pressWaitingKeys()
  }

  // MARK: - The server

  private mutating func connected(_ state: Watch.Reply) {
    server = .connected(isSlow: false)
    window.connected()
    // The data may have changed while there was no connection.
    if let generations {
      for subject in Subject.all where state.generations[subject.rawValue] != generations[subject.rawValue] {
        apply(.outdated(subject))
      }
    }
    generations = state.generations
  }

  private mutating func disconnected(_ reason: String) {
    server = .lost(reason)
    window.connectionLost()
    apply(.connectionLost)
    // The outcome of a refresh cannot be known any more.
    refreshes = [:]
    if case .refresh = overlay { overlay = nil }
  }

  private mutating func apply(_ change: DataChange) {
    position.apply(change)
    cities.apply(change)
    banks.apply(change)
    trade.apply(change)
  }

  // MARK: - Saved state

  /// Changes the saved state, in this session and in the file.
  mutating func change(_ change: BrowserState.Change) -> Command {
    state.apply(change)
    cities.visited(visits)
    return .remember(change)
  }
}

/// A line for the user in place of the footer.
struct Notice: Hashable, Sendable {
  var text: String
  /// Whether something went wrong.
  var isProblem: Bool
}
