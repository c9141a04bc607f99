internal import CitiesClient
internal import CitiesProtocol

/// Waits for subjects that have no data yet.
///
/// The server never waits, it answers `unavailable` at once; the client watches the subject on a connection of its own,
/// so that news and answers need not be told apart on one. A question may need two subjects, as `bank near TITLE` does,
/// so there may be more than one wait; all of them together last as long as `--wait` allows.
struct ReadinessWait {
  /// Where a person is told what is waited for.
  let diagnostics: Diagnostics
  /// How the server is reached.
  let options: ConnectionOptions
  private let end: ContinuousClock.Instant
  private var waitedFor: [Subject] = []

  /// Begins to count the time.
  init(diagnostics: Diagnostics, options: ConnectionOptions) {
    (self.diagnostics, self.options) = (diagnostics, options)
    end = .now + options.wait
  }

  /// Whether the subject that `error` is about became ready in time; each is waited for once.
  ///
  /// - Throws: what ``WatchStream/next(patience:)`` throws.
  mutating func wait(for error: ClientError) throws(ClientError) -> Bool {
    guard case .server(let reason) = error, reason.code == .unavailable, options.wait > .zero else { return false }
    let subject = reason.data?.subject ?? .cities
    guard !waitedFor.contains(subject) else { return false }
    waitedFor.append(subject)
    if diagnostics.isTerminal { diagnostics.note("waiting", "\(reason.message); waiting up to \(options.wait)") }
    var stream = WatchStream(options.configuration, subjects: [subject])
    let clock = ContinuousClock()
    while clock.now < end {
      switch try stream.next(patience: clock.now.duration(to: end)) {
      case .state(let state) where state.ready[subject.rawValue] == true: return true
      case .event(let event) where event.subject == subject && event.generation != nil: return true
      case .state, .event, .disconnected, nil: continue
      }
    }
    return false
  }
}
