internal import CitiesProtocol

/// All that the browser knows: a value that events change, without a screen and without a server.
///
/// ```swift
/// var browser = Browser(.browse, size: .init(rows: 24, columns: 80))
/// let commands = browser.update(.key(.character("a")))     // one question, which someone sends
/// let picture = Painter(.unicode).picture(of: browser)     // what someone shows
/// ```
struct Browser: Sendable {
  /// The purposes of a browser.
  enum Purpose: Hashable, Sendable {
    case browse
    case pick
  }

  /// The states of the connection.
  enum ServerState: Hashable, Sendable {
    /// The server answers, or takes longer than it should.
    case connected(isSlow: Bool)
    /// The connection was lost, for a reason, and is being made again.
    case lost(String)
  }

  /// The purpose that it was started for.
  let purpose: Purpose
  var layout: Layout
  /// The subject that is seen.
  var subject = Subject.cities
  var cities: CityScreen
  var banks: BankScreen
  var trade = TradeScreen()
  /// The state of the connection.
  private(set) var server = ServerState.connected(isSlow: false)
  /// The panel over the screen, if there is one.
  var overlay: Overlay?
  /// Something that the user is to know, until the next key.
  var notice: Notice?
  /// The cities whose details were shown, the last one first, in earlier sessions too.
  private(set) var visits: [CityRow]
  /// The city that the system's time zone is called after.
  let zoneCity: String?
  private var window = RequestWindow()
  private var generations: [String: String]?

  /// Starts with the cities whose titles start with `prefix`.
  init(
    _ purpose: Purpose, prefix: String = "", here: Position? = nil, zoneCity: String? = nil,
    state: BrowserState = BrowserState(), size: ScreenSize
  ) {
    (self.purpose, self.zoneCity) = (purpose, zoneCity)
    layout = Layout(size)
    visits = state.visits
    cities = CityScreen(purpose, prefix: prefix, here: here, order: state.order)
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

  /// Whether needed data was missing, so that ticks are wanted.
  var isWaitingForData: Bool { screen.isWaitingForData }

  /// Whether something is to be shown once the user presses no key for a moment.
  var wantsRest: Bool { subject == .cities && overlay == nil && cities.wantsRest(layout) }

  /// Whether a clock is seen, so that news of a minute's end is wanted.
  var showsClock: Bool { subject == .cities && cities.showsClock }

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
    case .refresh(var panel):
      panel.ask(&window)
      overlay = .refresh(panel)
    case .position(var panel):
      panel.ask(&window)
      overlay = .position(panel)
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
      changed(subject)
    case .waiting(let isSlow): if case .connected = server { server = .connected(isSlow: isSlow) }
    case .tick: screen.retry()
    case .rested: cities.rest(layout)
    case .minute: cities.minutePassed()
    case .failed(let reason): notice = Notice(reason, isProblem: true)
    case .weekday(let day): if case .hours(let location, _) = overlay { overlay = .hours(location, today: day) }
    }
    return []
  }

  private mutating func take(_ id: UInt64, _ answer: Result<BrowserReply, WireError>) -> [Command] {
    window.answered(id)
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
    server = .connected(isSlow: false)
    window.connected()
    // The data may have changed while there was no connection.
    if let generations {
      for subject in Subject.all where state.generations[subject.rawValue] != generations[subject.rawValue] {
        changed(subject)
      }
    }
    generations = state.generations
  }

  private mutating func disconnected(_ reason: String) {
    server = .lost(reason)
    window.connectionLost()
    cities.connectionLost()
    banks.connectionLost()
    trade.connectionLost()
    if case .position(var panel) = overlay {
      panel.connectionLost()
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

/// A line for the user in place of the footer.
struct Notice: Hashable, Sendable {
  var text: String
  /// Whether something went wrong.
  var isProblem: Bool

  init(_ text: String, isProblem: Bool) { (self.text, self.isProblem) = (text, isProblem) }
}

extension Browser {
  /// Handles a key: over the screen, everywhere, or on the screen that is seen.
  mutating func press(_ key: KeyPress) -> [Command] {
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

  /// The commands that all screens have; `nil` for other letters.
  private mutating func command(_ letter: Character) -> [Command]? {
    switch letter {
    case "q": return [.leave(.done)]
    case "?": overlay = .keys(from: 0)
    case "r" where purpose == .browse: overlay = .refresh(RefreshPanel(subject))
    case "v" where subject == .cities && !visits.isEmpty: overlay = .visits(selected: 0)
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

  /// Performs an action that a screen cannot perform itself.
  mutating func react(_ reaction: Reaction) -> [Command] {
    switch reaction {
    case .ignored, .handled: break
    case .chosen(let city):
      if purpose == .pick { return [.leave(.picked(city, generation: cities.rows.generation ?? ""))] }
      cities.show(.details, layout)
      return [change(.visit(city))]
    case .over(let overlay): self.overlay = overlay
    case .wantsHours(let location):
      overlay = .hours(location, today: nil)
      return [.weekday(zone: location.zone)]
    case .perform(let command):
      if case .copy(let position) = command { notice = Notice(Strings.copied(position), isProblem: false) }
      return [command]
    case .wantsPosition: overlay = .position(PositionPanel(suggestion: banks.here == nil ? zoneCity : nil))
    }
    return []
  }

  // MARK: - Over the screen

  private mutating func press(_ key: KeyPress, over overlay: Overlay) -> [Command] {
    switch overlay {
    case .keys(let line): press(key, onKeysFrom: line)
    case .hours, .refresh: self.overlay = nil
    case .currencies(let known, let selected): press(key, onCurrencies: known, selected)
    case .visits(let selected): return press(key, onVisits: selected)
    case .position(let panel): return press(key, on: panel)
    }
    return []
  }

  private mutating func press(_ key: KeyPress, onKeysFrom line: Int) {
    switch key {
    case .down, .wheelDown, .pageDown, .control("n"), .character("j"):
      overlay = .keys(from: min(line + 1, layout.lastKeyLine))
    case .up, .wheelUp, .pageUp, .control("p"), .character("k"): overlay = .keys(from: max(0, line - 1))
    default: overlay = nil
    }
  }

  private mutating func press(_ key: KeyPress, onVisits selected: Int) -> [Command] {
    switch key {
    case .down, .wheelDown, .control("n"), .character("j"):
      overlay = .visits(selected: min(selected + 1, visits.count - 1))
    case .up, .wheelUp, .control("p"), .character("k"): overlay = .visits(selected: max(selected - 1, 0))
    case .enter:
      overlay = nil
      let city = visits[selected]
      cities.revisit(city, layout)
      return [change(.visit(city))]
    case .delete, .character("d"):
      let forgotten = change(.forget(id: visits[selected].id))
      overlay = visits.isEmpty ? nil : .visits(selected: min(selected, visits.count - 1))
      return [forgotten]
    case .escape: overlay = nil
    default: break
    }
    return []
  }

  /// Changes the kept state, here and for later.
  private mutating func change(_ change: BrowserState.Change) -> Command {
    var state = BrowserState(visits: visits)
    state.apply(change)
    visits = state.visits
    return .remember(change)
  }

  private mutating func press(_ key: KeyPress, onCurrencies known: [String], _ selected: String) {
    let place = known.firstIndex(of: selected) ?? 0
    switch key {
    case .down, .control("n"): overlay = .currencies(known, selected: known[min(place + 1, known.count - 1)])
    case .up, .control("p"): overlay = .currencies(known, selected: known[max(place - 1, 0)])
    case .character(let letter):
      let typed = Character(letter.uppercased())
      if let next = known.first(where: { $0.first == typed }) { overlay = .currencies(known, selected: next) }
    case .enter:
      overlay = nil
      trade.convert(to: selected)
    case .escape: overlay = nil
    default: break
    }
  }

  private mutating func press(_ key: KeyPress, on panel: PositionPanel) -> [Command] {
    var panel = panel
    switch panel.press(key) {
    case .open: overlay = .position(panel)
    case .closed: overlay = nil
    case .found(let city, let isKept):
      overlay = nil
      banks.take(here: city.position)
      cities.here = city.position
      banks.setScope(.nearest)
      banks.show(.list, layout)
      return isKept ? [.keep(city.position)] : []
    }
    return []
  }
}
