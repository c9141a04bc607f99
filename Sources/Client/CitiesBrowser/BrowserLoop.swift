internal import CNcurses
internal import CitiesCommands
internal import CitiesProtocol
internal import Glibc
internal import System

/// Saves positions and settings for later sessions.
struct BrowserKeeper {
  /// Saves the user's position.
  var keep: (Position) throws -> Void = { _ in }
  /// Saves a change of the browser's state.
  var remember: (BrowserState.Change) throws -> Void = { _ in }
  /// Stores the sample data of banks and trade and returns a message for the user.
  var loadSamples: () throws -> String = { "" }
}

/// A single-threaded event loop: waits for keys, the server and signals, updates the model and draws it.
final class BrowserLoop {
  private let terminal: Terminal
  private let link: ServerLink
  private let painter: Painter
  private let signals: Int32
  private let keeper: BrowserKeeper
  private var desktop = Desktop()
  private var browser: Browser
  /// When the screen became out of date; `nil` if it is up to date.
  private var staleSince: ContinuousClock.Instant? = .now
  private var nextTick: ContinuousClock.Instant?
  /// The start of the minute that the screen shows.
  private var minute = ClockReading().minute
  /// When the user counts as idle, unless a key is pressed first.
  private var rest: ContinuousClock.Instant

  /// The interval between requests for the progress of missing data: its arrival is an event, its progress is not.
  private static let betweenTicks = Duration.milliseconds(500)
  /// The idle time before the preview is drawn: during fast typing it would only distract.
  private static let pause = Duration.milliseconds(50)

  /// How long drawing waits for pending replies: most arrive sooner, so that a typed character causes one redraw
  /// instead of two.
  private static let grace = Duration.milliseconds(4)

  /// Makes a loop; `signals` must already be blocked.
  ///
  /// - Parameters:
  ///   - terminal: The screen and the keyboard.
  ///   - link: The server.
  ///   - browser: The initial state.
  ///   - signals: The descriptor that signals are read from.
  ///   - keeper: Saves positions and settings.
  ///   - translations: Names of cities in the user's language.
  init(
    _ terminal: Terminal, _ link: ServerLink, _ browser: Browser, signals: Int32, keeper: BrowserKeeper,
    translations: Translations?
  ) {
    (self.terminal, self.link, self.browser, self.signals) = (terminal, link, browser, signals)
    self.keeper = keeper
    rest = .now + Self.pause
    painter = Painter(terminal.charset, translations)
  }

  /// The signals that the loop reads.
  static let signals = [SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Runs until the user quits or a signal ends it.
  func run() -> Ending {
    if let ending = take([.resized(terminal.size)]) { return ending }
    while true {
      showIfDue()
      let ready = wait()
      if ready.signals, let ending = takeSignals() { return ending }
      if ready.keys, let ending = takeKeys() { return ending }
      if ready.isHungUp { return .signal(SIGHUP) }
      if let ending = take(link.move() + ticks() + rests() + minutes()) { return ending }
    }
  }

  /// Redraws the screen if it is out of date, unless a reply is about to change it.
  private func showIfDue() {
    guard let staleSince, !link.isWaiting || staleSince + Self.grace <= .now else { return }
    terminal.show(painter.picture(of: browser))
    self.staleSince = nil
  }

  /// Marks the screen as out of date.
  private func markStale() { staleSince = staleSince ?? .now }

  /// A tick, if due.
  private func ticks() -> [BrowserEvent] {
    guard browser.isWaitingForData else {
      nextTick = nil
      return []
    }
    if let nextTick, nextTick > .now { return [] }
    defer { nextTick = .now + Self.betweenTicks }
    return nextTick == nil ? [] : [.tick]
  }

  /// The event that the user is idle, if due.
  private func rests() -> [BrowserEvent] { browser.wantsRest && rest <= .now ? [.rested] : [] }

  /// The event that a new minute has started, if so.
  private func minutes() -> [BrowserEvent] {
    let now = ClockReading().minute
    defer { minute = now }
    return now == minute ? [] : [.minute(now)]
  }

  /// How the loop ended.
  enum Ending {
    case left(Departure)
    /// A signal, which ends the process once the terminal is restored.
    case signal(Int32)
  }

  private func wait() -> (keys: Bool, signals: Bool, isHungUp: Bool) {
    var entries = [
      pollfd(fd: terminal.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
    ]
    for polled in link.polled { entries.append(pollfd(fd: polled.descriptor, events: polled.events, revents: 0)) }
    let picture = staleSince.map { $0 + Self.grace }
    let deadline = [picture, link.deadline, nextTick, browser.wantsRest ? rest : nil].compactMap { $0 }.min()
    // Deadlines are on the monotonic clock; the minute is on the wall clock, which may be set meanwhile.
    let pauses = [
      deadline.map { ContinuousClock.now.duration(to: $0) },
      ClockReading().untilNextMinute,
    ]
    let timeout = pauses.compactMap { $0 }.min().map { max(0, ($0 / .milliseconds(1)).rounded(.up)) }
    poll(&entries, nfds_t(entries.count), timeout.map { Int32(min($0, 60_000)) } ?? -1)
    let isHungUp = entries[0].revents & Int16(POLLHUP | POLLERR) != 0
    return (entries[0].revents & Int16(POLLIN) != 0, entries[1].revents != 0, isHungUp)
  }

  private func takeKeys() -> Ending? {
    rest = .now + Self.pause
    while let key = terminal.nextKey() {
      if let ending = take([.key(key)]) { return ending }
    }
    return nil
  }

  private func take(_ events: [BrowserEvent]) -> Ending? {
    if !events.isEmpty { markStale() }
    for event in events {
      for command in browser.update(event) {
        switch command {
        case .ask(let asked): link.send(asked)
        case .redraw: terminal.redraw()
        case .leave(let departure): return .left(departure)
        case .copy(let position): terminal.copy("\(decimalText(position.lat)),\(decimalText(position.lon))")
        case .keep, .remember, .open, .loadSamples:
          if let event = perform(command), let ending = take([event]) { return ending }
        }
      }
    }
    return nil
  }

  /// Performs actions outside the terminal.
  ///
  /// - Returns: The resulting event, if any.
  private func perform(_ command: Command) -> BrowserEvent? {
    do {
      switch command {
      case .keep(let position): try keeper.keep(position)
      case .remember(let change): try keeper.remember(change)
      case .open(let position): try desktop.open(position)
      case .loadSamples: return .reported(try keeper.loadSamples())
      case .ask, .redraw, .leave, .copy: break
      }
      return nil
    } catch {
      switch command {
      case .open: return .failed(Strings.notOpened("\(error)"))
      // Automatic, so that a failure is not reported.
      case .remember(.visit): return nil
      case .loadSamples: return .failed(Strings.noSamples("\(error)"))
      case .keep, .remember, .ask, .redraw, .leave, .copy: return .failed(Strings.notKept("\(error)"))
      }
    }
  }

  private func takeSignals() -> Ending? {
    while let signal = BlockedSignals.next(signals) {
      switch signal {
      case SIGWINCH: if let ending = take([.resized(terminal.resize())]) { return ending }
      case SIGTSTP:
        terminal.suspend()
        if let ending = take([.resized(terminal.resize())]) { return ending }
      case SIGCONT:
        terminal.redraw()
        markStale()
      case SIGINT: if let ending = take([.key(.control("c"))]) { return ending }
      default: return .signal(signal)
      }
    }
    return nil
  }
}
