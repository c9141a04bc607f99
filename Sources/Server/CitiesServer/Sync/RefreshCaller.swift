import CitiesProtocol
import FrameService

/// A request for feeds, which gets their outcomes together.
final class RefreshCaller {
  /// The timer that ends its wait.
  var timer: TimerID?
  private let isForced: Bool
  private let feeds: [FeedName]
  private let done: ([FeedOutcome]) -> Void
  private var outcomes: [FeedName: FeedOutcome] = [:]

  init(_ feeds: [FeedName], force: Bool, _ done: @escaping ([FeedOutcome]) -> Void) {
    self.feeds = feeds
    isForced = force
    self.done = done
  }

  /// Takes the outcome of a job if it is one of those waited for; `true` if it was the last that was missing.
  func take(_ outcome: FeedOutcome, isForced: Bool) -> Bool {
    guard isForced == self.isForced, feeds.contains(outcome.feed) else { return false }
    outcomes[outcome.feed] = outcome
    return feeds.allSatisfy { outcomes[$0] != nil }
  }

  /// Gives what is known; the rest is still running, for which `reason` may say why.
  func finish(stillRunning reason: String?) {
    done(feeds.map { outcomes[$0] ?? FeedOutcome(feed: $0, outcome: .running, error: reason) })
  }
}
