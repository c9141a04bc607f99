import CBOR
import CitiesProtocol
import FrameService

/// `watch`: where things stand, then news as long as the connection lives.
final class WatchHandler: RequestHandler {
  let method = Watch.method
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let wanted = try request.decode(Watch.self).subjects ?? []
    let known = server.subjects.map(\.subject)
    if let unknown = wanted.first(where: { !known.contains($0) }) {
      throw .invalidParam("subjects", "there is no subject \"\(unknown.rawValue.prefix(64))\"")
    }
    server.watchers.add(try request.subscribe(), wanted)
    try reply.write(Watch.Reply(ready: server.ready(wanted), generations: server.generations(wanted)))
    return .written
  }
}
