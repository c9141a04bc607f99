import CBOR
import CitiesProtocol
import FrameService
import Glibc

/// `status`: the server, its subjects and its feeds.
final class StatusHandler: RequestHandler {
  let method = Status.method
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    _ = try request.decode(Status.self)
    try reply.write(
      Status.Reply(
        server: ServerVersion.name, pid: UInt64(getpid()), started: server.started,
        connections: UInt64(server.service.connectionCount), requests: server.service.counts.answered,
        subjects: server.subjects.map(\.status), feeds: server.feeds.all, sync: server.sync.state,
        folder: server.stateFolder))
    return .written
  }
}
