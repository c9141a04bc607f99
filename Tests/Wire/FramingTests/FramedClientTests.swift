import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import Framing

/// The server's side of the tests: frames as a server sends them.
private enum ServerFrame {
  static func result(_ id: UInt64) -> [UInt8] {
    encoded(
      ServerEnvelope<Hello>(
        id: id, result: .init(protocol: 1, server: "s", ready: [:], generations: [:], limits: [:])))
  }

  static func error(_ id: UInt64, _ code: ErrorCode = .notFound) -> [UInt8] {
    encoded(ServerEnvelope<Hello>(id: id, error: WireError(code, "as asked")))
  }

  static func state(_ id: UInt64) -> [UInt8] {
    encoded(ServerEnvelope<Watch>(id: id, result: .init(ready: [:], generations: [:])))
  }

  static func event(_ id: UInt64) -> [UInt8] {
    let event = Watch.Event(event: "changed", subject: .cities, at: Timestamp(text: "2026-03-01T12:00:00Z"))
    return encoded(ServerEnvelope<Watch>(id: id, event: event))
  }

  static func encoded(_ envelope: some Encodable) -> [UInt8] {
    do { return Frame.framed(try CBOREncoder().encode(envelope)) } catch { preconditionFailure("\(error)") }
  }
}

/// A report of a client, without the bytes.
private enum Report: Equatable {
  case reply(UInt64), event(UInt64), refusal(UInt64?), unreadable(UInt64?), fault(FramedClient.Fault)
}

extension FramedClient {
  /// Gives the client `bytes` in pieces of `size` and collects its reports, up to a fault.
  fileprivate mutating func reports(on bytes: [UInt8], inPiecesOf size: Int = .max) -> [Report] {
    var reports: [Report] = []
    var rest = bytes[...]
    while true {
      switch next() {
      case .reply(let id, _): reports.append(.reply(id))
      case .event(let id, _): reports.append(.event(id))
      case .refusal(let id, _): reports.append(.refusal(id))
      case .unreadable(let id, _): reports.append(.unreadable(id))
      case .fault(let fault): return reports + [.fault(fault)]
      case .incomplete:
        guard !rest.isEmpty else { return reports }
        let count = receive { room in
          let piece = rest.prefix(min(size, room.count))
          room.copyBytes(from: piece)
          return piece.count
        }
        rest = rest.dropFirst(count)
      }
    }
  }

  fileprivate mutating func ask(_ ids: ClosedRange<UInt64>, at now: Int64 = 0, deadline: Int64? = nil) throws {
    for id in ids { send(try EncodedRequest(Hello(client: "test"), id: id), at: now, deadline: deadline) }
  }
}

@Suite struct FramedClientTests {
  // MARK: Sending

  @Test func `queued requests are sent as frames, in order, however the socket takes them`() throws {
    let requests = try (1...3).map { try EncodedRequest(Hello(client: "test"), id: UInt64($0)) }
    for step in [1, 7, 1_000] {
      var client = FramedClient()
      for request in requests { client.send(request, at: 0) }
      var sent: [UInt8] = []
      while client.hasUnsent {
        let taken = client.unsent.prefix(step)
        sent += taken
        client.didSend(taken.count)
      }
      #expect(sent == requests.flatMap(\.frame))
    }
  }

  @Test(arguments: [(Frame.maximumRequest, true), (Frame.maximumRequest + 1, false)])
  func `a request up to the limit of the wire is encoded, a larger one is refused`(size: Int, fits: Bool) throws {
    let overhead = try EncodedRequest(Hello(client: String(repeating: "a", count: 65_000)), id: 1).frame.count - 65_004
    let hello = Hello(client: String(repeating: "a", count: size - overhead))
    guard fits else {
      #expect(throws: EncodedRequest.Failure.tooLarge(size)) { try EncodedRequest(hello, id: 1) }
      return
    }
    #expect(try EncodedRequest(hello, id: 1).frame.count == size + Frame.headerSize)
  }

  // MARK: Attribution

  @Test(arguments: [1, 2, 3, 5, 8, 64, .max])
  func `replies, events and errors are attributed, however their bytes come`(size: Int) throws {
    var client = FramedClient()
    client.send(try EncodedRequest(Watch(), id: 9), at: 0)
    try client.ask(1...3)
    let stream = [
      ServerFrame.state(9), ServerFrame.event(9), ServerFrame.result(1), ServerFrame.event(9), ServerFrame.error(2),
      ServerFrame.error(0, .malformed), ServerFrame.event(9),
    ]
    let expected: [Report] = [.reply(9), .event(9), .reply(1), .event(9), .reply(2), .refusal(3), .event(9)]
    #expect(client.reports(on: stream.flatMap(\.self), inPiecesOf: size) == expected)
    #expect(client.pending.isEmpty)
  }

  @Test func `a stream cut at any byte reports the whole frames and no other`() throws {
    let frames = [ServerFrame.result(1), ServerFrame.error(2), ServerFrame.result(3)]
    let stream = frames.flatMap(\.self)
    var whole = 0
    for length in 0...stream.count {
      if length >= frames.prefix(whole + 1).joined().count, whole < 3 { whole += 1 }
      var client = FramedClient()
      try client.ask(1...3)
      let reports = client.reports(on: Array(stream.prefix(length)))
      #expect(reports == (1...3).prefix(whole).map { .reply($0) }, "\(length) bytes")
      #expect(client.pending.map(\.id) == Array((1...3).dropFirst(whole)))
    }
  }

  @Test(arguments: [0, 2, 7, UInt64.max])
  func `a reply with another id than the oldest request is a fault, which stays`(id: UInt64) throws {
    var client = FramedClient()
    try client.ask(1...2)
    let fault = Report.fault(.unexpectedReply(id: id, expected: 1))
    #expect(client.reports(on: ServerFrame.result(id) + ServerFrame.result(1)) == [fault])
    #expect(client.reports(on: []) == [fault])
  }

  @Test func `a reply that was not asked for is a fault`() {
    var client = FramedClient()
    #expect(client.reports(on: ServerFrame.result(1)) == [.fault(.unexpectedReply(id: 1, expected: nil))])
  }

  @Test func `an event without a subscription is a fault`() throws {
    var client = FramedClient()
    try client.ask(1...1)
    #expect(client.reports(on: ServerFrame.event(5)) == [.fault(.unexpectedReply(id: 5, expected: 1))])
  }

  @Test func `a refused subscription gets no events, and an error ends one`() throws {
    var client = FramedClient()
    client.send(try EncodedRequest(Watch(), id: 1), at: 0)
    #expect(
      client.reports(on: ServerFrame.error(1) + ServerFrame.event(1))
        == [.reply(1), .fault(.unexpectedReply(id: 1, expected: nil))])
    var other = FramedClient()
    other.send(try EncodedRequest(Watch(), id: 1), at: 0)
    #expect(
      other.reports(on: ServerFrame.state(1) + ServerFrame.error(1) + ServerFrame.event(1))
        == [.reply(1), .reply(1), .fault(.unexpectedReply(id: 1, expected: nil))])
  }

  @Test func `an error with id 0 on a new connection is a refusal`() {
    var client = FramedClient()
    #expect(client.reports(on: ServerFrame.error(0, .busy)) == [.refusal(nil)])
  }

  @Test(arguments: [[], [0xFF], [0x80], [0xA0], [0xA1, 0x62, 0x69, 0x64, 0x01], [0xBF]] as [[UInt8]])
  func `a payload without a head takes the place of the oldest reply`(payload: [UInt8]) throws {
    var client = FramedClient()
    try client.ask(1...2)
    #expect(client.reports(on: Frame.framed(payload) + ServerFrame.result(2)) == [.unreadable(1), .reply(2)])
  }

  // MARK: Limits

  @Test(arguments: [(Frame.maximumReply, false), (Frame.maximumReply + 1, true), (0x4854_5450, true)])
  func `a declared length above the limit is a fault`(declared: Int, isFault: Bool) throws {
    var client = FramedClient()
    try client.ask(1...1)
    let header = withUnsafeBytes(of: UInt32(declared).bigEndian) { Array($0) }
    #expect(client.reports(on: header) == (isFault ? [.fault(.oversized(declared: UInt32(declared)))] : []))
  }

  @Test func `room grows with the bytes that have come, not with the declared length`() throws {
    var client = FramedClient()
    let header = withUnsafeBytes(of: UInt32(Frame.maximumReply).bigEndian) { Array($0) }
    #expect(client.reports(on: header).isEmpty)
    var received = header.count
    for _ in 0..<20 {
      var room = 0
      _ = client.receive {
        room = $0.count
        return 1_000
      }
      received += 1_000
      #expect(room <= 64 * 1_024 + received)
    }
  }

  @Test func `a reply of the largest size is read in a few receivings`() throws {
    var client = FramedClient()
    try client.ask(1...1)
    let name = [UInt8](repeating: 0x61, count: Frame.maximumReply - 40)
    let reply = ServerFrame.encoded(
      ServerEnvelope<Hello>(
        id: 1,
        result: .init(
          protocol: 1, server: String(decoding: name.dropLast(100), as: UTF8.self), ready: [:], generations: [:],
          limits: [:])))
    var receivings = 0
    var rest = reply[...]
    while case .incomplete = client.next() {
      receivings += 1
      let count = client.receive { room in
        let piece = rest.prefix(room.count)
        room.copyBytes(from: piece)
        return piece.count
      }
      rest = rest.dropFirst(count)
    }
    #expect(rest.isEmpty && receivings <= 12)
  }

  // MARK: Time

  @Test func `deadlines are those of the open requests`() throws {
    var client = FramedClient()
    #expect(client.nextDeadline == nil && client.oldestSending == nil)
    try client.ask(1...1, at: 10, deadline: 100)
    try client.ask(2...2, at: 20)
    try client.ask(3...3, at: 30, deadline: 60)
    #expect(client.nextDeadline == 60 && client.oldestSending == 10)
    #expect(client.overdueSending(at: 59) == nil)
    #expect(client.overdueSending(at: 60) == 30)
    #expect(client.overdueSending(at: 100) == 10)
    #expect(client.reports(on: ServerFrame.result(1)) == [.reply(1)])
    #expect(client.nextDeadline == 60 && client.oldestSending == 20)
    #expect(client.reports(on: ServerFrame.result(2) + ServerFrame.result(3)) == [.reply(2), .reply(3)])
    #expect(client.nextDeadline == nil && client.oldestSending == nil && client.overdueSending(at: .max) == nil)
  }

  // MARK: Any bytes

  @Test(arguments: Mutations.parts(of: .frames))
  func `mutated replies are reported alike in any pieces`(part: Mutations) throws {
    let frames = [ServerFrame.result(1), ServerFrame.error(2), ServerFrame.error(0), ServerFrame.event(3)]
    try part.run { mutator in
      let stream = mutator.mutated((0...mutator.below(4)).flatMap { _ in mutator.pick(frames) })
      var whole = FramedClient()
      var pieces = FramedClient()
      try? whole.ask(1...3)
      try? pieces.ask(1...3)
      let size = 1 + mutator.below(9)
      if whole.reports(on: stream) != pieces.reports(on: stream, inPiecesOf: size) {
        Issue.record("reported otherwise in pieces of \(size): \(stream)")
      }
    }
  }
}

@Suite struct ReplyHeadTests {
  private func head(_ hex: [UInt8]) -> ReplyHead? { ReplyHead(hex.span.bytes) }

  @Test func `the head of every vector is read`() throws {
    for vector in WireVectors.all where !vector.name.contains(".request") {
      let expected: ReplyHead.Kind =
        vector.name.hasPrefix("error.") ? .error : vector.name.contains(".event") ? .event : .result
      #expect(head(vector.payload)?.kind == expected, "\(vector.name)")
    }
  }

  @Test func `keys in any order and long heads are read`() {
    // {"result": {}, "id": 7}, {_ "id": 7 in 8 bytes, "event": 1}
    #expect(head([0xA2, 0x66] + "result".utf8 + [0xA0, 0x62] + "id".utf8 + [7]) == ReplyHead(id: 7, kind: .result))
    let long: [UInt8] = [0xBF, 0x62] + "id".utf8 + [0x1B, 0, 0, 0, 0, 0, 0, 0, 7, 0x65] + "event".utf8 + [1, 0xFF]
    #expect(head(long) == ReplyHead(id: 7, kind: .event))
  }

  @Test func `a head without an id or a kind is none`() {
    #expect(head([0xA1, 0x62] + "id".utf8 + [7]) == nil)
    #expect(head([0xA1, 0x66] + "result".utf8 + [7]) == nil)
    #expect(head([0xA2, 0x62] + "id".utf8 + [0x20, 0x66] + "result".utf8 + [7]) == nil)
  }
}
