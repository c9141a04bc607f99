import CBOR
import CitiesClient
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@Suite struct PolledConnectionTests {
  /// What every reply has.
  private struct Head: Decodable { var id: UInt64 }

  /// Polls and moves until `count` frames have come, or the connection is lost; their ids.
  private func ids(_ count: Int, on connection: PolledConnection) throws -> [UInt64] {
    var ids: [UInt64] = []
    while ids.count < count {
      var entry = pollfd(fd: connection.descriptor, events: connection.events, revents: 0)
      try #require(poll(&entry, 1, 5_000) > 0, "nothing has come for five seconds")
      try connection.move { payload in ids.append((try? CBORDecoder().decode(Head.self, from: payload).id) ?? 0) }
    }
    return ids
  }

  @Test func repliesAreHandedOverWholeHoweverTheyCome() throws {
    let server = try FakeServer { request in
      request.number.isMultiple(of: 2) ? [.drip(request.reply(page()))] : [.send(request.reply(page()))]
    }
    defer { server.stop() }
    let connection = try PolledConnection(SocketLocation(path: server.path))
    for id in 1...6 { try connection.send(CitySearch(prefix: "al"), id: UInt64(id)) }
    #expect(try ids(6, on: connection) == [1, 2, 3, 4, 5, 6])
  }

  @Test func whatTheSocketDoesNotTakeAtOnceIsSentLater() throws {
    // A server that reads nothing at first, and requests that no socket buffer holds.
    let server = try FakeServer(greeting: { _ in [.pause(200)] }) { [.send($0.reply(page()))] }
    defer { server.stop() }
    let connection = try PolledConnection(SocketLocation(path: server.path))
    let large = String(repeating: "a", count: 60_000)
    for id in 1...40 { try connection.send(CitySearch(prefix: large), id: UInt64(id)) }
    #expect(connection.events & Int16(POLLOUT) != 0)
    #expect(try ids(40, on: connection) == Array(1...40))
    #expect(connection.events & Int16(POLLOUT) == 0)
  }

  @Test func framesBeforeTheEndAreHandedOver() throws {
    let server = try FakeServer { [.send($0.reply(page())), .close] }
    defer { server.stop() }
    let connection = try PolledConnection(SocketLocation(path: server.path))
    try connection.send(CitySearch(prefix: "al"), id: 1)
    var frames = 0
    let error = clientError {
      while true {
        var entry = pollfd(fd: connection.descriptor, events: connection.events, revents: 0)
        try #require(poll(&entry, 1, 5_000) > 0, "nothing has come for five seconds")
        try connection.move { _ in frames += 1 }
      }
    }
    #expect(frames == 1)
    #expect(error == .connectionLost(path: server.path, reason: "the server closed it"))
  }

  @Test func whatIsNoFrameIsAnError() throws {
    let server = try FakeServer { _ in [.send([0xFF, 0xFF, 0xFF, 0xFF])] }
    defer { server.stop() }
    let connection = try PolledConnection(SocketLocation(path: server.path))
    try connection.send(CitySearch(prefix: "al"), id: 1)
    let error = clientError { _ = try ids(1, on: connection) }
    #expect(error == .unreadableReply(path: server.path, reason: "a frame of 4294967295 bytes"))
  }

  @Test func nobodyThereIsSaid() {
    let error = clientError { _ = try PolledConnection(SocketLocation(path: "/nonexistent/citiesd.sock")) }
    #expect(error == .noServer(tried: [.init(path: "/nonexistent/citiesd.sock", reason: "no such socket")]))
  }
}
