import CBOR
import CitiesProtocol
import FrameService

/// `hello`: who answers, in which version, and what it has.
///
/// Never delayed.
final class HelloHandler: RequestHandler {
  let method = Hello.method
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let hello = try request.decode(Hello.self)
    let common = Set(hello.protocols).intersection(ProtocolVersion.supported)
    guard let version = common.max() else { throw Self.mismatch(hello) }
    try reply.write(
      Hello.Reply(
        protocol: version, server: ServerVersion.name, ready: server.ready(), generations: server.generations(),
        limits: server.service.limits.told))
    return .written
  }

  /// Both sides by name, so that the user knows which of them is old.
  private static func mismatch(_ hello: Hello) -> WireError {
    let theirs = hello.protocols.prefix(8).map(String.init).joined(separator: ", ")
    let ours = ProtocolVersion.supported.map(String.init).joined(separator: ", ")
    return WireError(
      .invalidParams,
      "\(ServerVersion.name) speaks protocol \(ours), \(hello.client.prefix(64)) speaks \(theirs); update the older one",
      data: ErrorData(param: "protocols", protocols: ProtocolVersion.supported))
  }
}
