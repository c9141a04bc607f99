import CBOR
import CitiesProtocol
import System
import TestSupport
import Testing

@testable import FrameService

/// Whatever a peer sends: a clear error, and everyone else is served.
@Suite struct HostileTests {
  /// Frames that are not requests, with the id that is readable.
  static let malformed: [(String, [UInt8], UInt64)] = [
    ("no bytes", [], 0),
    ("a break", [0xFF], 0),
    ("an unfinished map", [0xA3, 0x62, 0x69, 0x64, 0x05, 0x66, 0x6D, 0x65], 5),
    ("a number", [0x01], 0),
    ("two items", [0xA0, 0xA0], 0),
    ("text that is not UTF-8", [0xA1, 0x62, 0x69, 0xFF, 0x01], 0),
    ("a map of 2^64 pairs", [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 0),
    ("a text of 2^63 bytes", [0xA1, 0x7B, 0x80, 0, 0, 0, 0, 0, 0, 0], 0),
    ("arrays in arrays", [UInt8](repeating: 0x81, count: 60_000), 0),
    ("endless arrays", [UInt8](repeating: 0x9F, count: 60_000), 0),
    ("endless maps", [UInt8](repeating: 0xBF, count: 60_000), 0),
    ("tags of tags", [UInt8](repeating: 0xC1, count: 60_000), 0),
    ("NaN for an id", [0xA1, 0x62, 0x69, 0x64, 0xF9, 0x7E, 0x00], 0),
    ("the same key twice", [0xA2, 0x62, 0x69, 0x64, 0x05, 0x62, 0x69, 0x64, 0x06], 5),
    ("deep parameters", RawClient.request(9, "echo", [UInt8](repeating: 0x81, count: 1_000) + [0]), 9),
    (
      "more items than allowed",
      RawClient.request(9, "echo", [0xA1, 0x61, 0x61, 0x99, 0x20, 0] + [UInt8](repeating: 0, count: 8_192)), 9
    ),
  ]

  @Test(arguments: malformed.indices) func `a malformed frame is answered and the connection goes on`(index: Int) throws
  {
    let (name, payload, id) = Self.malformed[index]
    let client = try RunningService().client()
    try client.sendFrame(payload)
    let answer = try client.answer()
    #expect(answer?.error?.code == .malformed, "\(name)")
    #expect(answer?.id == id, "\(name)")
    try client.ask(1, "echo")
    #expect(try client.answer()?.id == 1)
  }

  @Test(arguments: [
    ("request-items", UInt64(4_096), [0x99, 0x20, 0] + [UInt8](repeating: 0, count: 8_192)),
    ("request-depth", 16, [UInt8](repeating: 0x81, count: 20) + [0]),
  ])
  func `a request beyond a limit is told which`(limit: String, maximum: UInt64, value: [UInt8]) throws {
    let client = try RunningService().client()
    try client.sendFrame(RawClient.request(9, "echo", [0xA1, 0x61, 0x61] + value))
    let answer = try client.answer()
    #expect(answer?.id == 9 && answer?.error?.code == .malformed)
    #expect(answer?.error?.data?.limit == limit && answer?.error?.data?.maximum == maximum)
  }

  @Test func `an unknown method is named in the error`() throws {
    let client = try RunningService().client()
    try client.ask(4, "no.such")
    let error = try client.answer()?.error
    #expect(error?.code == .unknownMethod && error?.message.contains("\"no.such\"") == true)
  }

  @Test func `parameters of the wrong type are named in the error`() throws {
    let client = try RunningService().client()
    try client.ask(4, "big", [0xA1, 0x64] + Array("size".utf8) + [0x61, 0x78])
    #expect(try client.answer()?.error?.data?.param == "size")
    try client.ask(5, "big")
    #expect(try client.answer()?.error?.data?.param == "size")
  }

  @Test(
    arguments: [
      ("place", [0xA0]),
      // {"place": {"at": {"lat": 0}}}
      (
        "place.at.lon",
        [0xA1, 0x65, 0x70, 0x6C, 0x61, 0x63, 0x65, 0xA1, 0x62, 0x61, 0x74, 0xA1, 0x63, 0x6C, 0x61, 0x74, 0x00]
      ),
    ] as [(String, [UInt8])])
  func `a missing parameter is named with its path`(param: String, params: [UInt8]) throws {
    let error = try #require(throws: CBORError.self) { try CBORDecoder().decode(CityNear.self, from: params) }
    #expect(WireError.invalidParams(error).data?.param == param)
    #expect(WireError.invalidParams(error).message == "the parameter \"\(param)\": it is missing")
  }

  @Test func `a missing element is named by its position`() {
    let error = WireError.invalidParams(CBORError(.missingKey("[1]"), offset: 0, path: "amount"))
    #expect(error.data?.param == "amount[1]")
  }

  @Test func `a request in another encoding is answered all the same`() throws {
    let client = try RunningService().client()
    // An indefinite map, keys in another order, integers wider than needed, text in pieces.
    try client.sendFrame(
      [0xBF, 0x66] + Array("params".utf8) + [0xA1, 0x61, 0x61, 0x18, 0x01, 0x66] + Array("method".utf8)
        + [0x7F, 0x62, 0x65, 0x63, 0x62, 0x68, 0x6F, 0xFF, 0x62, 0x69, 0x64, 0x19, 0x00, 0x2A, 0xFF])
    #expect(try client.answer() == Answered(id: 42, result: .map([(.text("a"), .unsigned(1))])))
  }

  @Test(arguments: [(65_536, true), (65_537, false), (Int(UInt32.max), false)])
  func `a frame up to the limit is taken, a larger one ends the connection`(length: Int, isTaken: Bool) throws {
    let client = try RunningService().client()
    let head = RawClient.request(1, "echo")
    let padding = length - head.count - 7
    let payload = RawClient.request(
      1, "echo", [0xA1, 0x61, 0x61, 0x5A] + (0..<4).map { UInt8(truncatingIfNeeded: padding >> (24 - 8 * $0)) })
    try client.send((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) })
    if isTaken {
      try client.send(payload + [UInt8](repeating: 0, count: length - payload.count))
      #expect(try client.answer()?.result != nil)
    } else {
      let error = try client.answer()?.error
      #expect(error?.code == .frameTooLarge && error?.data?.maximum == 65_536 && error?.data?.limit == "request-bytes")
      #expect(try client.answer() == nil)
    }
  }

  @Test(arguments: [(0, true), (1, false)])
  func `an answer up to the limit is sent, a larger one is an error`(
    excess: Int, isSent: Bool
  ) throws {
    let client = try RunningService().client()
    // The envelope takes 12 bytes, the head of the byte string 5.
    try client.ask(1, "big", size: 4 * 1024 * 1024 - 17 + excess)
    let answer = try client.answer()
    #expect(answer?.id == 1 && (answer?.result != nil) == isSent)
    #expect(answer?.error?.data?.limit == (isSent ? nil : "reply-bytes"))
  }

  @Test func `a frame that is never completed ends its connection after its time, not before`() throws {
    var limits = ServiceLimits()
    limits.frameTime = 300_000_000
    let service = try RunningService(limits)
    let (cut, dripping, silent) = (try service.client(), try service.client(), try service.client())
    try cut.send([0, 0])
    let clock = ContinuousClock()
    let began = clock.now
    let frame = RawClient.framed(RawClient.request(1, "echo"))
    for byte in frame.prefix(20) {
      guard dripping.sendSome([byte]) == 1 else { break }
      try? silent.ask(2, "echo")
      _ = try silent.answer()
      usleepBriefly(50_000)
    }
    for client in [cut, dripping] {
      let answer = try client.answer()
      #expect(answer?.error?.data?.limit == "frame-time")
      // A byte that comes after the last read and before close(2) makes the end an ECONNRESET.
      #expect((try? client.answer()) == nil)
    }
    #expect(began.duration(to: clock.now) >= .milliseconds(300))
    try silent.ask(3, "echo")
    #expect(try silent.answer()?.id == 3)
  }

  @Test func `whole frames in a steady stream are never late`() throws {
    let service = try RunningService()
    let client = try service.client()
    let frame = RawClient.framed(RawClient.request(1, "echo"))
    // Every piece ends one frame and starts the next.
    try client.send(Array(frame.prefix(10)))
    for _ in 0..<10 {
      let before = MonotonicClock.nanoseconds()
      try client.send(Array(frame.dropFirst(10)) + frame.prefix(10))
      #expect(try client.answer()?.id == 1)
      // At this time a frame that was started before the last piece would be late.
      #expect(service.onLoop { $0.connections[0].checkTime(now: before + $0.limits.frameTime) })
    }
    try client.send(Array(frame.dropFirst(10)))
    #expect(try client.answer()?.id == 1)
  }

  @Test func `many connections that come and go leave nothing behind`() throws {
    let service = try RunningService()
    for _ in 0..<2_000 { try service.client().close() }
    let client = try service.client()
    try client.ask(1, "echo")
    #expect(try client.answer()?.id == 1)
    #expect(service.onLoop { $0.connectionCount } == 1)
  }

  @Test func `seeded mutations of a request never stop the service`() throws {
    let service = try RunningService()
    let client = try service.client()
    var random = SeededRandom(seed: 99)
    let valid = RawClient.request(77, "echo", [0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x01, 0xF5])
    for _ in 0..<5_000 {
      var payload = valid
      for _ in 0...random.below(3) { payload[random.below(payload.count)] = UInt8(random.below(256)) }
      try client.sendFrame(payload)
      #expect(try client.answer() != nil)
    }
  }
}
