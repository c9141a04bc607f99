import CBOR
import CitiesClient
import CitiesProtocol
import TestSupport
import Testing

@Suite struct SendTests {
  @Test func `reply comes back typed`() throws {
    let server = try FakeServer { [.send($0.reply(page(total: 327)))] }
    defer { server.stop() }
    let client = client(of: server)
    #expect(try client.send(CitySearch(prefix: "al")) == page(total: 327))
    #expect(client.timing.connect > .zero && client.timing.answer > .zero)
  }

  @Test func `requests use one connection and ids from one up`() throws {
    let server = try FakeServer { [.send($0.reply(page(total: $0.head.id)))] }
    defer { server.stop() }
    let client = client(of: server)
    for id in 1...5 { #expect(try client.send(CitySearch(prefix: "al")).total == UInt64(id)) }
    #expect(server.connections == 1)
    #expect(client.timing.connect == .zero)
  }

  @Test(arguments: [0, 1, 2, Client.window - 1, Client.window, Client.window + 1, 3 * Client.window])
  func `pipelined replies come in the order of the requests`(count: Int) throws {
    let server = try FakeServer { [.send($0.reply(page(total: $0.search?.offset ?? 0)))] }
    defer { server.stop() }
    let offsets = (0..<UInt64(count)).map { 10 * $0 }
    let replies = try client(of: server).send(all: offsets.map { CitySearch(prefix: "a", offset: $0) })
    #expect(replies.map(\.total) == offsets)
    #expect(server.connections <= 1)
  }

  @Test func `server error carries its data and the connection goes on`() throws {
    let data = ErrorData(generation: "00000000000000bb", candidates: [alabama], total: 2)
    let server = try FakeServer { [.send($0.failure(.ambiguous, "two", data: data))] }
    defer { server.stop() }
    let client = client(of: server)
    for _ in 0..<2 {
      let error = clientError { _ = try client.send(CityGet(title: "x")) }
      #expect(error == .server(WireError(.ambiguous, "two", data: data)))
    }
    #expect(server.connections == 1)
  }

  @Test func `error in the middle of many is thrown and leaves the connection usable`() throws {
    let server = try FakeServer { request in
      [.send(request.search?.offset == 2 ? request.failure(.staleGeneration) : request.reply(page()))]
    }
    defer { server.stop() }
    let client = client(of: server)
    let requests = (0..<5).map { CitySearch(prefix: "a", offset: $0) }
    #expect(clientError { _ = try client.send(all: requests) } == .server(WireError(.staleGeneration, "as asked")))
    #expect(try client.send(CitySearch(prefix: "al")) == page())
  }

  @Test func `request larger than a frame is never sent`() throws {
    let server = try FakeServer { [.send($0.reply(page()))] }
    defer { server.stop() }
    let long = CitySearch(prefix: String(repeating: "a", count: Frame.maximumRequest))
    guard case .unsendable? = clientError({ _ = try client(of: server).send(long) }) else {
      return #expect(Bool(false), "expected unsendable")
    }
    #expect(server.connections == 0)
  }

  @Test func `raw call forwards any item and shows the frames`() throws {
    let result = CBORValue.map([(.text("x"), .array([.unsigned(1), .tagged(0, .text("y"))]))])
    let server = try FakeServer { request in
      let reply = CBORValue.map([(.text("id"), .unsigned(request.head.id)), (.text("result"), result)])
      return [.send(Frame.framed((try? reply.encoded()) ?? []))]
    }
    defer { server.stop() }
    let client = client(of: server)
    var seen: [Client.Direction] = []
    client.onFrame = { direction, _ in seen.append(direction) }
    #expect(try client.call(method: "some.thing", params: .map([])) == result)
    #expect(seen == [.sent, .received])
  }

  @Test func `raw call reports the error of the server`() throws {
    let server = try FakeServer { [.send($0.failure(.unknownMethod))] }
    defer { server.stop() }
    let error = clientError { _ = try client(of: server).call(method: "no.such") }
    #expect(error == .server(WireError(.unknownMethod, "as asked")))
  }
}
