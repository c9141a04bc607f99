import CBOR
import CitiesProtocol
import Coroutines
import TestSupport
import Testing

@testable import FrameService

@Suite(.serialized) struct ComputationTests {
  @Test(arguments: [1, 2, 50]) func `work in slices is answered in the order of its requests`(steps: Int) throws {
    let client = try RunningService().client()
    for id in 1...20 { try client.ask(UInt64(id), id % 2 == 0 ? "steps" : "steps-then-fail", size: steps) }
    for id in 1...20 {
      let answer = try client.answer()
      #expect(answer?.id == UInt64(id))
      #expect(id % 2 == 0 ? answer?.result == .unsigned(UInt64(steps)) : answer?.error?.code == .notFound)
    }
  }

  @Test func `other connections are answered while work goes on`() throws {
    let service = try RunningService()
    let (slow, quick) = (try service.client(), try service.client())
    try slow.ask(1, "steps", size: 1_000_000_000)
    for id in 1...100 {
      try quick.ask(UInt64(id), "echo")
      #expect(try quick.answer()?.id == UInt64(id))
    }
  }

  @Test func `work ends with its connection`() throws {
    let alive = Box(0)
    let service = try RunningService {
      $0.register([
        Handler("endless") { _, _ throws(WireError) in .counted(steps: 1_000_000_000, alive: alive) }
      ])
    }
    // No more than one user may have under way.
    let clients = try (0..<8).map { _ in try service.client() }
    for client in clients { try client.ask(1, "endless") }
    try #require(eventually { alive.value == clients.count })
    for client in clients { client.close() }
    try #require(eventually { alive.value == 0 })
    #expect(service.onLoop { $0.connectionCount } == 0)
  }

  @Test func `a half-closed connection still gets the result of its work`() throws {
    let client = try RunningService().client()
    try client.ask(1, "steps", size: 1_000)
    client.finishSending()
    #expect(try client.answer()?.result == .unsigned(1_000))
    #expect(try client.answer() == nil)
  }

  /// Data that is changed at the end of the work.
  private final class Source: ReplySource {
    let isChanged = Box(false)

    func requireInService() throws(WireError) {
      if isChanged.value { throw WireError(.unavailable, "the data changed") }
    }
  }

  private func answer(of work: Computation) throws -> [UInt8] {
    var writer = CBORWriter()
    while try !work.resume(until: 0) {}
    try work.write(into: &writer)
    return writer.bytes
  }

  @Test(arguments: [nil, ErrorCode.notFound, .unavailable])
  func `neither results nor errors from changed data are answers`(code: ErrorCode?) throws {
    for changes in [false, true] {
      let source = Source()
      let work = Computation(from: [Source(), source]) { budget in
        try await budget.pause()
        source.isChanged.change { $0 = changes }
        if let code { throw WireError(code, "its own error") }
        return { (reply: inout CBORWriter) throws(WireError) in reply.writeNull() }
      }
      let result = Result { try answer(of: work) }
      if changes && code != .unavailable {
        #expect(throws: WireError(.unavailable, "the data changed")) { try result.get() }
      } else if let code {
        #expect(throws: WireError(code, "its own error")) { try result.get() }
      } else {
        #expect(try result.get() == [0xF6])
      }
    }
  }
}
