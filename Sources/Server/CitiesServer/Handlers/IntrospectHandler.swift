import CBOR
import CitiesProtocol
import FrameService

/// `introspect`: the schema this build was made with, and its methods.
final class IntrospectHandler: RequestHandler {
  let method = Introspect.method

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    _ = try request.decode(Introspect.self)
    try reply.write(
      Introspect.Reply(
        schema: String(decoding: Schema.cddl, as: UTF8.self), methods: MessageRegistry.public.map { $0.method },
        protocols: ProtocolVersion.supported, server: ServerVersion.name))
    return .written
  }
}
