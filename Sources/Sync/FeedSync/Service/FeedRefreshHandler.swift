import CBOR
import CitiesProtocol
import FrameService

/// `feed.refresh`: replies when every requested feed has finished.
final class FeedRefreshHandler: RequestHandler {
  /// The loop's mailbox, set before the service runs.
  var mailbox: Mailbox?
  private let engine: SyncEngine
  private let configure: () throws(FeedError) -> Void
  private let waiting = WaitingReplies()

  /// Calls `configure` before every refresh: an edited configuration applies at once; an invalid one is reported.
  init(_ engine: SyncEngine, configure: @escaping () throws(FeedError) -> Void) {
    self.engine = engine
    self.configure = configure
  }

  func answer(_ asked: FeedRefresh, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    do throws(FeedError) { try configure() } catch {
      throw WireError(.unavailable, error.description)
    }
    let feeds = try check(asked.feeds ?? [])
    guard let mailbox else { throw WireError(.internal, "the service has not started") }
    let pending = try caller.later()
    let ticket = waiting.add(pending, feeds: feeds.isEmpty ? engine.names : feeds)
    pending.onCancel { [waiting] in _ = waiting.take(ticket) }
    let reach: FeedReach = asked.force == true ? .forced : asked.known == true ? .known : .due
    engine.refresh(feeds, reach: reach) { [waiting] outcomes in
      mailbox.post { _ in waiting.take(ticket)?.succeed(Refresh.Reply(feeds: outcomes)) }
    }
    return .later(pending)
  }

  /// Replies to waiting clients that the refresh continues: the stopping service finishes what it has begun.
  func answerRunning() {
    for (reply, feeds) in waiting.takeAll() {
      reply.succeed(Refresh.Reply(feeds: feeds.map { FeedOutcome(feed: $0, outcome: .running) }))
    }
  }

  private func check(_ feeds: [FeedName]) throws(WireError) -> [FeedName] {
    for feed in feeds where !engine.names.contains(feed) {
      let known = engine.names.map(\.rawValue)
      let problem = "there is no feed \"\(feed.rawValue.excerpt(64))\"; there are \(known.joined(separator: ", "))"
      throw .unknownName("feeds", feed.rawValue, problem, of: known)
    }
    guard Set(feeds).count == feeds.count else { throw .invalidParam("feeds", "a feed is named twice") }
    return feeds
  }
}

/// Replies that await outcomes, by ticket.
///
/// `Sendable` because the engine's threads only pass it on to the loop's thread, the only one that uses it.
private final class WaitingReplies: @unchecked Sendable {
  private var replies: [UInt64: (reply: PendingReply, feeds: [FeedName])] = [:]
  private var issued: UInt64 = 0

  func add(_ reply: PendingReply, feeds: [FeedName]) -> UInt64 {
    issued += 1
    replies[issued] = (reply, feeds)
    return issued
  }

  func take(_ ticket: UInt64) -> PendingReply? { replies.removeValue(forKey: ticket)?.reply }

  func takeAll() -> [(PendingReply, [FeedName])] {
    defer { replies = [:] }
    return replies.sorted { $0.key < $1.key }.map { ($0.value.reply, $0.value.feeds) }
  }
}
