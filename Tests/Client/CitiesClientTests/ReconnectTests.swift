import CitiesClient
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@Suite struct ReconnectTests {
  @Test func `request is sent once more where the connection broke`() throws {
    let server = try FakeServer { $0.connection == 0 ? [.close] : [.send($0.reply(page()))] }
    defer { server.stop() }
    #expect(try client(of: server).send(CitySearch(prefix: "al")) == page())
    #expect(server.connections == 2)
  }

  @Test func `connection that breaks twice is lost`() throws {
    let server = try FakeServer { _ in [.close] }
    defer { server.stop() }
    let error = clientError { _ = try client(of: server).send(CitySearch(prefix: "al")) }
    guard case .connectionLost(let path, _)? = error else { return #expect(Bool(false), "expected connectionLost") }
    #expect(path == server.path)
    #expect(server.connections == 2)
  }

  @Test func `idle connection that was closed is replaced`() throws {
    let server = try FakeServer { $0.number == 0 ? [.send($0.reply(page())), .close] : [] }
    defer { server.stop() }
    let client = client(of: server)
    for _ in 0..<3 { #expect(try client.send(CitySearch(prefix: "al")) == page()) }
    #expect(server.connections == 3)
  }

  @Test func `pipelined requests are all sent again and none is answered twice`() throws {
    let server = try FakeServer { request in
      request.connection == 0 && request.number == 3
        ? [.close] : [.send(request.reply(page(total: request.search?.offset ?? 0)))]
    }
    defer { server.stop() }
    let replies = try client(of: server).send(all: (0..<8).map { CitySearch(prefix: "a", offset: $0) })
    #expect(replies.map(\.total) == Array(0..<8))
    #expect(server.connections == 2)
  }

  @Test func `pipelined requests that are refused and then answered have no error`() throws {
    let busy = frame(ServerEnvelope<CitySearch>(id: 0, error: WireError(.busy, "too many connections")))
    let server = try FakeServer(
      greeting: { $0 == 0 ? [.send(busy), .close] : [] },
      { [.send($0.reply(page(total: $0.search?.offset ?? 0)))] })
    defer { server.stop() }
    let replies = try client(of: server).send(all: (0..<3).map { CitySearch(prefix: "a", offset: $0) })
    #expect(replies.map(\.total) == [0, 1, 2])
    #expect(server.connections == 2)
  }

  @Test func `server that is away for a moment is waited for`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("restarting.sock")
    let first = try FakeServer(path: path) { [.send($0.reply(page(total: 1))), .close] }
    let client = client(of: first)
    #expect(try client.send(CitySearch(prefix: "al")).total == 1)
    first.stop()
    spawn {
      poll(nil, 0, 100)
      _ = try? FakeServer(path: path) { [.send($0.reply(page(total: 2)))] }
    }
    #expect(try client.send(CitySearch(prefix: "al")).total == 2)
  }

  @Test func `server that stays away is no server after the timeout`() throws {
    let server = try FakeServer { [.send($0.reply(page())), .close] }
    let client = client(of: server)
    #expect(try client.send(CitySearch(prefix: "al")) == page())
    server.stop()
    let error = clientError { _ = try client.send(CitySearch(prefix: "al"), timeout: .seconds(2)) }
    guard case .noServer? = error else {
      return #expect(Bool(false), "expected noServer")
    }
  }

  @Test func `server that was never there is not waited for`() throws {
    let folder = try TemporaryFolder()
    let clock = ContinuousClock()
    let begin = clock.now
    let client = Client(.init(location: SocketLocation(path: folder.path("none.sock")), timeout: .seconds(30)))
    #expect(clientError { _ = try client.send(Status()) } != nil)
    #expect(begin.duration(to: clock.now) < .seconds(5))
  }
}
