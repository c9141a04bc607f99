import CitiesProtocol
import Glibc
import Logging
import TestSupport
import Testing

@testable import FrameService

/// The bounds of what a listener does in one turn of the loop.
@Suite struct ListenerTests {
  /// Limits by which one connection is accepted per turn.
  private static let onePerTurn: ServiceLimits = {
    var limits = ServiceLimits()
    (limits.acceptTime, limits.acceptsPerTurn) = (1, 1)
    return limits
  }()

  @Test func `clients that wait while there are no descriptors are refused some in each turn`() throws {
    var limits = ServiceLimits()
    limits.acceptTime = 1
    let folder = try TemporaryFolder()
    let socket = try ListeningSocket(binding: folder.path("x.sock"), mode: 0o600)
    defer { close(socket.descriptor) }
    let lines = RecordedLines()
    let service = try FramedService(name: "test", limits: limits, log: Logger(label: "test") { _ in lines })
    let listener = Listener(service, socket)
    let accept = listener.accept
    let clients = try (0..<20).map { _ in try RawClient(folder.path("x.sock")) }
    for number in 1...20 as ClosedRange<UInt64> {
      var isFirst = true
      listener.accept = { descriptor in
        defer { isFirst = false }
        return isFirst ? -EMFILE : accept(descriptor)
      }
      #expect(listener.acceptSome())
      #expect(service.counts.refused == number)
      #expect(lines.all == ["out of descriptors with 0 connections; raise LimitNOFILE="])
    }
    listener.accept = { _ in -EMFILE }
    #expect(!listener.acceptSome())
    #expect(service.counts.refused == 20)
    for client in clients { #expect(try client.answer()?.error?.data?.limit == "descriptors") }
  }

  @Test func `an idle service looks at those that wait in one turn after the other before it leaves`() throws {
    let turns = Box<[UInt64]>([])
    let service = try RunningService(Self.onePerTurn) { service in
      service.identify = { [unowned service] _ in
        turns.change { $0.append(service.loop.turnNumber) }
        return nil
      }
    }
    service.onLoop { $0.lifecycle.listener?.pause() }
    let clients = try (0..<20).map { _ in try service.client() }
    service.onLoop {
      $0.idleExit = 0
      $0.leaveIfIdle()
    }
    #expect(service.finish().accepted == 0)
    #expect(turns.value.count == 20 && Set(turns.value).count == 20)
    for client in clients { #expect((try? client.answer()) == nil) }
  }

  @Test func `a stopping service accepts those that wait in one turn after the other, and answers them`() throws {
    let turns = Box<[UInt64]>([])
    let service = try RunningService(Self.onePerTurn) { service in
      service.identify = { [unowned service] descriptor in
        turns.change { $0.append(service.loop.turnNumber) }
        return Peer(of: descriptor)
      }
    }
    service.onLoop { $0.lifecycle.listener?.pause() }
    let clients = try (0..<20).map { _ in try service.client() }
    for client in clients { try client.ask(1, "echo") }
    service.stop()
    // Each is served and gone before the next one is accepted: the service must not take that for the end.
    for client in clients {
      #expect(try client.answer()?.id == 1)
      #expect(try client.answer() == nil)
    }
    #expect(service.finish().accepted == 20)
    #expect(turns.value.count == 20 && Set(turns.value).count == 20)
  }
}
