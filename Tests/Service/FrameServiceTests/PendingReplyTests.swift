import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import FrameService

@Suite(.serialized) struct PendingReplyTests {
  /// A service whose requests for "counted" wait, unless there is an answer; `cancelled` counts those that are given
  /// up.
  private func service(counting cancelled: Box<Int>, answering answer: String? = nil) throws -> RunningService {
    try RunningService {
      $0.register([
        Handler("counted") { request, _ throws(WireError) in
          let pending = try request.caller.later()
          pending.onCancel { cancelled.change { $0 += 1 } }
          if let answer { pending.succeed(answer) }
          return .later(pending)
        }
      ])
    }
  }

  @Test func `requests that wait end with their connection, each once`() throws {
    let cancelled = Box(0)
    let service = try service(counting: cancelled)
    let clients = try (0..<20).map { _ in try service.client() }
    for client in clients {
      try client.ask(1, "counted")
      try client.ask(2, "echo")
    }
    try #require(eventually { service.onLoop { $0.counts.answered } >= 20 })
    #expect(cancelled.value == 0)
    for client in clients { client.close() }
    try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
    #expect(cancelled.value == 20)
  }

  @Test func `an answered request is not cancelled when its connection closes`() throws {
    let cancelled = Box(0)
    let service = try service(counting: cancelled, answering: "now")
    let client = try service.client()
    try client.ask(1, "counted")
    #expect(try client.answer()?.result == .text("now"))
    client.close()
    try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
    #expect(cancelled.value == 0)
  }

  @Test func `a half-closed connection stays as long as its request waits`() throws {
    let service = try RunningService()
    let client = try service.client()
    try client.ask(1, "slow", size: 100)
    client.finishSending()
    #expect(try client.answer()?.result == .text("late"))
    #expect(try client.answer() == nil)
  }
}
