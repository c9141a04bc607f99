import CitiesClient
import CitiesProtocol
import Framing
import Glibc
import TestSupport
import Testing

@Suite struct ServerConnectionTests {
  /// Polls and moves until `count` replies have come, or the connection is lost; their ids.
  private func ids(_ count: Int, on connection: ServerConnection) throws -> [UInt64] {
    var ids: [UInt64] = []
    while ids.count < count {
      var entry = pollfd(fd: connection.descriptor, events: connection.events, revents: 0)
      try #require(poll(&entry, 1, 5_000) > 0, "nothing has come for five seconds")
      while let arrival = try connection.next() { if case .reply(let id, _) = arrival { ids.append(id) } }
    }
    return ids
  }

  private func queue(_ ids: ClosedRange<UInt64>, _ prefix: String = "al", on connection: ServerConnection) throws {
    for id in ids { connection.queue(try EncodedRequest(CitySearch(prefix: prefix), id: id)) }
  }

  @Test func `replies are handed over whole however they come`() throws {
    let server = try FakeServer { request in
      request.number.isMultiple(of: 2) ? [.drip(request.reply(page()))] : [.send(request.reply(page()))]
    }
    defer { server.stop() }
    let connection = try ServerConnection(SocketLocation(path: server.path))
    try queue(1...6, on: connection)
    #expect(try ids(6, on: connection) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `what the socket does not take at once is sent later`() throws {
    // A server that reads nothing at first, and requests that no socket buffer holds.
    let server = try FakeServer(greeting: { _ in [.pause(200)] }) { [.send($0.reply(page()))] }
    defer { server.stop() }
    let connection = try ServerConnection(SocketLocation(path: server.path))
    let large = String(repeating: "a", count: 60_000)
    try queue(1...40, large, on: connection)
    #expect(try connection.next() == nil)
    #expect(connection.events & Int16(POLLOUT) != 0)
    #expect(try ids(40, on: connection) == Array(1...40))
    #expect(connection.events & Int16(POLLOUT) == 0)
  }

  @Test func `frames before the end are handed over`() throws {
    let server = try FakeServer { [.send($0.reply(page())), .close] }
    defer { server.stop() }
    let connection = try ServerConnection(SocketLocation(path: server.path))
    try queue(1...1, on: connection)
    var frames = 0
    let error = clientError {
      while true {
        var entry = pollfd(fd: connection.descriptor, events: connection.events, revents: 0)
        try #require(poll(&entry, 1, 5_000) > 0, "nothing has come for five seconds")
        while try connection.next() != nil { frames += 1 }
      }
    }
    #expect(frames == 1)
    #expect(error == .connectionLost(path: server.path, reason: "the server closed it"))
  }

  @Test func `what is no frame is an error`() throws {
    let server = try FakeServer { _ in [.send([0xFF, 0xFF, 0xFF, 0xFF])] }
    defer { server.stop() }
    let connection = try ServerConnection(SocketLocation(path: server.path))
    try queue(1...1, on: connection)
    let error = clientError { _ = try ids(1, on: connection) }
    let reason = "a frame of 4294967295 bytes, where at most 4194304 are allowed"
    #expect(error == .unreadableReply(path: server.path, reason: reason))
  }

  @Test func `absent server is reported`() {
    let error = clientError { _ = try ServerConnection(SocketLocation(path: "/nonexistent/citiesd.sock")) }
    let attempt = ClientError.Attempt(path: "/nonexistent/citiesd.sock", reason: "no such socket", isAbsent: true)
    #expect(error == .noServer(tried: [attempt]))
  }
}
