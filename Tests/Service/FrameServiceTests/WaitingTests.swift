import CBOR
import CLinux
import CitiesProtocol
import Coroutines
import TestSupport
import Testing

@testable import FrameService

/// How long short requests wait while long ones are in progress: counted in slices and in answers, not in time.
@Suite(.serialized) struct WaitingTests {
  /// What happens while a service works on a request with slices.
  private final class Script: Sendable {
    /// Slices of the long request that were started.
    let slices = Box(0)
    /// The number of slices when the short request was answered.
    let answeredAt = Box(0)
    /// Called in the slice with this number.
    let action: Box<(at: Int, body: @Sendable () -> Void)?> = Box(nil)
    /// Long requests in progress.
    let alive = Box(0)

    func handlers() -> [any RequestHandler] {
      [
        Handler("long") { [self] request, _ throws(WireError) in
          let count = try request.decode(TestHandlers.Size.self).size
          return .computed(from: []) { budget in try await self.useWholeSlices(count, budget) }
        },
        Handler("steps") { [self] request, _ throws(WireError) in
          .counted(steps: try request.decode(TestHandlers.Size.self).size, alive: alive)
        },
        Handler("short") { [self] _, reply throws(WireError) in
          answeredAt.value = slices.value
          reply.writeText("short")
          return .written
        },
      ]
    }

    /// Uses each of that many slices to its end.
    private func useWholeSlices(_ count: Int, _ budget: Budget) async throws -> ResultWriter {
      while true {
        slices.change { $0 += 1 }
        let number = slices.value
        if let action = action.value, action.at == number { action.body() }
        let end = linux_monotonic() + ServiceLimits.usualTurn
        while linux_monotonic() < end {}
        if number >= count { break }
        try await budget.pause()
      }
      return { (reply: inout CBORWriter) throws(WireError) in reply.writeText("long") }
    }

    /// A service with these handlers; its next connection is of the user in the box.
    func service(of user: Box<UInt32> = Box(70_001)) throws -> RunningService {
      try RunningService { [self] service in
        service.register(handlers())
        service.identify = { _ in Peer(uid: user.value, pid: 1) }
      }
    }
  }

  @Test(arguments: [true, false], [1, 2, 7])
  func `a request that comes during a slice is answered before the next one`(isOneUser: Bool, slice: Int) throws {
    // A user is charged for the time in which another process has the core: on a busy machine the other user may come
    // first once. A service with another order has it in every round.
    #expect(try (0..<5).contains { _ in try slicesBeforeAnswer(isOneUser: isOneUser, slice: slice) == slice })
  }

  /// The number of slices that a new service has started when it answers a request that came during the one given.
  private func slicesBeforeAnswer(isOneUser: Bool, slice: Int) throws -> Int {
    let (script, user) = (Script(), Box<UInt32>(70_001))
    let service = try script.service(of: user)
    let slow = try connect(service)
    // More than what accepting the other may cost.
    service.onLoop { $0.loop.clients.charge(user: 70_001, time: 1_000_000) }
    if !isOneUser { user.value = 70_002 }
    let quick = try connect(service)
    script.action.value = (at: slice, body: { try? quick.ask(2, "short") })
    // All of them at once: the others wait on the connection.
    for id in 2...5 { try slow.ask(UInt64(id), "long", size: 10) }
    #expect(try quick.answer()?.result == .text("short"))
    for id in 2...5 { #expect(try slow.answer()?.id == UInt64(id)) }
    return script.answeredAt.value
  }

  /// A connection that was answered, so that the service knows it.
  private func connect(_ service: RunningService) throws -> RawClient {
    let client = try service.client()
    try client.ask(1, "short")
    #expect(try client.answer()?.id == 1)
    return client
  }

  /// Clients of one user that keep as many long requests in progress as one user may have.
  private func occupy(_ service: RunningService, _ script: Script) throws -> [RawClient] {
    let clients = try (0..<8).map { _ in try service.client() }
    for client in clients { try client.ask(1, "steps", size: 1_000_000_000) }
    try #require(eventually { script.alive.value == clients.count })
    return clients
  }

  @Test func `short requests are answered however many long ones their user has`() throws {
    let script = Script()
    let service = try script.service()
    let crowd = try occupy(service, script)
    let quick = try service.client()
    for id in 1...50 {
      try quick.ask(UInt64(id), id % 2 == 0 ? "short" : "steps", size: 1)
      #expect(try quick.answer()?.id == UInt64(id))
    }
    #expect(service.onLoop { $0.counts.answered } == crowd.count + 50)
  }

  @Test func `a long request beyond the limit waits with those after it, and holds nothing`() throws {
    let script = Script()
    let service = try script.service()
    var crowd = try occupy(service, script)
    let late = try service.client()
    try late.ask(1, "short")
    try late.ask(2, "steps", size: 5)
    try late.ask(3, "short")
    #expect(try late.answer()?.id == 1)
    let quick = try service.client()
    for id in 1...50 {
      try quick.ask(UInt64(id), "short")
      #expect(try quick.answer()?.id == UInt64(id))
      #expect(service.onLoop { _ in script.alive.value } == crowd.count)
    }
    // The late one was tried, and does not count as answered.
    #expect(service.onLoop { $0.counts.answered } == 59)
    crowd.removeLast().close()
    for id in 2...3 { #expect(try late.answer()?.id == UInt64(id)) }
    #expect(service.onLoop { $0.counts.answered } == 61)
    for client in crowd { client.close() }
    try #require(eventually { script.alive.value == 0 })
  }

  @Test func `long requests beyond the limit get their places in turn`() throws {
    let script = Script()
    let service = try script.service()
    let clients = try (0..<30).map { _ in try service.client() }
    for client in clients { for id in 1...3 { try client.ask(UInt64(id), "steps", size: 20) } }
    for id in 1...3 { for client in clients { #expect(try client.answer()?.id == UInt64(id)) } }
    #expect(service.onLoop { $0.counts.answered } == 90 && script.alive.value == 0)
  }
}
