import CBOR
import CitiesProtocol
import FrameService
import System

/// Who wants to know of changes.
final class Watchers {
  private struct Watcher {
    let subscription: Subscription
    /// The subjects it asked for; nil for all.
    let subjects: Set<Subject>?
  }

  private var watchers: [Watcher] = []

  /// Adds a subscriber for `subjects`; all if that is empty.
  func add(_ subscription: Subscription, _ subjects: [Subject]) {
    watchers.removeAll { !$0.subscription.isOpen }
    watchers.append(Watcher(subscription: subscription, subjects: subjects.isEmpty ? nil : Set(subjects)))
  }

  /// Tells everyone whom `event` concerns.
  func tell(_ event: Watch.Event) {
    guard !watchers.isEmpty, let bytes = try? CBOREncoder().encode(event) else { return }
    for watcher in watchers where isWanted(event, watcher) { watcher.subscription.send(bytes) }
    watchers.removeAll { !$0.subscription.isOpen }
  }

  private func isWanted(_ event: Watch.Event, _ watcher: Watcher) -> Bool {
    guard let subject = event.subject, let wanted = watcher.subjects else { return true }
    return wanted.contains(subject)
  }
}

extension Timestamp {
  /// This moment.
  static var now: Timestamp { Timestamp(secondsSince1970: secondsNow) }
  /// This moment in seconds since 1970-01-01T00:00:00Z.
  static var secondsNow: Int64 { SystemClock.seconds() }
}
