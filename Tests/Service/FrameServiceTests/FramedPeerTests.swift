import CBOR
import CitiesProtocol
import Glibc
import System
import TestSupport
import Testing

@testable import FrameService

/// Asks the tests' service, as one server asks another.
private struct Echo: RequestMessage {
  static let method = "echo"
  var a: Int
  typealias Reply = Echo
}

private struct Slow: RequestMessage {
  static let method = "slow"
  var size: Int
  typealias Reply = String
}

private struct Fail: RequestMessage {
  static let method = "fail"
  typealias Reply = String
}

@Suite struct FramedPeerTests {
  /// Runs a loop of the test's own until `body` calls its argument.
  private func run(_ path: String, _ body: (FramedPeer, EventLoop) -> Void) throws {
    let loop = try EventLoop()
    let peer = FramedPeer(loop, path: path)
    body(peer, loop)
    loop.schedule(after: 60_000_000_000) { loop.stop() }
    try loop.run()
  }

  @Test func `questions are answered by id`() throws {
    let service = try RunningService()
    var answers: [Int] = []
    try run(service.path) { peer, loop in
      for number in 1...300 {
        peer.ask(Echo(a: number)) { answer in
          answers.append((try? answer.get().a) ?? -1)
          if answers.count == 300 { loop.stop() }
        }
      }
    }
    #expect(answers == Array(1...300))
  }

  @Test func `an error of the peer is told as such`() throws {
    let service = try RunningService()
    var failure: FramedPeer.Failure?
    try run(service.path) { peer, loop in
      peer.ask(Fail()) { answer in
        if case .failure(let reason) = answer { failure = reason }
        loop.stop()
      }
    }
    #expect(failure == .refused(WireError(.notFound, "nothing here")))
  }

  @Test func `without a peer the reason names the path`() throws {
    var failure: FramedPeer.Failure?
    try run("/nonexistent/x.sock") { peer, loop in
      peer.ask(Fail()) { answer in
        if case .failure(let reason) = answer { failure = reason }
        loop.stop()
      }
      #expect(failure == nil)
    }
    #expect(failure == .unreachable("connect /nonexistent/x.sock: No such file or directory"))
  }

  @Test func `a peer that does not answer in time is silent for every open request, and asked anew`() throws {
    let folder = try TemporaryFolder()
    // Connections are made and wait there: nobody takes them.
    let socket = try ListeningSocket(binding: folder.path("hung.sock"), mode: 0o600)
    defer { close(socket.descriptor) }
    var failures: [FramedPeer.Failure] = []
    let before = SystemClock.seconds()
    try run(socket.path) { peer, loop in
      func note<Value>(_ answer: Result<Value, FramedPeer.Failure>) {
        if case .failure(let failure) = answer { failures.append(failure) }
        if failures.count == 2 { peer.ask(Fail(), within: 1_000_000) { note($0) } }
        if failures.count == 3 { loop.stop() }
      }
      peer.ask(Echo(a: 1), within: 20_000_000) { note($0) }
      peer.ask(Fail()) { note($0) }
    }
    #expect(failures.count == 3)
    for failure in failures {
      guard case .silent(let since) = failure else {
        Issue.record("expected silence, found \(failure)")
        continue
      }
      #expect(since >= before && since <= SystemClock.seconds())
    }
  }

  @Test func `question on a connection that has just been closed is answered later, not at once`() throws {
    let service = try RunningService()
    var (asks, isEarly, failure) = (false, false, FramedPeer.Failure?.none)
    try run(service.path) { peer, loop in
      peer.ask(Echo(a: 1)) { _ in
        service.stop()
        _ = service.finish()
        asks = true
        peer.ask(Echo(a: 2)) { answer in
          isEarly = asks
          if case .failure(let reason) = answer { failure = reason }
          loop.stop()
        }
        asks = false
      }
    }
    #expect(!isEarly)
    #expect(failure == .unreachable("\(service.path) has closed the connection"))
  }

  @Test func `an answer in time ends the wait`() throws {
    let service = try RunningService()
    var answers = 0
    try run(service.path) { peer, loop in
      // On a busy machine an answer may come too late once.
      func first() {
        peer.ask(Echo(a: 1), within: 1_000_000_000) { answer in
          guard case .success = answer else { return first() }
          answers += 1
          loop.schedule(after: 1_500_000_000) { second() }
        }
      }
      func second() {
        peer.ask(Echo(a: 2)) { answer in
          if case .success = answer { answers += 1 }
          loop.stop()
        }
      }
      first()
    }
    #expect(answers == 2)
  }

  @Test func `a connection that breaks fails what is open, and the next question connects anew`() throws {
    var limits = ServiceLimits()
    limits.drainTime = 1
    let service = try RunningService(limits)
    var failed = 0
    try run(service.path) { peer, loop in
      peer.ask(Slow(size: 60_000)) { answer in
        if case .failure(.unreachable) = answer { failed += 1 }
        peer.ask(Fail()) { _ in
          failed += 1
          loop.stop()
        }
      }
      loop.schedule(after: 50_000_000) { service.stop() }
    }
    #expect(failed == 2)
  }
}
