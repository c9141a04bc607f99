import CBOR
import CitiesProtocol
import FrameService

/// `feed.status`: what is known of every feed.
final class FeedStatusHandler: RequestHandler {
  let method = FeedStatus.method
  private let engine: SyncEngine

  init(_ engine: SyncEngine) { self.engine = engine }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    _ = try request.decode(FeedStatus.self)
    try reply.write(FeedStatus.Reply(feeds: engine.reports))
    return .written
  }
}
