import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import FrameService

@Suite struct LifecycleTests {
  /// Limits for a service that has time to answer all, also on a busy machine.
  private static let patient = {
    var limits = ServiceLimits()
    limits.drainTime = 60_000_000_000
    return limits
  }()

  @Test func `leaving answers what was received and removes the socket`() throws {
    let service = try RunningService(Self.patient)
    let clients = try (0..<20).map { _ in try service.client() }
    for client in clients { for id in 1...50 { try client.ask(UInt64(id), "echo") } }
    service.stop()
    for client in clients {
      for id in 1...50 { #expect(try client.answer()?.id == UInt64(id)) }
      #expect(try client.answer() == nil)
    }
    #expect(service.finish().answered == 1_000)
    #expect(!Repository.exists(service.path))
  }

  @Test func `leaving waits for a slow answer`() throws {
    let service = try RunningService()
    let client = try service.client()
    try client.ask(1, "slow", size: 150)
    try client.ask(2, "echo")
    try #require(eventually { service.onLoop { $0.counts.answered } == 2 })
    service.stop()
    #expect(try client.answer()?.result == .text("late"))
    #expect(try client.answer()?.id == 2)
    #expect(service.finish().answered == 2)
  }

  @Test func `leaving does not wait longer than its time`() throws {
    var limits = ServiceLimits()
    limits.drainTime = 100_000_000
    let service = try RunningService(limits)
    let client = try service.client()
    try client.ask(1, "slow", size: 60_000)
    try #require(eventually { service.onLoop { $0.counts.answered } == 1 })
    service.stop()
    _ = service.finish()
    #expect((try? client.answer()) == nil)
  }

  @Test func `a request sent after leaving began fails to be sent`() throws {
    var limits = ServiceLimits()
    limits.drainTime = 60_000_000_000
    let isOver = Box(false)
    let service = try RunningService(limits) {
      $0.register([
        Handler("held") { request, _ throws(WireError) in
          let (pending, loop) = (try request.caller.later(), request.caller.connection.loop)
          func look() {
            if isOver.value { return pending.succeed("late") }
            loop.schedule(after: 1_000_000) { look() }
          }
          look()
          return .later(pending)
        }
      ])
    }
    let client = try service.client()
    try client.ask(1, "held")
    try #require(eventually { service.onLoop { $0.counts.answered } == 1 })
    service.stop()
    // Requests that come before it leaves are sent, and wait for the first one.
    #expect(eventually { (try? client.ask(2, "echo")) == nil })
    isOver.value = true
    #expect(try client.answer()?.id == 1)
  }

  @Test func `those who watch are let go when it leaves`() throws {
    let service = try RunningService()
    let client = try service.client()
    try client.ask(1, "watch")
    for _ in 0..<4 { _ = try client.answer() }
    service.stop()
    #expect(try client.answer() == nil)
    _ = service.finish()
  }

  @Test func `connections that wait at a socket of its own are answered before it leaves`() throws {
    for _ in 0..<20 {
      let service = try RunningService(Self.patient)
      let clients = try (0..<10).map { _ in try service.client() }
      for client in clients { try client.ask(1, "echo") }
      service.stop()
      for client in clients { #expect(try client.answer()?.id == 1) }
    }
  }

  @Test func `an idle service leaves by itself`() throws {
    let service = try RunningService { $0.idleExit = 20_000_000 }
    #expect(service.finish().accepted == 0)
  }

  @Test func `a service with a connection or work is not idle`() throws {
    let busy = Box(true)
    let service = try RunningService {
      $0.idleExit = 20_000_000
      $0.isBusy = { busy.value }
    }
    let client = try service.client()
    usleepBriefly(100_000)
    try client.ask(1, "echo")
    #expect(try client.answer()?.id == 1)
    client.close()
    usleepBriefly(100_000)
    #expect(!service.hasEnded)
    busy.value = false
    #expect(service.finish().answered == 1)
  }
}
