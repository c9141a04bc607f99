import CBOR
import CLinux
import CitiesProtocol
import System
import TestSupport
import Testing

@testable import FrameService

/// A connection's protocol, driven without a socket: a peer made of chunks, a clock that a test moves.
@Suite struct ConnectionMachineTests {
  /// What the owner of a machine does, written down.
  private final class Driver {
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
    var isStarted: Bool { machine.isStarted }
    func tick(_ now: Int64) -> ConnectionMachine.Tick { machine.tick(now) }
    func disposal(isQueued: Bool) -> Disposal? { machine.disposal(isQueued: isQueued) }

    var isClosed: Bool { log.last?.hasPrefix("close") ?? false }

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
        case .answer(let payload): answer(Array(payload))
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

    private func answer(_ payload: [UInt8]) {
      answered.append(payload)
      now += answerTime
      if let wait = waits[payload] { return machine.wait(for: wait) }
      replies.append(payload)
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

  private static func frames(_ payloads: [UInt8]...) -> [UInt8] { payloads.flatMap(RawClient.framed) }

  // MARK: Bytes in

  @Test func `a request is answered with one read and one send`() {
    let driver = Driver()
    driver.receive(Self.frames([1]))
    #expect(driver.answered == [[1]] && driver.sent == RawClient.framed([1]))
    #expect(driver.log == ["send"])
  }

  @Test func `requests sent together are answered with one send`() {
    let driver = Driver()
    driver.receive(Self.frames([1], [2, 2], [], [3]))
    #expect(driver.answered == [[1], [2, 2], [], [3]])
    #expect(driver.sent == Self.frames([1], [2, 2], [], [3]) && driver.log == ["send"])
  }

  @Test(arguments: 1...9) func `a stream in small chunks is answered alike`(size: Int) {
    let stream = Self.frames([1], [2, 2], [3, 3, 3], [], [4])
    let driver = Driver()
    for start in stride(from: 0, to: stream.count, by: size) {
      driver.receive(Array(stream[start..<min(start + size, stream.count)]))
    }
    #expect(driver.answered == [[1], [2, 2], [3, 3, 3], [], [4]] && driver.sent == stream)
  }

  @Test func `a chunk that fills the memory is followed by another read`() {
    let driver = Driver()
    let payload = [UInt8](repeating: 7, count: 4_092)
    driver.receive(RawClient.framed(payload), RawClient.framed([1]))
    #expect(driver.answered == [payload])
    driver.turns()
    #expect(driver.answered == [payload, [1]])
  }

  @Test func `the end after requests closes, once they are answered`() {
    let driver = Driver()
    driver.chunks = [Self.frames([1])]
    driver.hasEnded = true
    driver.machine.note(linux_readable | linux_input_ended)
    driver.turns()
    #expect(driver.sent == Self.frames([1]) && driver.log == ["send", "end", "close"])
  }

  @Test func `the end in the middle of a frame closes`() {
    let driver = Driver()
    driver.receive([0, 0])
    driver.hasEnded = true
    driver.machine.note(linux_input_ended)
    driver.turns()
    #expect(driver.isClosed && driver.answered.isEmpty)
  }

  @Test func `a peer that has hung up is closed although its request waits`() {
    let driver = Driver()
    driver.waits = [[1]: .promise]
    driver.receive(Self.frames([1], [2]))
    driver.machine.note(linux_hung_up)
    #expect(driver.isStarted)
    driver.turns()
    #expect(driver.isClosed && driver.answered == [[1]])
  }

  @Test func `a frame that is too large is refused after those before it, and the connection ends`() {
    let driver = Driver { $0.requestBytes = 10 }
    driver.receive(Self.frames([1]) + [0, 0, 0, 11] + Self.frames([2]))
    #expect(driver.answered == [[1]])
    #expect(driver.log == ["refuse frame-too-large", "send", "close"])
    #expect(driver.sent.starts(with: Self.frames([1])) && driver.sent.count > 5)
  }

  // MARK: Time

  @Test func `a frame is late after its time and not before`() {
    let driver = Driver { $0.frameTime = 1_000 }
    driver.receive([0, 0, 0])
    #expect(driver.log == ["time"])
    #expect(driver.tick(driver.now + 999) == .inTime)
    #expect(driver.tick(driver.now + 1_000) == .overdue)
    driver.turns()
    #expect(driver.log == ["time", "refuse malformed", "send", "close"])
  }

  @Test func `a frame that follows a whole one has a time of its own, one that drips has not`() {
    let driver = Driver { $0.frameTime = 1_000 }
    driver.receive([0, 0])
    driver.now += 900
    driver.receive([0])
    #expect(driver.tick(driver.now + 100) == .overdue)
    let other = Driver { $0.frameTime = 1_000 }
    other.receive([0, 0])
    other.now += 900
    other.receive([0, 1, 9, 0, 0])
    #expect(other.tick(other.now + 999) == .inTime)
    other.receive([0, 0])
    #expect(other.tick(other.now + 10_000) == .idle)
  }

  @Test func `a turn ends at its deadline, and the rest is served in the next one`() {
    let driver = Driver()
    driver.answerTime = 300_000
    driver.receive(Self.frames([1], [2], [3], [4], [5]), deadline: driver.now + 500_000)
    #expect(driver.answered == [[1], [2]] && driver.sent == Self.frames([1], [2]))
    driver.turns()
    #expect(driver.answered == [[1], [2], [3], [4], [5]])
  }

  @Test func `a connection that is alone still ends its turn`() {
    let driver = Driver { $0.turn = 100_000 }
    driver.answerTime = 60_000
    driver.receive(Self.frames([1], [2], [3], [4], [5]))
    #expect(driver.answered.count == 3)
  }

  @Test(arguments: [(0, 1), (9_000, 1), (100, 8)] as [(Int64, Int)])
  func `the clock is read for each request unless they are short`(time: Int64, requests: Int) {
    var machine = ConnectionMachine(ServiceLimits())
    var replies = ReplyBuffer()
    var (now, looks) = (Int64(1), 0)
    let stream = (0..<100).flatMap { _ in Self.frames([1]) }
    machine.note(linux_readable)
    machine.startTurn(until: 0)
    stream.withUnsafeBytes { bytes in
      let memory = UnsafeMutableRawBufferPointer(mutating: bytes)
      serving: while true {
        switch machine.next(
          &replies,
          now: {
            looks += 1; return now
          })
        {
        case .receive: machine.received(.bytes(bytes.count), in: memory)
        case .answer: now += time
        default: break serving
        }
      }
    }
    if time == 100 { #expect(looks <= 2 + 100 / requests) }
    if time == 9_000 { #expect(looks > 50) }
  }

  @Test func `no more than the allowed requests are served in a turn`() {
    let driver = Driver { $0.pipelined = 3 }
    driver.receive(Self.frames([1], [2], [3], [4], [5], [6], [7]))
    #expect(driver.answered.count == 3)
    driver.turn()
    #expect(driver.answered.count == 6)
  }

  // MARK: Slow readers

  @Test func `bytes that the peer does not take are queued, and nothing is read meanwhile`() {
    let driver = Driver()
    driver.room = 3
    driver.receive(Self.frames([1]))
    #expect(driver.sent.count == 3 && driver.heldBytes == 2)
    #expect(driver.log == ["send", "time", "listen 2"])
    driver.chunks = [Self.frames([2])]
    driver.machine.note(linux_readable)
    driver.turns()
    #expect(driver.answered == [[1]])
    driver.room = .max
    driver.machine.note(linux_writable)
    driver.turns()
    #expect(driver.answered == [[1], [2]] && driver.sent == Self.frames([1], [2]))
    #expect(driver.heldBytes == 0)
  }

  @Test func `a peer that takes nothing for its time is closed with a reason`() {
    let driver = Driver { $0.stallTime = 2_000_000_000 }
    driver.room = 0
    driver.receive(Self.frames([1]))
    #expect(driver.tick(driver.now + 1_999_999_999) == .inTime)
    #expect(driver.tick(driver.now + 2_000_000_000) == .overdue)
    driver.turns()
    #expect(driver.log.last == "close: it read nothing for 2 s")
  }

  @Test func `gathered answers are sent before there are too many`() {
    let driver = Driver { $0.outputBytes = 10 }
    driver.receive(Self.frames([1], [2], [3], [4]))
    #expect(driver.log == ["send", "send"] && driver.sent == Self.frames([1], [2], [3], [4]))
  }

  // MARK: Slow answers

  @Test func `requests after one that waits are served when its promise is kept`() {
    let driver = Driver()
    driver.waits = [[2]: .promise]
    driver.receive(Self.frames([1], [2], [3]))
    #expect(driver.answered == [[1], [2]] && driver.sent == Self.frames([1]))
    driver.chunks = [Self.frames([4])]
    driver.machine.note(linux_readable)
    driver.turns()
    #expect(driver.answered.count == 2)
    RawClient.framed([0x22]).withUnsafeBytes { driver.machine.keepPromise($0) }
    driver.turns()
    #expect(driver.sent == Self.frames([1], [0x22], [3], [4]))
  }

  @Test(arguments: 1...3) func `work goes on in turns of its own, before the requests after it`(slices: Int) {
    let driver = Driver()
    driver.waits = [[2]: .work]
    driver.slices = slices
    driver.receive(Self.frames([1], [2], [3]))
    #expect(driver.isStarted)
    driver.turns()
    #expect(driver.sent == Self.frames([1], [0x77], [3]))
  }

  @Test func `an answer to work waits after bytes that the peer has not taken`() {
    let driver = Driver()
    driver.waits = [[2]: .work]
    driver.room = 2
    driver.receive(Self.frames([1], [2]))
    driver.turns()
    #expect(driver.log.contains("keep"))
    driver.room = .max
    driver.machine.note(linux_writable)
    driver.turns()
    #expect(driver.sent == Self.frames([1], [0x77]))
  }

  @Test func `what was received is answered when the service leaves, then the connection ends`() {
    let driver = Driver()
    driver.waits = [[1]: .promise]
    driver.receive(Self.frames([1], [2]))
    driver.machine.drain()
    driver.hasEnded = true
    driver.turns()
    #expect(!driver.isClosed)
    RawClient.framed([0x11]).withUnsafeBytes { driver.machine.keepPromise($0) }
    driver.turns()
    #expect(driver.sent == Self.frames([0x11], [2]) && driver.isClosed)
  }

  // MARK: Events

  @Test func `events leave in a turn, after the answers before them`() {
    let driver = Driver()
    driver.subscribes = [[1]]
    driver.receive(Self.frames([1]))
    for number in UInt8(1)...3 { RawClient.framed([number]).withUnsafeBytes { driver.machine.post(event: $0) } }
    #expect(driver.sent == Self.frames([1]) && driver.heldBytes == 15)
    driver.turns()
    #expect(driver.sent == Self.frames([1], [1], [2], [3]) && driver.heldBytes == 0)
  }

  @Test func `one that watches stays although it sends no more, until the service leaves`() {
    let driver = Driver()
    driver.subscribes = [[1]]
    driver.receive(Self.frames([1]))
    driver.hasEnded = true
    driver.machine.note(linux_input_ended)
    driver.turns()
    #expect(!driver.isClosed && driver.disposal(isQueued: false) == nil)
    driver.machine.drain()
    driver.turns()
    #expect(driver.isClosed)
  }

  @Test func `a peer that does not read its events is closed at its limit`() {
    let driver = Driver { $0.subscriberBytes = 12 }
    for _ in 0..<3 { RawClient.framed([1]).withUnsafeBytes { driver.machine.post(event: $0) } }
    #expect(driver.heldBytes == 10)
    driver.turns()
    #expect(driver.log == ["close: it reads no events"])
  }

  // MARK: Lost pages

  @Test func `answers that are not sent are made again after a fault, wherever the chunk was cut`() {
    let stream = Self.frames([1], [2], [3], [4])
    for cut in 1..<stream.count {
      let driver = Driver()
      driver.faults = [[3]: 1]
      driver.receive(Array(stream[..<cut]))
      let before = driver.answered
      driver.receive(Array(stream[cut...]))
      #expect(driver.sent == stream, "cut at \(cut)")
      let repeated: [[UInt8]] = before.contains([3]) ? [] : Array([[1], [2], [3]].dropFirst(before.count))
      if !before.contains([3]) { #expect(driver.answered == before + repeated + repeated + [[4]], "cut at \(cut)") }
    }
  }

  @Test func `a fault that comes back ends after a few attempts`() {
    let driver = Driver()
    driver.faults = [[2]: .max]
    driver.receive(Self.frames([1], [2], [3]))
    #expect(driver.log == ["again", "again", "again", "stands", "send"])
    #expect(driver.sent == Self.frames([1], [2], [3]))
  }

  @Test func `a request that subscribes is not answered again`() {
    let driver = Driver()
    (driver.subscribes, driver.faults) = ([[1]], [[2]: 1])
    driver.receive(Self.frames([1], [2]))
    #expect(driver.answered == [[1], [2], [2]] && driver.log == ["send", "again", "send"])
  }

  // MARK: Making room

  @Test func `what is lost by closing is told apart`() {
    let idle = Driver()
    #expect(idle.disposal(isQueued: false) == .idle && idle.disposal(isQueued: true) == .unreadRequest)
    let partial = Driver()
    partial.receive([0, 0])
    #expect(partial.disposal(isQueued: false) == .partialRequest)
    let slow = Driver()
    slow.room = 0
    slow.receive(Self.frames([1]))
    #expect(slow.disposal(isQueued: false) == .unreadAnswer)
    let waiting = Driver()
    waiting.waits = [[1]: .work]
    waiting.receive(Self.frames([1]))
    #expect(waiting.disposal(isQueued: false) == nil)
  }
}

extension ReplyBuffer {
  /// Appends `payload` as a frame.
  fileprivate mutating func append(_ payload: [UInt8]) {
    RawClient.framed(payload).withUnsafeBytes { append(frames: $0) }
  }
}
