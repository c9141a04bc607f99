import CitiesProtocol
import FrameService

/// One feed that the sync service is refreshing.
final class FeedJob {
  /// No refresh of one feed takes longer, in nanoseconds: a download is limited by the sync service to far less.
  private static let longest: Int64 = 3_600_000_000_000

  /// The feed.
  let feed: FeedName
  /// Whether its source is asked even if the stored copy is young.
  let isForced: Bool
  /// Its connection: each feed has one of its own, as answers of one connection come in order.
  private let peer: FramedPeer

  init(_ feed: FeedName, force: Bool, _ peer: FramedPeer) {
    self.feed = feed
    isForced = force
    self.peer = peer
  }

  /// Asks; `done` gets the outcome and why the sync service could not be reached, if it could not.
  func start(_ done: @escaping (FeedOutcome, _ unreachable: String?) -> Void) {
    peer.ask(FeedRefresh(feeds: [feed], force: isForced ? true : nil), within: Self.longest) { [self] answer in
      let (outcome, unreachable) = outcome(answer)
      // The sync service leaves when nobody is connected.
      peer.hangUp()
      done(outcome, unreachable)
    }
  }

  /// Waits no longer: the job has failed for `reason`.
  func giveUp(_ reason: String) { peer.hangUp(because: reason) }

  private func outcome(
    _ answer: Result<Refresh.Reply, FramedPeer.Failure>
  ) -> (FeedOutcome, unreachable: String?) {
    switch answer {
    case .success(let reply):
      let outcome = reply.feeds.first { $0.feed == feed }
      return (outcome ?? failed("the sync service did not answer for it"), nil)
    case .failure(.refused(let error)): return (failed(error.message), nil)
    case .failure(.unreachable(let reason)):
      return (failed("the sync service cannot be reached: \(reason)"), reason)
    case .failure(.silent(let since)):
      let reason = SyncProbe.text(since: since)
      return (failed("the sync service cannot be reached: \(reason)"), reason)
    }
  }

  private func failed(_ reason: String) -> FeedOutcome { FeedOutcome(feed: feed, outcome: .failed, error: reason) }
}
