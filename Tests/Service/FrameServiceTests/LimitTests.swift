import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import FrameService

@Suite struct LimitTests {
  private func limits(_ change: (inout ServiceLimits) -> Void) -> ServiceLimits {
    var limits = ServiceLimits()
    change(&limits)
    return limits
  }

  /// Opens `count` connections and has each answered, so that all of them are counted.
  private func fill(_ service: RunningService, _ count: Int) throws -> [RawClient] {
    try (0..<count).map { number in
      let client = try service.client()
      try client.ask(1, "echo")
      #expect(try client.answer()?.id == 1, "connection \(number + 1)")
      return client
    }
  }

  @Test(arguments: ["connections", "connections-per-user"])
  func `one connection above the limit is told busy and ended, and gets in when another leaves`(
    name: String
  ) throws {
    let service = try RunningService(
      limits { if name == "connections" { $0.connections = 5 } else { $0.connectionsPerUser = 5 } })
    let clients = try fill(service, 5)
    let refused = try service.client()
    let answer = try refused.answer()
    #expect(answer?.id == 0 && answer?.error?.code == .busy)
    #expect(answer?.error?.data?.limit == name && answer?.error?.data?.maximum == 5)
    #expect((try? refused.answer()) == nil)
    clients[0].close()
    try #require(eventually { service.onLoop { $0.connectionCount } <= 4 })
    _ = try fill(service, 1)
    #expect(service.onLoop { $0.counts.refused } == 1)
  }

  @Test func `a refused client that has sent already still learns why`() throws {
    let service = try RunningService(limits { $0.connections = 1 })
    let kept = try fill(service, 1)
    for _ in 0..<50 {
      let refused = try service.client()
      try? refused.ask(1, "echo")
      #expect(try refused.answer()?.error?.data?.limit == "connections")
    }
    _ = kept
  }

  @Test func `one subscriber above the limit is told busy`() throws {
    let service = try RunningService(limits { $0.subscribers = 2 })
    let clients = try fill(service, 3)
    for client in clients.prefix(2) {
      try client.ask(2, "watch")
      #expect(try client.answer()?.result == .text("watching"))
    }
    try clients[2].ask(2, "watch")
    #expect(try clients[2].answer()?.error?.data?.limit == "subscribers")
    clients[0].close()
    try #require(eventually { service.onLoop { $0.connectionCount } <= 2 })
    try clients[2].ask(3, "watch")
    #expect(try clients[2].answer()?.result == .text("watching"))
  }

  @Test func `one subscription of a connection above the limit is told busy`() throws {
    let client = try RunningService(limits { $0.subscriptionsPerConnection = 2 }).client()
    for id in 1...3 { try client.ask(UInt64(id), "watch") }
    var answers: [Answered] = []
    while answers.count < 9, let answer = try client.answer() { answers.append(answer) }
    #expect(answers.filter { $0.result != nil }.map(\.id) == [1, 2])
    #expect(answers.first { $0.id == 3 }?.error?.data?.limit == "subscriptions-per-connection")
  }

  @Test func `a subscriber that does not read is dropped at its limit`() throws {
    let service = try RunningService(limits { $0.subscriberBytes = 10_000 })
    let client = try service.client()
    try client.ask(1, "flood")
    try #require(eventually { service.onLoop { $0.counts.accepted } == 1 })
    try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
    var received = 0
    while let answer = try? client.answer(), answer.id == 1 { received += 1 }
    #expect(received > 0)
  }

  @Test func `a client that does not read is not read from, and costs a bounded queue`() throws {
    let service = try RunningService()
    let (greedy, other) = (try service.client(), try service.client())
    let request = RawClient.framed(
      RawClient.request(1, "big", [0xA1, 0x64] + Array("size".utf8) + [0x19, 0xFF, 0xFF]))
    let burst = [[UInt8]](repeating: request, count: 1_000).flatMap { $0 }
    // The kernel's buffers fill, and then nothing more is taken.
    var idle = 0
    let isFull = eventually {
      if greedy.sendSome(burst) <= 0 { idle += 1 }
      return idle >= 20
    }
    try #require(isFull)
    try other.ask(2, "echo")
    #expect(try other.answer()?.id == 2)
    try #require(eventually { service.onLoop { $0.totals.queued } > 0 })
    let queued = service.onLoop { $0.totals.queued }
    #expect(queued <= 2 * (64 * 1024 + 65_600))
    greedy.close()
    try #require(eventually { service.onLoop { $0.connectionCount } <= 1 })
    #expect(service.onLoop { $0.totals.queued } == 0)
  }

  @Test func `a client that reads again gets every answer`() throws {
    let service = try RunningService()
    let client = try service.client()
    let size = 50_000
    let writer = BackgroundThread {
      for id in 1...200 { try? client.ask(UInt64(id), "big", size: size) }
    }
    try #require(eventually { service.onLoop { $0.totals.queued } > 0 })
    for id in 1...200 {
      let answer = try client.answer()
      #expect(answer?.id == UInt64(id))
    }
    writer.join()
    #expect(service.onLoop { $0.totals.queued } == 0)
  }

  @Test func `a reader that takes nothing for the time allowed is dropped`() throws {
    let service = try RunningService(limits { $0.stallTime = 200_000_000 })
    let client = try service.client()
    try client.ask(1, "big", size: 2_000_000)
    try #require(eventually { service.onLoop { $0.counts.accepted } == 1 })
    try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
    #expect(service.onLoop { $0.totals.queued } == 0)
  }

  @Test func `event that its reader does not take counts once`() throws {
    let service = try RunningService(limits { $0.queuedBytesPerUser = 12_000 })
    let client = try service.client()
    try client.ask(1, "echo")
    #expect(try client.answer()?.id == 1)
    // The kernel's buffer takes the first of them.
    let isHeld = eventually {
      service.onLoop { service in
        let event = [UInt8](repeating: 0, count: 8_000)
        for connection in service.connections { event.withUnsafeBytes { connection.post(event: $0) } }
      }
      return service.onLoop { $0.totals.queued > 0 || $0.connectionCount == 0 }
    }
    try #require(isHeld)
    #expect(service.onLoop { $0.connectionCount } == 1)
  }

  @Test func `slow readers share a limit in all`() throws {
    let service = try RunningService(limits { $0.queuedBytes = 1_000_000 })
    let clients = try fill(service, 4)
    for client in clients { try client.ask(2, "big", size: 700_000) }
    try #require(eventually { service.onLoop { $0.connectionCount } <= 2 })
    #expect(service.onLoop { $0.totals.queued } <= 1_000_000)
  }
}
