import CBOR
import CLinux
import CitiesProtocol
import System
import TestSupport

@testable import FrameService

/// The owner of a ``ConnectionMachine`` without a socket, which writes down what it does.
final class ConnectionDriver {
  var machine: ConnectionMachine
  var replies = ReplyBuffer()
  /// Chunks that the peer has sent and nobody has read.
  var chunks: [[UInt8]] = []
  var hasEnded = false
  /// Bytes that the peer takes from now on.
  var room = Int.max
  var now: Int64 = 1_000
  /// Payloads that were answered, in order; a payload is answered with itself.
  var answered: [[UInt8]] = []
  /// Bytes that the peer has got.
  var sent: [UInt8] = []
  var log: [String] = []
  /// What becomes of requests with these payloads.
  var waits: [[UInt8]: ConnectionMachine.Wait] = [:]
  var subscribes: Set<[UInt8]> = []
  /// Requests that are put back, and how often.
  var postponements: [[UInt8]: Int] = [:]
  /// Whether the request that was put back last had a whole turn.
  var wasLong = false
  /// Requests that meet a lost page, and how often.
  var faults: [[UInt8]: Int] = [:]
  /// Slices that work takes.
  var slices = 1
  /// The time that an answer takes.
  var answerTime: Int64 = 0
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)

  init(_ change: (inout ServiceLimits) -> Void = { _ in }) {
    var limits = ServiceLimits()
    change(&limits)
    machine = ConnectionMachine(limits)
  }

  deinit { memory.deallocate() }

  // Expectations cannot look into a value that is not copyable.
  var heldBytes: Int { machine.heldBytes }
  func kind(after wasLong: Bool = false) -> ClientTurns.Kind { machine.turnKind(after: wasLong) }
  func tick(_ now: Int64) -> ConnectionMachine.Tick { machine.tick(now) }
  func disposal(isQueued: Bool) -> Disposal? { machine.disposal(isQueued: isQueued) }

  var isClosed: Bool { log.last?.hasPrefix("close") ?? false }

  /// An event of one byte.
  func post(event: UInt8, mayWait: Bool = true) {
    RawClient.framed([event]).withUnsafeBytes { machine.post(event: $0, mayWait: mayWait) }
  }

  /// Announces chunks and runs a turn.
  func receive(_ chunks: [UInt8]..., deadline: Int64 = 0) {
    self.chunks += chunks
    machine.note(linux_readable)
    turn(until: deadline)
  }

  /// One turn, and the next ones while it asks for them.
  func turns() { while turn(until: now + 500_000) {} }

  @discardableResult
  func turn(until deadline: Int64 = 0) -> Bool {
    machine.startTurn(until: deadline)
    while true {
      switch machine.next(&replies, now: { self.now }) {
      case .receive: receive()
      case .answer(let payload): answer(payload)
      case .work: work()
      case .refuse(let error):
        log.append("refuse \(error.code.rawValue)")
        replies.appendError(0, error)
      case .send: send()
      case .keep:
        log.append("keep")
        machine.sent(0, of: &replies, now: { self.now })
      case .sendQueue:
        let taken = Array(machine.queuedBytes.prefix(room))
        take(taken)
        machine.sentQueue(taken.count, now: { self.now })
      case .listen(let interest): log.append("listen \(interest.rawValue)")
      case .watchTime: log.append("time")
      case .rest(let again): return again
      case .close(let reason):
        log.append("close\(reason.map { ": " + $0 } ?? "")")
        return false
      }
    }
  }

  private func receive() {
    guard !chunks.isEmpty else {
      log.append(hasEnded ? "end" : "nothing")
      return machine.received(hasEnded ? .end : .nothing, in: memory)
    }
    let chunk = chunks.removeFirst()
    memory.copyBytes(from: chunk)
    machine.received(.bytes(chunk.count), in: memory)
  }

  private func answer(_ bytes: UnsafeRawBufferPointer) {
    let payload = Array(bytes)
    answered.append(payload)
    now += answerTime
    if let wait = waits[payload] { return machine.wait(for: wait) }
    if let left = postponements[payload], left > 0 {
      postponements[payload] = left - 1
      wasLong = machine.postpone(bytes)
      if faults[payload] == nil { return }
    } else {
      replies.append(payload)
    }
    if subscribes.contains(payload) { machine.subscribed() }
    if let left = faults[payload], left > 0 {
      faults[payload] = left - 1
      log.append(machine.answerAgain(&replies) ? "again" : "stands")
    }
  }

  private func work() {
    slices -= 1
    guard slices <= 0 else { return }
    replies.append([0x77])
    machine.finishedWork()
  }

  private func send() {
    let count = min(room, replies.count)
    take(replies.writer.bytes.prefix(count).map { $0 })
    log.append("send")
    machine.sent(count, of: &replies, now: { self.now })
  }

  private func take(_ bytes: [UInt8]) {
    sent += bytes
    if room != .max { room -= bytes.count }
  }
}

extension ReplyBuffer {
  /// Appends `payload` as a frame.
  mutating func append(_ payload: [UInt8]) {
    RawClient.framed(payload).withUnsafeBytes { append(frames: $0) }
  }
}
