import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import FrameService

@Suite struct AnsweringTests {
  @Test func `a request is answered under its id`() throws {
    let client = try RunningService().client()
    try client.ask(1 << 50, "echo", [0xA1, 0x61, 0x61, 0x01])
    #expect(try client.answer() == Answered(id: 1 << 50, result: .map([(.text("a"), .unsigned(1))])))
  }

  @Test func `an answer's bytes are those of the encoder`() throws {
    let client = try RunningService().client()
    try client.ask(7, "fail")
    let expected = ServerEnvelope<Status>(id: 7, error: WireError(.notFound, "nothing here"))
    #expect(try client.receiveFrame() == CBOREncoder().encode(expected))
    try client.ask(8, "at-once")
    #expect(
      try client.receiveFrame() == [0xA2, 0x62, 0x69, 0x64, 8, 0x66] + Array("result".utf8) + [0x63] + Array("now".utf8)
    )
  }

  @Test func `requests sent together are answered in their order`() throws {
    let client = try RunningService().client()
    try client.send(
      (1...1_000).flatMap { RawClient.framed(RawClient.request(UInt64($0), $0 % 7 == 0 ? "fail" : "echo")) })
    for id in 1...1_000 {
      let answer = try client.answer()
      #expect(answer?.id == UInt64(id) && (answer?.error != nil) == (id % 7 == 0))
    }
  }

  @Test func `a request sent byte by byte is answered`() throws {
    let client = try RunningService().client()
    for byte in RawClient.framed(RawClient.request(3, "echo")) { try client.send([byte]) }
    #expect(try client.answer()?.id == 3)
  }

  @Test func `a slow answer delays only what is behind it on its connection`() throws {
    let service = try RunningService()
    let (first, second) = (try service.client(), try service.client())
    try first.ask(1, "slow", size: 200)
    for id in 2...50 { try first.ask(UInt64(id), "echo") }
    try second.ask(9, "echo")
    #expect(try second.answer()?.id == 9)
    #expect(try first.answer()?.result == .text("late"))
    for id in 2...50 { #expect(try first.answer()?.id == UInt64(id)) }
  }

  @Test(arguments: ["at-once", "work", "slow"])
  func `several slow answers in a row keep the order`(method: String) throws {
    let client = try RunningService().client()
    try client.send(
      (1...20).flatMap { id -> [UInt8] in
        let params: [UInt8] = method == "slow" ? [0xA1, 0x64] + Array("size".utf8) + [1] : [0xA0]
        return RawClient.framed(RawClient.request(UInt64(2 * id), method, params))
          + RawClient.framed(RawClient.request(UInt64(2 * id + 1), "echo"))
      })
    for id in 2...41 { #expect(try client.answer()?.id == UInt64(id)) }
  }

  @Test func `an error after a promise is the answer`() throws {
    let client = try RunningService().client()
    try client.ask(1, "later-and-fail")
    try client.ask(2, "echo")
    #expect(try client.answer()?.error?.code == .internal)
    #expect(try client.answer()?.id == 2)
  }

  @Test func `events follow the reply under its id`() throws {
    let client = try RunningService().client()
    try client.ask(5, "watch")
    #expect(try client.answer()?.result == .text("watching"))
    for number in 1...3 { #expect(try client.answer() == Answered(id: 5, event: .unsigned(UInt64(number)))) }
    try client.ask(6, "echo")
    #expect(try client.answer()?.id == 6)
  }

  @Test func `what was sent before the end is answered, then the connection ends`() throws {
    let client = try RunningService().client()
    for id in 1...10 { try client.ask(UInt64(id), "echo") }
    try client.ask(11, "slow", size: 50)
    client.finishSending()
    for id in 1...11 { #expect(try client.answer()?.id == UInt64(id)) }
    #expect(try client.answer() == nil)
  }

  @Test func `one who watches stays although he sends no more`() throws {
    let service = try RunningService()
    let client = try service.client()
    try client.ask(5, "watch")
    client.finishSending()
    for _ in 0..<4 { #expect(try client.answer()?.id == 5) }
    #expect(service.onLoop { $0.connectionCount } == 1)
    client.close()
    try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
  }

  @Test func `a client that goes away in the middle harms nobody`() throws {
    let service = try RunningService()
    for _ in 0..<200 {
      let client = try service.client()
      try client.send(Array(RawClient.framed(RawClient.request(1, "slow", [0xA1, 0x64] + Array("size".utf8) + [5]))))
      try client.send([0, 0, 1])
      client.close()
    }
    let client = try service.client()
    try client.ask(2, "echo")
    #expect(try client.answer()?.id == 2)
  }

  @Test func `one connection with much to do leaves others their turn`() throws {
    var limits = ServiceLimits()
    limits.pipelined = 4
    let service = try RunningService(limits)
    let (busy, other) = (try service.client(), try service.client())
    let many = (1...2_000).flatMap { RawClient.framed(RawClient.request(UInt64($0), "echo")) }
    try busy.send(Array(many.prefix(60_000)))
    try other.ask(1, "echo")
    #expect(try other.answer()?.id == 1)
    try busy.send(Array(many.dropFirst(60_000)))
    for id in 1...2_000 { #expect(try busy.answer()?.id == UInt64(id)) }
  }
}
