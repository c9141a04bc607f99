internal import CitiesClient
internal import CitiesProtocol

/// Waits for a subject that has no data yet.
///
/// The server never waits, it answers `unavailable` at once; the client watches the subject on a connection of its own,
/// so that news and answers need not be told apart on one.
struct ReadinessWait {
  /// Where a person is told what is waited for.
  var diagnostics: Diagnostics

  /// Whether the subject that `reason` is about became ready within `--wait`.
  ///
  /// - Throws: what ``WatchStream/next(patience:)`` throws.
  func wait(for reason: WireError, _ options: ConnectionOptions) throws(ClientError) -> Bool {
    let subject = reason.data?.subject ?? .cities
    if diagnostics.isTerminal { diagnostics.note("waiting", "\(reason.message); waiting up to \(options.wait)") }
    var stream = WatchStream(options.configuration, subjects: [subject])
    let clock = ContinuousClock()
    let end = clock.now + options.wait
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
