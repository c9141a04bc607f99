import CBOR
import CLinux
import CitiesProtocol
import System
import TestSupport
import Testing

@testable import FrameService

/// A connection's protocol, driven without a socket: a peer made of chunks, a clock that a test moves.
@Suite struct ConnectionMachineTests {
  private static func frames(_ payloads: [UInt8]...) -> [UInt8] { payloads.flatMap(RawClient.framed) }

  // MARK: Bytes in

  @Test func `a request is answered with one read and one send`() {
    let driver = ConnectionDriver()
    driver.receive(Self.frames([1]))
    #expect(driver.answered == [[1]] && driver.sent == RawClient.framed([1]))
    #expect(driver.log == ["send"])
  }

  @Test func `requests sent together are answered with one send`() {
    let driver = ConnectionDriver()
    driver.receive(Self.frames([1], [2, 2], [], [3]))
    #expect(driver.answered == [[1], [2, 2], [], [3]])
    #expect(driver.sent == Self.frames([1], [2, 2], [], [3]) && driver.log == ["send"])
  }

  @Test(arguments: 1...9) func `a stream in small chunks is answered alike`(size: Int) {
    let stream = Self.frames([1], [2, 2], [3, 3, 3], [], [4])
    let driver = ConnectionDriver()
    for start in stride(from: 0, to: stream.count, by: size) {
      driver.receive(Array(stream[start..<min(start + size, stream.count)]))
    }
    #expect(driver.answered == [[1], [2, 2], [3, 3, 3], [], [4]] && driver.sent == stream)
  }

  @Test func `a chunk that fills the memory is followed by another read`() {
    let driver = ConnectionDriver()
    let payload = [UInt8](repeating: 7, count: 4_092)
    driver.receive(RawClient.framed(payload), RawClient.framed([1]))
    #expect(driver.answered == [payload])
    driver.turns()
    #expect(driver.answered == [payload, [1]])
  }

  @Test func `the end after requests closes, once they are answered`() {
    let driver = ConnectionDriver()
    driver.chunks = [Self.frames([1])]
    driver.hasEnded = true
    driver.machine.note(linux_readable | linux_input_ended)
    driver.turns()
    #expect(driver.sent == Self.frames([1]) && driver.log == ["send", "end", "close"])
  }

  @Test func `the end in the middle of a frame closes`() {
    let driver = ConnectionDriver()
    driver.receive([0, 0])
    driver.hasEnded = true
    driver.machine.note(linux_input_ended)
    driver.turns()
    #expect(driver.isClosed && driver.answered.isEmpty)
  }

  @Test func `a peer that has hung up is closed although its request waits`() {
    let driver = ConnectionDriver()
    driver.waits = [[1]: .promise]
    driver.receive(Self.frames([1], [2]))
    driver.machine.note(linux_hung_up)
    #expect(driver.kind(after: true) == .fresh)
    driver.turns()
    #expect(driver.isClosed && driver.answered == [[1]])
  }

  @Test func `a frame that is too large is refused after those before it, and the connection ends`() {
    let driver = ConnectionDriver { $0.requestBytes = 10 }
    driver.receive(Self.frames([1]) + [0, 0, 0, 11] + Self.frames([2]))
    #expect(driver.answered == [[1]])
    #expect(driver.log == ["refuse frame-too-large", "send", "close"])
    #expect(driver.sent.starts(with: Self.frames([1])) && driver.sent.count > 5)
  }

  // MARK: Time

  @Test func `a frame is late after its time and not before`() {
    let driver = ConnectionDriver { $0.frameTime = 1_000 }
    driver.receive([0, 0, 0])
    #expect(driver.log == ["time"])
    #expect(driver.tick(driver.now + 999) == .inTime)
    #expect(driver.tick(driver.now + 1_000) == .overdue)
    driver.turns()
    #expect(driver.log == ["time", "refuse malformed", "send", "close"])
  }

  @Test func `a frame is not late if its rest has come before that is noticed`() {
    let driver = ConnectionDriver { $0.frameTime = 1_000 }
    driver.receive([0, 0, 0])
    driver.now += 5_000
    #expect(driver.tick(driver.now) == .overdue)
    driver.receive([1, 7])
    #expect(driver.answered == [[7]] && !driver.isClosed)
  }

  @Test func `a frame that follows a whole one has a time of its own, one that drips has not`() {
    let driver = ConnectionDriver { $0.frameTime = 1_000 }
    driver.receive([0, 0])
    driver.now += 900
    driver.receive([0])
    #expect(driver.tick(driver.now + 100) == .overdue)
    let other = ConnectionDriver { $0.frameTime = 1_000 }
    other.receive([0, 0])
    other.now += 900
    other.receive([0, 1, 9, 0, 0])
    #expect(other.tick(other.now + 999) == .inTime)
    other.receive([0, 0])
    #expect(other.tick(other.now + 10_000) == .idle)
  }

  @Test func `a turn ends at its deadline, and the rest is served in the next one`() {
    let driver = ConnectionDriver()
    driver.answerTime = 300_000
    driver.receive(Self.frames([1], [2], [3], [4], [5]), deadline: driver.now + 500_000)
    #expect(driver.answered == [[1], [2]] && driver.sent == Self.frames([1], [2]))
    driver.turns()
    #expect(driver.answered == [[1], [2], [3], [4], [5]])
  }

  @Test func `a connection that is alone still ends its turn`() {
    let driver = ConnectionDriver { $0.turn = 100_000 }
    driver.answerTime = 60_000
    driver.receive(Self.frames([1], [2], [3], [4], [5]))
    #expect(driver.answered.count == 3)
  }

  @Test(arguments: [(0, 1), (9_000, 1), (100, 8)] as [(Int64, Int)])
  func `the clock is read for each request unless they are short`(time: Int64, requests: Int) {
    var limits = ServiceLimits()
    limits.turn = 1_000_000
    var machine = ConnectionMachine(limits)
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
    let driver = ConnectionDriver { $0.pipelined = 3 }
    driver.receive(Self.frames([1], [2], [3], [4], [5], [6], [7]))
    #expect(driver.answered.count == 3)
    driver.turn()
    #expect(driver.answered.count == 6)
  }

  // MARK: Slow readers

  @Test func `bytes that the peer does not take are queued, and nothing is read meanwhile`() {
    let driver = ConnectionDriver()
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
    let driver = ConnectionDriver { $0.stallTime = 2_000_000_000 }
    driver.room = 0
    driver.receive(Self.frames([1]))
    #expect(driver.tick(driver.now + 1_999_999_999) == .inTime)
    #expect(driver.tick(driver.now + 2_000_000_000) == .overdue)
    driver.turns()
    #expect(driver.log.last == "close: it read nothing for 2 s")
  }

  @Test func `a peer that reads a little within its time is not closed`() {
    let driver = ConnectionDriver { $0.stallTime = 2_000_000_000 }
    driver.room = 0
    driver.receive(Self.frames([1]))
    // There is room for a byte, but the socket does not report so little.
    driver.room = 1
    driver.now += 2_000_000_000
    #expect(driver.tick(driver.now) == .overdue)
    driver.turns()
    #expect(!driver.isClosed && driver.sent.count == 1)
    #expect(driver.tick(driver.now + 1_999_999_999) == .inTime)
    driver.room = 0
    #expect(driver.tick(driver.now + 2_000_000_000) == .overdue)
    driver.turns()
    #expect(driver.isClosed)
  }

  @Test func `gathered answers are sent before there are too many`() {
    let driver = ConnectionDriver { $0.outputBytes = 10 }
    driver.receive(Self.frames([1], [2], [3], [4]))
    #expect(driver.log == ["send", "send"] && driver.sent == Self.frames([1], [2], [3], [4]))
  }

  // MARK: Slow answers

  @Test func `requests after one that waits are served when its promise is kept`() {
    let driver = ConnectionDriver()
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
    let driver = ConnectionDriver()
    driver.waits = [[2]: .work]
    driver.slices = slices
    driver.receive(Self.frames([1], [2], [3]))
    #expect(driver.kind() == .started)
    driver.turns()
    #expect(driver.sent == Self.frames([1], [0x77], [3]))
  }

  @Test func `an answer to work waits after bytes that the peer has not taken`() {
    let driver = ConnectionDriver()
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

  @Test(arguments: 1...3) func `a request that is put back comes again, wherever the chunk was cut`(times: Int) {
    let stream = Self.frames([1], [2, 2], [3], [4])
    for cut in 1..<stream.count {
      let driver = ConnectionDriver()
      driver.postponements = [[2, 2]: times]
      driver.receive(Array(stream[..<cut]))
      driver.receive(Array(stream[cut...]))
      driver.turns()
      #expect(driver.sent == stream, "cut at \(cut)")
      #expect(driver.answered == [[1]] + Array(repeating: [2, 2], count: times + 1) + [[3], [4]], "cut at \(cut)")
    }
  }

  @Test func `a request that is put back ends the turn, and is long if it had all of it`() {
    let driver = ConnectionDriver()
    driver.postponements = [[2]: 2]
    driver.receive(Self.frames([1], [2], [3]))
    #expect(driver.sent == Self.frames([1]) && !driver.wasLong && driver.kind(after: driver.wasLong) == .continued)
    driver.turn()
    #expect(driver.sent == Self.frames([1]) && driver.wasLong && driver.kind(after: driver.wasLong) == .long)
    #expect(driver.disposal(isQueued: false) == .unreadRequest)
    driver.turns()
    #expect(driver.sent == Self.frames([1], [2], [3]))
  }

  @Test func `a connection with more input stays long after a long request, one that is ending does not`() {
    let driver = ConnectionDriver()
    driver.waits = [[1]: .work]
    driver.receive(Self.frames([1]))
    #expect(driver.kind(after: true) == .started)
    driver.machine.note(linux_readable)
    driver.turn()
    #expect(driver.kind(after: true) == .long && driver.kind() == .fresh)
    driver.machine.note(linux_input_ended)
    #expect(driver.kind(after: true) == .fresh)
  }

  @Test func `a request that is put back after a fault is answered with those before it`() {
    let stream = Self.frames([1], [2], [3])
    for cut in 1..<stream.count {
      let driver = ConnectionDriver()
      (driver.postponements, driver.faults) = ([[2]: 1], [[2]: 1])
      driver.receive(Array(stream[..<cut]))
      driver.receive(Array(stream[cut...]))
      driver.turns()
      #expect(driver.sent == stream, "cut at \(cut)")
    }
  }

  @Test func `what was received is answered when the service leaves, then the connection ends`() {
    let driver = ConnectionDriver()
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
    let driver = ConnectionDriver()
    driver.subscribes = [[1]]
    driver.receive(Self.frames([1]))
    for number in UInt8(1)...3 { driver.post(event: number) }
    #expect(driver.sent == Self.frames([1]) && driver.heldBytes == 15)
    driver.turns()
    #expect(driver.sent == Self.frames([1], [1], [2], [3]) && driver.heldBytes == 0)
  }

  @Test func `one that watches stays although it sends no more, until the service leaves`() {
    let driver = ConnectionDriver()
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
    let driver = ConnectionDriver { $0.subscriberBytes = 12 }
    for _ in 0..<3 { driver.post(event: 1) }
    #expect(driver.heldBytes == 10)
    driver.turns()
    #expect(driver.log == ["close: it reads no events"])
  }

  @Test func `where no more bytes may wait, events wait for their turn, but for no reader`() {
    let driver = ConnectionDriver()
    for number in UInt8(1)...2 { driver.post(event: number, mayWait: false) }
    #expect(driver.heldBytes == 10)
    driver.room = 3
    driver.turns()
    #expect(driver.heldBytes == 7 && !driver.isClosed)
    driver.post(event: 3, mayWait: false)
    driver.turns()
    #expect(driver.log.last == "close: it reads no events")
  }

  // MARK: Lost pages

  @Test func `answers that are not sent are made again after a fault, wherever the chunk was cut`() {
    let stream = Self.frames([1], [2], [3], [4])
    for cut in 1..<stream.count {
      let driver = ConnectionDriver()
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
    let driver = ConnectionDriver()
    driver.faults = [[2]: .max]
    driver.receive(Self.frames([1], [2], [3]))
    #expect(driver.log == ["again", "again", "again", "stands", "send"])
    #expect(driver.sent == Self.frames([1], [2], [3]))
  }

  @Test func `a request that subscribes is not answered again`() {
    let driver = ConnectionDriver()
    (driver.subscribes, driver.faults) = ([[1]], [[2]: 1])
    driver.receive(Self.frames([1], [2]))
    #expect(driver.answered == [[1], [2], [2]] && driver.log == ["send", "again", "send"])
  }

  // MARK: Making room

  @Test func `what is lost by closing is told apart`() {
    let idle = ConnectionDriver()
    #expect(idle.disposal(isQueued: false) == .idle && idle.disposal(isQueued: true) == .unreadRequest)
    let partial = ConnectionDriver()
    partial.receive([0, 0])
    #expect(partial.disposal(isQueued: false) == .partialRequest)
    let slow = ConnectionDriver()
    slow.room = 0
    slow.receive(Self.frames([1]))
    #expect(slow.disposal(isQueued: false) == .unreadAnswer)
    let waiting = ConnectionDriver()
    waiting.waits = [[1]: .work]
    waiting.receive(Self.frames([1]))
    #expect(waiting.disposal(isQueued: false) == nil)
  }
}
