import Base
internal import CBOR
internal import CNcurses
internal import CitiesCommands
internal import CitiesProtocol
internal import Glibc
internal import System

/// Keeps positions and states for later sessions.
struct BrowserKeeper {
  /// Keeps the user's position.
  var keep: (Position) throws -> Void = { _ in }
  /// Keeps a change of the browser's state.
  var remember: (BrowserState.Change) throws -> Void = { _ in }
  /// Stores the samples of banks and trade; what there is to say of it.
  var loadSamples: () throws -> String = { "" }
}

/// One loop, one thread: waits for keys, the server and signals, updates the model, and shows its picture.
final class BrowserLoop {
  private let terminal: Terminal
  private let link: ServerLink
  private let painter: Painter
  private let signals: Int32
  private let keeper: BrowserKeeper
  private var desktop = Desktop()
  private var browser: Browser
  /// Since when the browser knows something that the screen does not show; `nil` if there is nothing.
  private var staleSince: ContinuousClock.Instant? = .now
  private var nextTick: ContinuousClock.Instant?
  /// The minute that the clock last showed.
  private var minute = ClockReading.now.minute
  /// When a pause of the user begins, unless a key comes first.
  private var rest: ContinuousClock.Instant

  /// How often missing data is requested again; its arrival is an event, its progress is not.
  private static let betweenTicks = Duration.milliseconds(500)
  /// The pause after the last key before the preview is drawn: during fast typing it would only distract.
  private static let pause = Duration.milliseconds(50)

  /// How long a picture waits for replies that would change it at once: most come sooner, and a typed character is
  /// drawn once then.
  private static let grace = Duration.milliseconds(4)

  /// Puts the parts together; signals are blocked from then on, and read.
  ///
  /// - Parameters:
  ///   - terminal: The screen and the keys.
  ///   - link: The server.
  ///   - browser: The state at the start.
  ///   - signals: What signals are read from.
  ///   - keeper: Keeps things for later.
  ///   - translations: Names of cities in the language of the reader.
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

  /// Runs until the user leaves, or a signal ends it.
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

  /// Shows what the browser knows, unless a reply is about to change it.
  private func showIfDue() {
    guard let staleSince, !link.isWaiting || staleSince + Self.grace <= .now else { return }
    terminal.show(painter.picture(of: browser))
    self.staleSince = nil
  }

  /// Notes that the screen does not show all that the browser knows.
  private func markStale() { staleSince = staleSince ?? .now }

  /// A tick where one is due.
  private func ticks() -> [BrowserEvent] {
    guard browser.isWaitingForData else {
      nextTick = nil
      return []
    }
    if let nextTick, nextTick > .now { return [] }
    defer { nextTick = .now + Self.betweenTicks }
    return nextTick == nil ? [] : [.tick]
  }

  /// The event that the user pauses, if it is due.
  private func rests() -> [BrowserEvent] { browser.wantsRest && rest <= .now ? [.rested] : [] }

  /// The event that a minute has started.
  private func minutes() -> [BrowserEvent] {
    let now = ClockReading.now.minute
    defer { minute = now }
    return now == minute ? [] : [.minute(now)]
  }

  /// How the loop ended.
  enum Ending {
    case left(Departure)
    /// By a signal, which ends the process once the terminal is restored.
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
    // The wall clock may be set meanwhile, and stands apart from the clock of deadlines.
    let pauses = [
      deadline.map { ContinuousClock.now.duration(to: $0) },
      ClockReading.now.untilNextMinute,
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
  /// - Returns: the event with the result, if there is one.
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
      // The user did not ask for this: no message.
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
