internal import CitiesClient
internal import CitiesProtocol
internal import System
internal import Text

/// Waits for subjects that have no data yet, as long as something is in progress that may bring it.
///
/// The server never waits: it answers `unavailable` at once, and says whether a download or an import is running. If so
/// the client watches the subject on its own connection, so that events and replies stay apart, and repeats the
/// request after each event and every ``askInterval``: a download that fails sends no event, but changes the answer. A
/// request may need two subjects, as `bank near TITLE` does; all waiting together lasts as long as `--wait` allows.
struct ReadinessWait {
  /// The time after which the request is repeated without an event.
  private static let askInterval = Duration.seconds(1)

  /// How the server is reached.
  let options: ConnectionOptions
  private let end: Deadline
  private var line: WaitingLine
  private var streams: [Subject: WatchStream] = [:]

  /// Starts to count the time.
  init(diagnostics: Diagnostics, options: ConnectionOptions) {
    self.options = options
    end = Deadline(options.wait)
    line = WaitingLine(diagnostics)
  }

  /// Whether to repeat the request: there is an event about the subject of `error`, or it may have changed.
  ///
  /// - Throws: what ``WatchStream/next(patience:)`` throws.
  mutating func wait(for error: ClientError) throws(ClientError) -> Bool {
    guard case .server(let reason) = error, reason.code == .unavailable, options.wait > .zero else { return false }
    // A server that does not report it may have something in progress.
    guard reason.data?.running ?? true else { return false }
    let (subject, limit) = (reason.data?.subject ?? .cities, options.wait)
    var stream = streams[subject] ?? WatchStream(options.configuration, subjects: [subject])
    defer { streams[subject] = stream }
    let ask = Deadline(Self.askInterval)
    while true {
      guard !end.isOver else { return false }
      guard !ask.isOver else { return true }
      line.show { WaitingLine.text(subject, reason.data, elapsed: $0, limit: limit) }
      switch try stream.next(patience: min(WaitingLine.interval, ask.remaining ?? .zero, end.remaining ?? .zero)) {
      case .state(let state) where state.ready[subject.rawValue] == true: return true
      case .event(let event) where event.subject == subject && event.generation != nil: return true
      case .state, .event, .disconnected, nil: continue
      }
    }
  }

  /// Removes the line about the wait.
  mutating func finish() { line.clear() }
}

/// The line about a wait or a long work on a terminal's standard error, from half a second on.
package struct WaitingLine {
  /// Shorter waits show nothing.
  static let delay = Duration.milliseconds(500)
  /// The time between two drawings.
  package static let interval = Duration.milliseconds(100)

  private let diagnostics: Diagnostics
  /// Whether it is shown at all.
  package let isWanted: Bool
  private let interval: Duration
  private let start = MonotonicClock.nanoseconds()
  private var next = Self.delay
  private var isVisible = false

  /// A line for a wait that starts now.
  package init(_ diagnostics: Diagnostics, every interval: Duration = Self.interval, isWanted: Bool = true) {
    (self.diagnostics, self.interval) = (diagnostics, interval)
    self.isWanted = isWanted && diagnostics.isTerminal
  }

  /// Draws the line if it is time, with a text about the time that has passed; where messages are JSON it is one note.
  package mutating func show(_ text: (_ elapsed: Duration) -> String) {
    let elapsed = MonotonicClock.time(since: start)
    guard isWanted, elapsed >= next else { return }
    next = elapsed + interval
    if !diagnostics.isJSON {
      diagnostics.draw("citiesctl: \(visible(text(elapsed)))")
    } else if !isVisible {
      diagnostics.note("waiting", text(elapsed))
    }
    isVisible = true
  }

  /// Wipes the line, so that what follows starts at the margin.
  package mutating func clear() {
    guard isVisible, !diagnostics.isJSON else { return }
    isVisible = false
    diagnostics.draw("")
  }

  /// `banks: downloading 40 %, waiting 3 s of 30 s (--wait)`.
  static func text(_ subject: Subject, _ data: ErrorData?, elapsed: Duration, limit: Duration) -> String {
    let part = data?.done.map { " \(Int(min(max($0, 0), 1) * 100)) %" } ?? ""
    let phase = (data?.phase ?? "no data yet").prefix(30)
    let seconds = elapsed.components.seconds
    return
      "\(subject.rawValue.prefix(20)): \(phase)\(part), waiting \(seconds) s of \(limit.components.seconds) s (--wait)"
  }
}

extension Diagnostics {
  /// Replaces the terminal's current line by `text`; nowhere is left to report that it cannot be written.
  fileprivate func draw(_ text: String) {
    // A line that fills the terminal would continue on the next one, where it cannot be overwritten.
    var shown = Substring(text)
    let width = (TerminalSize(descriptor: descriptor)?.columns ?? .max) - 1
    while cellWidth(String(shown)) > width { shown.removeLast() }
    try? OutputStream.write(Array("\r\(shown)\u{1b}[K".utf8), to: descriptor)
  }
}
