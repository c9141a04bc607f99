package import CitiesProtocol
import Synchronization

/// What an engine tells while it works, on its own threads.
package struct EngineObserver: Sendable {
  /// How far a feed is.
  package var progress: @Sendable (FeedName, Progress) -> Void = { _, _ in }
  /// Why an attempt failed.
  package var failure: @Sendable (FeedName, FeedError) -> Void = { _, _ in }

  /// Tells nobody.
  package init() {}
}

/// Why attempts failed, gathered from an engine's threads.
package final class FailureList: Sendable {
  private let errors = Mutex<[FeedError]>([])

  /// Starts without any.
  package init() {}

  /// All so far, in the order in which they came.
  package var all: [FeedError] { errors.withLock { $0 } }

  /// Adds one.
  package func add(_ error: FeedError) { errors.withLock { $0.append(error) } }
}
