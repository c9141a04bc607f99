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

  /// What lies over the screen.
  enum Overlay: Hashable, Sendable {
    /// The keys, from a line of them on.
    case keys(from: Int)
  }

  /// What it was started for.
  let purpose: Purpose
  /// The screen.
  private(set) var layout: Layout
  /// The cities.
  private(set) var cities: CityScreen
  /// How the server is.
  private(set) var link = Link.connected(isSlow: false)
  /// What lies over the screen, if anything.
  private(set) var overlay: Overlay?
  private var asker = Asker()

  /// Begins with the cities that begin with `prefix`.
  init(_ purpose: Purpose, prefix: String = "", size: ScreenSize) {
    self.purpose = purpose
    layout = Layout(size)
    cities = CityScreen(prefix: prefix)
  }

  /// Takes an event.
  ///
  /// - Returns: what is to be done about it, in order.
  mutating func update(_ event: Event) -> [Command] {
    if let departure = take(event) { return [.leave(departure)] }
    cities.ask(layout, &asker)
    return asker.takeMade().map(Command.ask)
  }

  private mutating func take(_ event: Event) -> Departure? {
    switch event {
    case .key(let key): return press(key)
    case .resized(let size):
      layout = Layout(size)
      cities.settle(layout)
    case .answer(let id, let answer):
      asker.answered(id)
      if let chosen = cities.take(id, answer, layout) { return open(chosen) }
    case .connected(let state): connected(state)
    case .disconnected(let reason):
      link = .lost(reason)
      asker.lost()
      cities.lost()
    case .news(let news):
      if news.subject == .cities && news.event == "changed" { cities.outdated() }
    case .waiting(let isSlow):
      if case .connected = link { link = .connected(isSlow: isSlow) }
    }
    return nil
  }

  private mutating func connected(_ state: Watch.Reply) {
    link = .connected(isSlow: false)
    // While nobody was there to tell, the data may have changed.
    if let mine = cities.rows.generation, state.generations[Subject.cities.rawValue] != mine { cities.outdated() }
  }

  private mutating func open(_ city: CityRow) -> Departure? {
    if purpose == .pick { return .picked(city, generation: cities.rows.generation ?? "") }
    cities.view = .details
    return nil
  }

  // MARK: - Keys

  private mutating func press(_ key: Key) -> Departure? {
    if key == .control("c") { return .interrupted }
    if let overlay {
      press(key, over: overlay)
      return nil
    }
    let isTyping = cities.view == .list && cities.isTyping
    // Alt with a letter is the command of that letter, from anywhere.
    if case .alt(let letter) = key { return command(letter, .character(letter)) }
    if key == .function(1) { return command("?", key) }
    if case .character(let letter) = key, !isTyping { return command(letter, key) }
    if key == .escape && purpose == .pick && cities.view == .list { return .interrupted }
    return pressOnScreen(key)
  }

  private mutating func command(_ letter: Character, _ key: Key) -> Departure? {
    switch letter {
    case "q": return .done
    case "?": overlay = .keys(from: 0)
    case "a": cities.toggleMatch()
    default: return pressOnScreen(key)
    }
    return nil
  }

  private mutating func pressOnScreen(_ key: Key) -> Departure? {
    switch cities.press(key, layout) {
    case .chosen(let city): open(city)
    case .handled, .ignored: nil
    }
  }

  private mutating func press(_ key: Key, over overlay: Overlay) {
    guard case .keys(let line) = overlay else { return }
    switch key {
    case .down, .wheelDown, .pageDown: self.overlay = .keys(from: min(line + 1, layout.lastKeyLine))
    case .up, .wheelUp, .pageUp: self.overlay = .keys(from: max(0, line - 1))
    default: self.overlay = nil
    }
  }
}
