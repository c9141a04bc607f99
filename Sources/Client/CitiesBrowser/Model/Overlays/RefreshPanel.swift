internal import CitiesProtocol

/// A refresh that was asked for, and what came of it.
struct RefreshPanel: Sendable {
  /// The feeds that are brought up to date.
  let feeds: [FeedName]
  /// How each ended.
  private(set) var outcomes = Slot<Bool, [FeedOutcome]>()

  /// Refreshes the feeds of a subject.
  init(_ subject: Subject) {
    feeds = FeedName.all.filter { $0.subject == subject }
    outcomes.turn(to: true)
  }

  /// Asks, once.
  mutating func ask(_ asker: inout Asker) {
    guard outcomes.isMissing, let id = asker.ask(.refresh(Refresh(feeds: feeds))) else { return }
    outcomes.note(id)
  }

  /// Takes an answer, if it is waited for.
  mutating func take(_ id: UInt64, _ answer: Result<Answer, WireError>) {
    guard outcomes.awaits(id) else { return }
    switch answer {
    case .success(.refresh(let reply)): outcomes.fill(reply.feeds)
    case .success: break
    case .failure(let error): outcomes.fail(error)
    }
  }
}
