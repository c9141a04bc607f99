import TestSupport
import Testing

@testable import Framing

@Suite struct FrameAssemblerTests {
  /// Payloads of every small size and of sizes around the buffers' steps.
  static let payloads: [[UInt8]] = (Array(0...40) + [255, 256, 257, 4_095, 4_096]).map { size in
    (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ size) }
  }
  static let stream = payloads.flatMap(RawClient.framed)

  /// Feeds `stream` in chunks of the given sizes and collects the payloads.
  static func cut(_ stream: [UInt8], chunks: (Int) -> Int, maximum: Int = 65_536) -> [[UInt8]] {
    var assembler = FrameAssembler(maximum: maximum)
    var found: [[UInt8]] = []
    var offset = 0
    while offset < stream.count {
      let size = min(max(1, chunks(offset)), stream.count - offset)
      stream.withUnsafeBytes { bytes in
        var chunk = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
        while case .frame(let payload) = assembler.next(from: &chunk) { found.append(Array(payload)) }
      }
      offset += size
    }
    return found
  }

  @Test func `a stream fed whole gives every frame`() {
    #expect(Self.cut(Self.stream) { _ in .max } == Self.payloads)
  }

  @Test(arguments: 1...9) func `a stream fed in small chunks gives the same frames`(size: Int) {
    #expect(Self.cut(Self.stream) { _ in size } == Self.payloads)
  }

  @Test func `a stream cut once at every offset gives the same frames`() {
    let stream = Self.payloads.prefix(20).flatMap(RawClient.framed)
    for offset in 1..<stream.count {
      #expect(Self.cut(stream) { $0 == 0 ? offset : .max } == Array(Self.payloads.prefix(20)), "cut at \(offset)")
    }
  }

  @Test func `seeded random chunks give the same frames`() {
    var seed: UInt64 = 42
    for _ in 0..<200 {
      let found = Self.cut(Self.stream) { _ in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(seed >> 33) % 700
      }
      #expect(found == Self.payloads)
    }
  }

  /// Checks that `take` gets all payloads in their order, whichever size the chunks have that it reads them from.
  private func expectAllPayloads(
    from take: (inout FrameAssembler, inout UnsafeRawBufferPointer) -> [[UInt8]]
  ) {
    let payloads = Array(Self.payloads.prefix(30))
    let stream = payloads.flatMap(RawClient.framed)
    for size in 1...200 {
      var assembler = FrameAssembler(maximum: 65_536)
      var found: [[UInt8]] = []
      for offset in stride(from: 0, to: stream.count, by: size) {
        stream.withUnsafeBytes { bytes in
          var chunk = UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + size, stream.count)])
          found += take(&assembler, &chunk)
        }
      }
      #expect(found == payloads, "chunks of \(size)")
    }
  }

  @Test(arguments: 1...3, 1...3)
  func `frames that were handed out are handed out again, wherever a chunk ends`(times: Int, count: Int) {
    expectAllPayloads { assembler, chunk in
      let whole = chunk
      for _ in 0..<times {
        var taken: [[UInt8]] = []
        while taken.count < count, case .frame(let payload) = assembler.next(from: &chunk) {
          taken.append(Array(payload))
        }
        // An assembler that has asked for more has nothing to go back to.
        guard taken.count == count else { return taken }
        chunk = whole
        assembler.rewind(&chunk)
      }
      var found: [[UInt8]] = []
      while case .frame(let payload) = assembler.next(from: &chunk) { found.append(Array(payload)) }
      return found
    }
  }

  @Test func `a frame that is put back comes next, wherever a chunk ends`() {
    expectAllPayloads { assembler, chunk in
      var found: [[UInt8]] = []
      var isSecond = false
      while case .frame(let payload) = assembler.next(from: &chunk) {
        if isSecond { found.append(Array(payload)) } else { assembler.putBack(payload, before: &chunk) }
        isSecond.toggle()
      }
      #expect(!isSecond)
      return found
    }
  }

  /// The pieces of a stream, and the reason why cutting ended.
  struct Outcome: Equatable {
    var payloads: [[UInt8]] = []
    var declared: UInt32?
    var holdsBytes = false
  }

  /// Cuts `stream` as plainly as can be.
  static func plainlyCut(_ stream: [UInt8], maximum: Int) -> Outcome {
    var (outcome, rest) = (Outcome(), stream[...])
    while rest.count >= 4 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard length <= maximum else {
        outcome.declared = UInt32(length)
        return outcome
      }
      guard rest.count >= 4 + length else { break }
      outcome.payloads.append(Array(rest.dropFirst(4).prefix(length)))
      rest = rest.dropFirst(4 + length)
    }
    outcome.holdsBytes = !rest.isEmpty
    return outcome
  }

  /// Cuts `stream` in chunks of any size, some of which are kept for later.
  static func cut(_ stream: [UInt8], maximum: Int, _ mutator: inout Mutator) -> Outcome {
    var assembler = FrameAssembler(maximum: maximum)
    var (outcome, offset) = (Outcome(), 0)
    while outcome.declared == nil {
      let size = min(mutator.below(3) == 0 ? 1 : mutator.below(60), stream.count - offset)
      let isKept = mutator.below(8) == 0
      stream.withUnsafeBytes { bytes in
        var chunk = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size])
        if isKept { assembler.keep(chunk) } else { take(&chunk, &assembler, &outcome) }
      }
      offset += size
      if offset == stream.count && !isKept { break }
    }
    outcome.holdsBytes = outcome.declared == nil && assembler.holdsBytes
    return outcome
  }

  private static func take(
    _ chunk: inout UnsafeRawBufferPointer, _ assembler: inout FrameAssembler, _ outcome: inout Outcome
  ) {
    while true {
      switch assembler.next(from: &chunk) {
      case .frame(let payload): outcome.payloads.append(Array(payload))
      case .needsMore: return
      case .tooLarge(let declared):
        outcome.declared = declared
        return
      }
    }
  }

  @Test(arguments: Mutations.parts(of: .frames))
  func `a mutated stream in any chunks is cut as a plain reader cuts it`(part: Mutations) throws {
    let frames = Self.payloads.prefix(41).map(RawClient.framed)
    try part.run { mutator in
      let stream = (0...mutator.below(5)).flatMap { _ in mutator.pick(frames) }
      let bytes = mutator.mutated(stream)
      let found = Self.cut(bytes, maximum: 300, &mutator)
      if found != Self.plainlyCut(bytes, maximum: 300) { Issue.record("cut otherwise: \(bytes)") }
    }
  }

  @Test(arguments: [(65_535, true), (65_536, true), (65_537, false), (0xFFFF_FFFF, false)])
  func `lengths up to the limit are taken`(declared: Int, isTaken: Bool) {
    var assembler = FrameAssembler(maximum: 65_536)
    let header = (0..<4).map { UInt8(truncatingIfNeeded: declared >> (24 - 8 * $0)) }
    header.withUnsafeBytes { bytes in
      var chunk = bytes
      switch assembler.next(from: &chunk) {
      case .needsMore: #expect(isTaken)
      case .tooLarge(let found): #expect(!isTaken && found == UInt32(declared))
      case .frame: Issue.record("a frame without payload")
      }
    }
  }

  @Test func `a declared length takes no memory before its bytes come`() {
    var assembler = FrameAssembler(maximum: 65_536)
    [0, 1, 0, 0].withUnsafeBytes { bytes in
      var chunk = bytes
      _ = assembler.next(from: &chunk)
    }
    let footprint = assembler.held.capacity
    #expect(footprint <= 4_096)
  }

  @Test func `frames that were kept come before the next chunk`() {
    var assembler = FrameAssembler(maximum: 100)
    RawClient.framed([1]).withUnsafeBytes { assembler.keep($0) }
    let holdsBytes = assembler.holdsBytes
    #expect(holdsBytes)
    RawClient.framed([2]).withUnsafeBytes { bytes in
      var chunk = bytes
      for expected in [UInt8(1), 2] {
        guard case .frame(let payload) = assembler.next(from: &chunk) else {
          Issue.record("no frame \(expected)")
          return
        }
        #expect(Array(payload) == [expected])
      }
    }
    let isSpent = !assembler.holdsBytes
    #expect(isSpent)
  }
}

extension [UInt8] {
  fileprivate func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    self.withUnsafeBufferPointer { body(UnsafeRawBufferPointer($0)) }
  }
}
