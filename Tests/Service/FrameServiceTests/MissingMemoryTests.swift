import CBOR
import CitiesProtocol
import Coroutines
import Synchronization
import TestSupport
import Testing

@testable import FrameService

/// Answers while the memory that they are made from goes away.
@Suite struct MissingMemoryTests {
  /// Data that a service answers from: its generation, and faults that are still to come.
  private final class Memory: Sendable {
    /// What the handler of SIGBUS counts; never freed, as the service reads it from its own thread.
    nonisolated(unsafe) let faults = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    let generation = Box<UInt64>(1)
    let faultsLeft: Box<Int>
    let repetitions = Box(0)

    init(faults count: Int) {
      faults.initialize(to: 0)
      faultsLeft = Box(count)
    }

    /// Reads a page that may be missing.
    func touch() {
      guard faultsLeft.value > 0 else { return }
      faultsLeft.change { $0 -= 1 }
      faults.pointee += 1
    }

    var handlers: [any RequestHandler] {
      let generation = Handler("generation") { _, reply throws(WireError) in
        self.repetitions.change { $0 += 1 }
        reply.writeUnsigned(self.generation.value)
        return .written
      }
      let touch = Handler("touch") { _, reply throws(WireError) in
        reply.writeUnsigned(self.generation.value)
        self.touch()
        return .written
      }
      // Fails in its second slice, because of a page that is missing.
      let failing = Handler("failing") { _, _ throws(WireError) in
        .computed(from: []) { budget in
          try await budget.pause()
          self.touch()
          throw WireError(.internal, "an entry is out of range")
        }
      }
      // Is finished in its second slice, while memory of others goes away.
      let finishing = Handler("finishing") { _, _ throws(WireError) in
        .computed(from: []) { budget in
          try await budget.pause()
          self.touch()
          return { (reply: inout CBORWriter) throws(WireError) in reply.writeUnsigned(self.generation.value) }
        }
      }
      let subscribing = Handler("subscribing") { request, reply throws(WireError) in
        _ = try request.caller.subscribe()
        self.repetitions.change { $0 += 1 }
        reply.writeUnsigned(self.generation.value)
        self.touch()
        return .written
      }
      return TestHandlers.all() + [generation, touch, failing, finishing, subscribing]
    }

    /// A service that takes a new generation at every fault.
    ///
    /// No turn ends because of the time, only after its number of requests: a busy machine changes nothing.
    func service(pipelined: Int? = nil) throws -> RunningService {
      var limits = ServiceLimits()
      limits.turn = 3_600_000_000_000
      if let pipelined { limits.pipelined = pipelined }
      return try RunningService(limits) { service in
        service.register(self.handlers)
        service.faults = FaultCounter(self.faults)
        service.onFault = {
          self.generation.change { $0 += 1 }
          return WireError(.unavailable, "the data changed")
        }
      }
    }
  }

  @Test func `a request that subscribes while memory goes away subscribes once`() throws {
    let memory = Memory(faults: 1)
    let service = try memory.service()
    let client = try service.client()
    try client.send(Self.stream(["subscribing", "touch"]))
    for id: UInt64 in 1...2 { #expect(try client.answer()?.id == id) }
    #expect(memory.repetitions.value == 1)
  }

  private static func stream(_ methods: [String], from first: UInt64 = 1) -> [UInt8] {
    methods.enumerated().flatMap { RawClient.framed(RawClient.request(first + UInt64($0.offset), $0.element)) }
  }

  /// Checks that the answers to `count` requests come in their order and from one generation.
  private static func expect(_ count: Int, of generation: UInt64, from client: RawClient) throws {
    for id in 1...UInt64(count) {
      let answer = try client.answer()
      #expect(answer?.id == id)
      #expect(answer?.result == .unsigned(generation), "request \(id)")
    }
  }

  private static let requests = (1...9).map { $0 == 6 ? "touch" : "generation" }

  @Test(arguments: 1...3) func `answers before a fault are not sent but made again`(faults: Int) throws {
    let memory = Memory(faults: faults)
    let client = try memory.service().client()
    try client.send(Self.stream(Self.requests))
    try Self.expect(Self.requests.count, of: UInt64(1 + faults), from: client)
    #expect(memory.repetitions.value == 5 + 8)
  }

  /// A request whose start came in an earlier chunk stands in a buffer of the connection's own.
  @Test(arguments: [3, 30, 200]) func `a request in two chunks is answered again too`(cut: Int) throws {
    let memory = Memory(faults: 1)
    let service = try memory.service()
    let client = try service.client()
    let stream = Self.stream(Self.requests)
    try client.send(Array(stream[..<cut]))
    // The first chunk is read before the second is sent: another client is answered after it.
    let other = try service.client()
    try other.ask(1, "echo")
    _ = try other.answer()
    let sent = RawClient.wholeFrames(in: stream[..<cut])
    try client.send(Array(stream[cut...]))
    for id in 1...UInt64(Self.requests.count) {
      #expect(try client.answer() == Answered(id: id, result: .unsigned(id <= sent ? 1 : 2)))
    }
  }

  @Test func `requests that were kept for a later turn are answered again`() throws {
    let client = try Memory(faults: 1).service(pipelined: 4).client()
    // Three turns of four requests; the fault is in the last of the second.
    let requests = (1...12).map { $0 == 8 ? "touch" : "generation" }
    try client.send(Self.stream(requests))
    for id in 1...UInt64(requests.count) {
      #expect(try client.answer() == Answered(id: id, result: .unsigned(id <= 4 ? 1 : 2)))
    }
  }

  @Test func `while memory may change, every answer is checked and stands if nothing has changed`() throws {
    let (memory, checks) = (Memory(faults: 0), Box(0))
    let service = try RunningService(.init()) { service in
      service.register(memory.handlers)
      var faults = FaultCounter(memory.faults)
      faults.isDoubtful = true
      service.faults = faults
      service.onFault = {
        checks.change { $0 += 1 }
        // The sixth look finds a change.
        guard checks.value == 6 else { return nil }
        memory.generation.change { $0 += 1 }
        return WireError(.unavailable, "the data changed")
      }
    }
    let client = try service.client()
    for id in 1...UInt64(5) {
      try client.ask(id, "generation")
      #expect(try client.answer()?.result == .unsigned(1))
    }
    try client.ask(6, "generation")
    #expect(try client.answer() == Answered(id: 6, result: .unsigned(2)))
    #expect(checks.value > 6 && memory.repetitions.value > 6)
  }

  @Test func `a fault is noticed although memory becomes certain meanwhile`() {
    let memory = Memory(faults: 1)
    var faults = FaultCounter(memory.faults)
    faults.isDoubtful = true
    #expect(faults.isRaised)
    memory.touch()
    faults.isDoubtful = false
    #expect(faults.isRaised)
    faults.acknowledge()
    #expect(!faults.isRaised)
  }

  @Test func `a request that subscribes is answered once`() throws {
    let memory = Memory(faults: 1)
    let client = try memory.service().client()
    try client.send(Self.stream(["generation", "watch", "generation", "touch"]))
    var (answers, events) = ([Answered](), 0)
    while answers.count < 4 || events < 3 {
      guard let answer = try client.answer() else { break }
      if answer.event == nil { answers.append(answer) } else { events += 1 }
    }
    try #require(answers.map(\.id) == [1, 2, 3, 4])
    #expect(answers.map(\.result) == [.unsigned(1), .text("watching"), .unsigned(2), .unsigned(2)])
    try client.ask(5, "generation")
    #expect(try client.answer()?.id == 5, "no event of a second subscription")
  }

  @Test func `memory that goes away without end is an error, and earlier requests are answered all the same`() throws {
    let memory = Memory(faults: .max)
    let client = try memory.service().client()
    try client.send(Self.stream(Self.requests))
    for id in 1...UInt64(Self.requests.count) {
      let answer = try client.answer()
      #expect(answer?.id == id)
      #expect((answer?.error?.code == .unavailable) == (id == 6))
    }
  }

  @Test(arguments: [0, 1]) func `work that fails says that the data changed if it has`(faults: Int) throws {
    let client = try Memory(faults: faults).service().client()
    try client.send(Self.stream(["failing"]))
    #expect(try client.answer()?.error?.code == (faults > 0 ? .unavailable : .internal))
  }

  @Test func `work that is finished is written again if it has not read from what is missing`() throws {
    let client = try Memory(faults: 1).service().client()
    try client.send(Self.stream(["finishing"]))
    #expect(try client.answer() == Answered(id: 1, result: .unsigned(2)))
  }

  @Test func `requests that are answered again are counted once`() throws {
    let memory = Memory(faults: 1)
    let service = try memory.service()
    let client = try service.client()
    try client.send(Self.stream(Self.requests))
    for _ in Self.requests { _ = try client.answer() }
    service.stop()
    #expect(service.finish().answered == UInt64(Self.requests.count))
  }
}

extension RawClient {
  /// Frames that lie whole in `bytes`.
  fileprivate static func wholeFrames(in bytes: ArraySlice<UInt8>) -> UInt64 {
    var (rest, count) = (bytes, UInt64(0))
    while rest.count >= 4 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 4 + length else { break }
      rest = rest.dropFirst(4 + length)
      count += 1
    }
    return count
  }
}
