import Banks
import CBOR
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct ServerMethodTests {
  @Test func `hello agrees on the highest common protocol`() throws {
    let client = try RunningServer().client()
    let reply = try client.ask(Hello(protocols: [1, 2, 99], client: "test 1"))
    #expect(reply.protocol == 1 && reply.server == ServerVersion.name && reply.ready["cities"] == true)
    #expect(reply.limits["connections"] == 4_096 && reply.limits["request-bytes"] == 65_536)
  }

  @Test func `hello without a common protocol names both sides`() throws {
    let error = try RunningServer().client().error(Hello(protocols: [99], client: "future 9"))
    #expect(error?.code == .invalidParams && error?.data?.protocols == [1])
    #expect(error?.message.contains("future 9") == true && error?.message.contains(ServerVersion.name) == true)
  }

  @Test(arguments: ["city.search", "city.find", "city.near", "city.time", "hello"])
  func `a request may be as deep as the limit, whatever reads it`(method: String) throws {
    let server = try RunningServer()
    let client = try RawClient(server.socket)
    for (id, depth) in [(UInt64(1), 14), (2, 15)] {
      let deep = (0..<depth).reduce(CBORValue.unsigned(0)) { value, _ in .array([value]) }
      // The request and its parameters are two levels themselves.
      let request: [(key: CBORValue, value: CBORValue)] = [
        (.text("id"), .unsigned(id)), (.text("method"), .text(method)),
        (.text("params"), .map([(key: .text("unknown"), value: deep)])),
      ]
      try client.sendFrame(CBOREncoder().encode(CBORValue.map(request)))
      let frame = try #require(try client.receiveFrame())
      let reply = try CBORDecoder().decode(ServerEnvelope<Hello>.self, from: frame)
      #expect((reply.error?.code == .malformed) == (depth > 14), "\(depth): \(String(describing: reply.error))")
    }
  }

  @Test func `status tells of the server and its subjects`() throws {
    let server = try RunningServer()
    let (client, _) = (try server.client(), try server.client())
    _ = try client.ask(Hello(client: "test"))
    let status = try client.ask(Status())
    #expect(status.pid == UInt64(getpid()) && status.requests == 2 && status.connections >= 1)
    #expect(status.subjects.first?.records == 9 && status.subjects.first?.path == server.index)
    #expect(status.sync == "no sync service is configured")
    #expect(status.feeds == FeedName.all.map { FeedReport(feed: $0) })
    #expect(status.holidaysUntil == HolidayTable.shipped.lastDay.map { Timestamp(text: "\($0)T00:00:00Z") })
    #expect(status.holidaysUntil?.secondsSince1970 != nil)
  }

  @Test func `introspect gives the schema's bytes and every method`() throws {
    let reply = try RunningServer().client().ask(Introspect())
    #expect(Array(reply.schema.utf8) == Schema.cddl)
    #expect(reply.methods == MessageRegistry.public.map { $0.method } && reply.protocols == [1])
  }

  @Test func `watching an unknown subject is refused`() throws {
    let error = try RunningServer().client().error(Watch(subjects: [Subject(rawValue: "moons")]))
    #expect(error?.code == .invalidParams && error?.data?.param == "subjects")
  }

  @Test func `those who watch are told that it stops`() throws {
    let server = try RunningServer()
    let client = try server.client()
    _ = try client.ask(Watch())
    server.stop()
    #expect(try client.event()?.event == "stopping")
    #expect(try client.raw.receiveFrame() == nil)
  }
}
