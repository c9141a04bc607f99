import CitiesClient
import CitiesProtocol
import TestSupport
import Testing

@Suite struct VersionTests {
  private static let hello = Hello.Reply(
    protocol: 1, server: "citiesd 0.0.9", ready: [:], generations: [:], limits: [:])

  private func error(
    firstly: @escaping @Sendable (FakeServer.Request) -> [UInt8],
    hello: @escaping @Sendable (FakeServer.Request) -> [UInt8]
  ) throws -> ClientError? {
    let server = try FakeServer { [.send($0.head.method == "hello" ? hello($0) : firstly($0))] }
    defer { server.stop() }
    return clientError { _ = try client(of: server).send(CitySearch(prefix: "al")) }
  }

  @Test(arguments: [[2], [2, 3]] as [[UInt64]])
  func `unknown method of a server with other versions is a mismatch`(versions: [UInt64]) throws {
    let error = try error(
      firstly: { $0.failure(.unknownMethod) },
      hello: { $0.failure(.invalidParams, "no common version", data: .init(protocols: versions)) })
    let mine = ClientError.Endpoint(name: "test 1", protocols: ProtocolVersion.supported)
    #expect(error == .protocolMismatch(client: mine, server: .init(name: "the server", protocols: versions)))
    #expect("\(try #require(error))".contains("the client is the older one"))
  }

  @Test func `unreadable reply of a server with other versions is a mismatch`() throws {
    let other = Hello.Reply(protocol: 0, server: "citiesd 0.0.1", ready: [:], generations: [:], limits: [:])
    let error = try error(
      firstly: { _ in Frame.framed([0x01]) }, hello: { frame(ServerEnvelope<Hello>(id: $0.head.id, result: other)) })
    let text = "\(try #require(error))"
    #expect(text.contains("citiesd 0.0.1 (protocol 0)") && text.contains("test 1 (protocol 1)"))
    #expect(text.contains("restart"))
  }

  @Test func `unknown method of a server with the same version stays what it is`() throws {
    let error = try error(
      firstly: { $0.failure(.unknownMethod) },
      hello: { frame(ServerEnvelope<Hello>(id: $0.head.id, result: Self.hello)) })
    #expect(error == .server(WireError(.unknownMethod, "as asked")))
  }

  @Test func `peer that cannot even say hello stays unreadable`() throws {
    let error = try error(firstly: { _ in Frame.framed([0x01]) }, hello: { _ in Frame.framed([0x01]) })
    guard case .unreadableReply? = error else { return #expect(Bool(false), "expected unreadableReply") }
  }

  @Test(arguments: [ErrorCode.notFound, .busy, .unavailable, .internal])
  func `other errors ask no further question`(code: ErrorCode) throws {
    let error = try error(firstly: { $0.failure(code) }, hello: { $0.failure(.internal, "asked for hello") })
    #expect(error == .server(WireError(code, "as asked")))
  }
}
