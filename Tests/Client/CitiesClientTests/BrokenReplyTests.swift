import CBOR
import CitiesClient
import CitiesProtocol
import TestSupport
import Testing

@Suite struct BrokenReplyTests {
  private func failure(
    timeout: Duration = .seconds(30), _ answer: @escaping @Sendable (FakeServer.Request) -> [FakeServer.Step]
  ) throws -> (ClientError?, FakeServer) {
    let server = try FakeServer(answer)
    defer { server.stop() }
    return (clientError { _ = try client(of: server, timeout: timeout).send(CitySearch(prefix: "al")) }, server)
  }

  @Test func `silence ends with the deadline`() throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let (error, server) = try failure(timeout: .milliseconds(200)) { _ in [] }
    #expect(error == .timedOut(path: server.path, after: .milliseconds(200)))
    #expect(begin.duration(to: clock.now) >= .milliseconds(200))
  }

  @Test func `answer that drips does not extend the deadline`() throws {
    // The whole answer would take more than 100 bytes × 100 ms.
    let (error, server) = try failure(timeout: .milliseconds(200)) { request in
      request.reply(page()).flatMap { [.send([$0]), .pause(100)] }
    }
    #expect(error == .timedOut(path: server.path, after: .milliseconds(200)))
  }

  @Test func `second attempt shares the deadline of the first`() throws {
    // On a busy machine the first connection may end after the deadline.
    let isShared = try (0..<5).contains { _ in
      let begin = ContinuousClock.now
      let (error, server) = try failure(timeout: .seconds(1)) { request in
        request.connection == 0 ? [.pause(200), .close] : []
      }
      #expect(error == .timedOut(path: server.path, after: .seconds(1)))
      #expect(begin.duration(to: .now) >= .seconds(1))
      return server.connections == 2
    }
    #expect(isShared)
  }

  @Test func `reply that comes byte by byte is read`() throws {
    let server = try FakeServer { [.drip($0.reply(page()))] }
    defer { server.stop() }
    #expect(try client(of: server).send(CitySearch(prefix: "al")) == page())
  }

  @Test func `late answer to a request that was given up is not taken for the next`() throws {
    let isGivenUp = Box(false)
    let server = try FakeServer { request in
      request.connection == 0
        ? [.hold(until: isGivenUp), .send(request.reply(page(total: 1)))] : [.send(request.reply(page(total: 2)))]
    }
    defer { server.stop() }
    let client = client(of: server)
    let limit = Duration.milliseconds(60)
    let error = clientError { _ = try client.send(CitySearch(prefix: "a"), timeout: limit) }
    #expect(error == .timedOut(path: server.path, after: limit))
    isGivenUp.value = true
    #expect(try client.send(CitySearch(prefix: "al")).total == 2)
  }

  @Test func `reply cut at any byte is a lost connection`() throws {
    let whole = frame(ServerEnvelope<CitySearch>(id: 1, result: page()))
    for length in stride(from: 0, to: whole.count, by: 7) {
      let (error, _) = try failure { _ in [.send(Array(whole.prefix(length))), .close] }
      guard case .connectionLost? = error else {
        #expect(Bool(false), "\(length) bytes: \(String(describing: error))")
        continue
      }
    }
  }

  @Test(arguments: [UInt32(Frame.maximumReply) + 1, 0x4854_5450, .max])
  func `declared length above the limit is unreadable`(length: UInt32) throws {
    let header = withUnsafeBytes(of: length.bigEndian) { Array($0) }
    let (error, _) = try failure { _ in [.send(header + [0, 0, 0])] }
    guard case .unreadableReply(_, let reason)? = error else { return #expect(Bool(false), "expected unreadableReply") }
    #expect(reason.contains("\(length)"))
  }

  @Test(
    arguments: [
      [], [0xFF], [0x80], [0xA0], [0xA1, 0x62, 0x69, 0x64, 0x01], [0xA1, 0x62, 0x69, 0x64, 0x61, 0x78], [0xBF],
      [0xA2, 0x62, 0x69, 0x64, 0x01, 0x66, 0x72, 0x65, 0x73, 0x75, 0x6C, 0x74, 0x01],
    ] as [[UInt8]])
  func `payload that is no reply is unreadable`(payload: [UInt8]) throws {
    let (error, _) = try failure { _ in [.send(Frame.framed(payload))] }
    guard case .unreadableReply? = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test(arguments: [0, 2, UInt64.max]) func `reply with the wrong id is unreadable`(id: UInt64) throws {
    let reply = frame(ServerEnvelope<CitySearch>(id: id, result: page()))
    let (error, _) = try failure { _ in [.send(reply)] }
    guard case .unreadableReply(_, let reason)? = error else { return #expect(Bool(false), "expected unreadableReply") }
    #expect(reason.contains("id \(id)"))
  }

  @Test func `error with id 0 is about the request`() throws {
    let reply = frame(ServerEnvelope<CitySearch>(id: 0, error: WireError(.malformed, "no request")))
    let (error, _) = try failure { _ in [.send(reply)] }
    #expect(error == .server(WireError(.malformed, "no request")))
  }

  @Test func `busy that is said before closing is the reason`() throws {
    let busy = frame(ServerEnvelope<CitySearch>(id: 0, error: WireError(.busy, "too many connections")))
    let server = try FakeServer(greeting: { _ in [.send(busy), .close] }, { _ in [] })
    defer { server.stop() }
    let error = clientError { _ = try client(of: server).send(CitySearch(prefix: "al")) }
    #expect(error == .server(WireError(.busy, "too many connections")))
  }
}
