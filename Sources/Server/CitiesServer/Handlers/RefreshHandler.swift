import CBOR
import CitiesProtocol
import FrameService

/// `refresh`: bring feeds up to date; answered when all have finished, or with `running` for those that have not.
final class RefreshHandler: RequestHandler {
  let method = Refresh.method
  private let sync: SyncService

  init(_ sync: SyncService) { self.sync = sync }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let refresh = try request.decode(Refresh.self)
    let asked = refresh.feeds ?? []
    // Each name is answered: a long list of the same few would make every caller's answer as long, all in one moment.
    guard asked.count <= FeedName.all.count else {
      throw .invalidParam("feeds", "\(asked.count) names; there are \(FeedName.all.count) feeds")
    }
    if let unknown = asked.first(where: { !FeedName.all.contains($0) }) {
      throw .invalidParam("feeds", "there is no feed \"\(unknown.rawValue.prefix(64))\"")
    }
    let isForced = refresh.force ?? false
    guard !isForced || request.peer.isTrusted else {
      throw WireError(.permissionDenied, "only root and the server's own user may force a refresh")
    }
    let pending = try request.later()
    let caller = sync.refresh(asked.isEmpty ? FeedName.all : asked, force: isForced) { outcomes in
      pending.succeed(Refresh.Reply(feeds: outcomes))
    }
    pending.onCancel { [unowned sync] in sync.forget(caller) }
    return .later
  }
}
