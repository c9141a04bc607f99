import CitiesClient
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@Suite struct WatchStreamTests {
  private static let now = Timestamp(text: "2026-03-01T12:00:00Z")
  private static let state = Watch.Reply(ready: ["cities": true], generations: ["cities": "00000000000000aa"])

  private static func reply(_ request: FakeServer.Request) -> [UInt8] {
    frame(ServerEnvelope<Watch>(id: request.head.id, result: state))
  }

  private static func event(_ request: FakeServer.Request, _ name: String) -> [UInt8] {
    frame(
      ServerEnvelope<Watch>(
        id: request.head.id, event: Watch.Event(event: name, subject: .cities, generation: nil, at: now)))
  }

  private func stream(_ server: FakeServer) -> WatchStream {
    WatchStream(.init(location: SocketLocation(path: server.path), timeout: .seconds(30)))
  }

  @Test func `state comes first and then the events`() throws {
    let server = try FakeServer {
      [.send(Self.reply($0) + Self.event($0, "changed")), .pause(20), .drip(Self.event($0, "refused"))]
    }
    defer { server.stop() }
    var stream = stream(server)
    #expect(try stream.next() == .state(Self.state))
    #expect(try stream.next() == .event(Watch.Event(event: "changed", subject: .cities, at: Self.now)))
    #expect(try stream.next() == .event(Watch.Event(event: "refused", subject: .cities, at: Self.now)))
  }

  @Test func `patience ends without news and the connection goes on`() throws {
    let isOver = Box(false)
    let server = try FakeServer { [.send(Self.reply($0)), .hold(until: isOver), .send(Self.event($0, "changed"))] }
    defer { server.stop() }
    var stream = stream(server)
    #expect(try stream.next() == .state(Self.state))
    #expect(try stream.next(patience: .milliseconds(10)) == nil)
    isOver.value = true
    #expect(try stream.next() == .event(Watch.Event(event: "changed", subject: .cities, at: Self.now)))
    #expect(server.connections == 1)
  }

  @Test func `lost connection is reported and the state comes again`() throws {
    let server = try FakeServer { $0.connection == 0 ? [.send(Self.reply($0)), .close] : [.send(Self.reply($0))] }
    defer { server.stop() }
    var stream = stream(server)
    #expect(try stream.next() == .state(Self.state))
    guard case .disconnected(.connectionLost)? = try stream.next() else {
      return #expect(Bool(false), "expected disconnected")
    }
    #expect(try stream.next() == .state(Self.state))
  }

  @Test func `absent server is waited for once it was there`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("watched.sock")
    let first = try FakeServer(path: path) { [.send(Self.reply($0)), .close] }
    var stream = WatchStream(.init(location: SocketLocation(path: path), timeout: .seconds(1)))
    #expect(try eventually { try stream.next() == .state(Self.state) })
    first.stop()
    guard case .disconnected? = try stream.next() else { return #expect(Bool(false), "expected disconnected") }
    #expect(try stream.next(patience: .milliseconds(120)) == nil)
    spawn {
      poll(nil, 0, 100)
      _ = try? FakeServer(path: path) { [.send(Self.reply($0))] }
    }
    // On a busy machine an answer may take longer than the timeout: then the stream reports it and tries again.
    var news: WatchStream.News?
    let isBack = try eventually {
      news = try stream.next(patience: .seconds(10))
      return news == .state(Self.state)
    }
    #expect(isBack, "\(String(describing: news))")
  }

  @Test func `server that was never there is an error`() throws {
    let folder = try TemporaryFolder()
    var stream = WatchStream(.init(location: SocketLocation(path: folder.path("none.sock"))))
    guard case .noServer? = clientError({ _ = try stream.next() }) else {
      return #expect(Bool(false), "expected noServer")
    }
  }

  @Test(arguments: [0, 1]) func `a busy server is reported once and asked again with pauses`(answered: Int) throws {
    let server = try FakeServer {
      $0.connection < answered ? [.send(Self.reply($0)), .close] : [.send($0.failure(.busy))]
    }
    defer { server.stop() }
    var stream = stream(server)
    if answered > 0 { #expect(try stream.next() == .state(Self.state)) }
    guard case .disconnected? = try stream.next() else { return #expect(Bool(false), "expected disconnected") }
    #expect(try stream.next(patience: .milliseconds(150)) == nil)
    #expect(server.connections < 10)
  }

  @Test func `refusal to be watched is an error`() throws {
    let server = try FakeServer { [.send($0.failure(.invalidParams))] }
    defer { server.stop() }
    var stream = stream(server)
    #expect(clientError { _ = try stream.next() } == .server(WireError(.invalidParams, "as asked")))
  }
}
