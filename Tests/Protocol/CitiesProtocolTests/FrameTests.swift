import CBOR
import CitiesProtocol
import TestSupport
import Testing

@Suite struct FrameTests {
  private func scan(_ bytes: [UInt8], maximum: Int = 300) -> FrameScanner.Result {
    bytes.withUnsafeBytes { FrameScanner(maximum: maximum).next(in: $0) }
  }

  @Test(arguments: [0, 1, 255, 256, 65_535, 65_536, 4 * 1024 * 1024])
  func `header is the length in four big endian bytes`(length: Int) {
    let (a, b, c, d) = Frame.header(length: length)
    #expect(Int(a) << 24 | Int(b) << 16 | Int(c) << 8 | Int(d) == length)
  }

  @Test func `payload of every small size is found and drip fed byte by byte`() {
    for size in 0...300 {
      let frame = Frame.framed([UInt8](repeating: 0xab, count: size))
      for count in frame.indices {
        let missing = count < Frame.headerSize ? Frame.headerSize - count : frame.count - count
        if scan(Array(frame[..<count])) != .incomplete(missing: missing) { #expect(Bool(false), "\(size) at \(count)") }
      }
      #expect(scan(frame) == .frame(length: size))
      #expect(scan(frame + [1, 2, 3]) == .frame(length: size))
    }
  }

  @Test func `length is taken at the maximum and refused above`() {
    #expect(scan([0, 0, 1, 44]) == .incomplete(missing: 300))
    #expect(scan([0, 0, 1, 45]) == .tooLarge(declared: 301))
    #expect(scan([0xff, 0xff, 0xff, 0xff]) == .tooLarge(declared: .max))
    #expect(scan([0xff, 0xff, 0xff, 0xff], maximum: .max) == .incomplete(missing: Int(UInt32.max)))
    #expect(scan([0, 0, 0, 0], maximum: 0) == .frame(length: 0))
    #expect(scan([0, 0, 0, 1], maximum: 0) == .tooLarge(declared: 1))
  }

  @Test func `replies are decoded up to the items and the depth of the wire`() {
    func decode(_ item: [UInt8]) throws { _ = try CBORDecoder(limits: .reply).decode(CBORValue.self, from: item) }
    for (excess, isTaken) in [(0, true), (1, false)] {
      let count = Frame.maximumReplyItems - 1 + excess
      let head = [0x9a] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
      let nested = [UInt8](repeating: 0x81, count: Frame.maximumDepth - 1 + excess) + [0x80]
      for item in [head + [UInt8](repeating: 0, count: count), nested] {
        if isTaken {
          #expect(throws: Never.self) { try decode(item) }
        } else {
          #expect(throws: CBORError.self) { try decode(item) }
        }
      }
    }
  }

  @Test func `every header is a frame incomplete or too large`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<10_000 {
      let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
      let declared = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let expected: FrameScanner.Result =
        if bytes.count < 4 { .incomplete(missing: 4 - bytes.count) } else if declared > 300 {
          .tooLarge(declared: UInt32(declared))
        } else if bytes.count < 4 + declared { .incomplete(missing: 4 + declared - bytes.count) } else {
          .frame(length: declared)
        }
      #expect(scan(bytes) == expected)
    }
  }

  @Test(arguments: 0..<20) func `stream cut into random pieces gives the same frames`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let payloads = (0..<30).map { _ in
      (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    var (stream, received, found) = (payloads.flatMap { Frame.framed($0) }[...], [UInt8](), [[UInt8]]())
    while !stream.isEmpty {
      let piece = stream.prefix(Int.random(in: 1...400, using: &random))
      stream = stream.dropFirst(piece.count)
      received += piece
      while case .frame(let length) = scan(received) {
        found.append(Array(received[4..<4 + length]))
        received.removeFirst(4 + length)
      }
    }
    #expect(found == payloads)
    #expect(received.isEmpty)
  }
}
