import CBOR
import CitiesProtocol
import FrameService

/// `hello`: names this service; it has feeds and no subjects.
final class HelloHandler: RequestHandler {
  let method = Hello.method
  private let limits: [String: UInt64]

  init(_ limits: [String: UInt64]) { self.limits = limits }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let hello = try request.decode(Hello.self)
    guard let common = hello.protocols.filter(ProtocolVersion.supported.contains).max() else {
      throw WireError(
        .invalidParams, "\(SyncService.server) speaks none of the protocols that \(hello.client.prefix(64)) offers",
        data: ErrorData(param: "protocols", protocols: ProtocolVersion.supported))
    }
    try reply.write(
      Hello.Reply(protocol: common, server: SyncService.server, ready: [:], generations: [:], limits: limits))
    return .written
  }
}
