import FeedSync
import Testing

@Suite("Gzip")
struct GzipTests {
  private let text = Array(String(repeating: "the quick brown fox ", count: 40_000).utf8)

  private let cutOff = PackingError.unreadable("the gzip data is cut off")

  private func unpack(_ bytes: [UInt8], limit: Int = 1 << 30) throws -> [UInt8] {
    try Gzip.unpack(bytes, limit: limit)
  }

  @Test(arguments: [0, 1, 100, 262_144, 800_000])
  func `what was packed is unpacked, beyond the size of a chunk too`(count: Int) throws {
    #expect(try unpack(gzip(Array(text[..<count]))) == Array(text[..<count]))
  }

  @Test func `members after each other are one text`() throws {
    #expect(try unpack(gzip([1, 2]) + gzip([]) + gzip([3])) == [1, 2, 3])
    let bytes = gzip([1]) + gzip([2])
    for count in gzip([1]).count + 1..<bytes.count {
      #expect(throws: cutOff, "\(count)") { try unpack(Array(bytes[..<count])) }
    }
  }

  @Test(arguments: [1, 2, 7, 100, 65_536])
  func `the size of the pieces in which members arrive makes no difference`(size: Int) throws {
    let bytes = gzip(text) + gzip([]) + gzip([1, 2, 3])
    let unpacker = try GzipUnpacker(limit: text.count + 3)
    var rest = bytes[...]
    while !rest.isEmpty {
      try rest.prefix(size).withUnsafeBytes { try unpacker.take($0) }
      rest = rest.dropFirst(size)
    }
    #expect(try unpacker.finish() == text + [1, 2, 3])
  }

  @Test func `data that is cut off anywhere is refused`() {
    let bytes = gzip(Array("Hurzuf".utf8))
    for count in 0..<bytes.count {
      #expect(throws: cutOff, "\(count) of \(bytes.count)") { try unpack(Array(bytes[..<count])) }
    }
  }

  @Test func `any flipped bit of the checksum and of the length is refused`() {
    let bytes = gzip(Array("Hurzuf".utf8))
    for bit in 0..<64 {
      var damaged = bytes
      damaged[bytes.count - 8 + bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: PackingError.self, "bit \(bit)") { try unpack(damaged) }
    }
    var damaged = bytes
    damaged[bytes.count - 5] ^= 1
    #expect(throws: PackingError.unreadable("the gzip data is damaged: incorrect data check")) { try unpack(damaged) }
  }

  @Test func `a trailer is followed by another member or by nothing`() {
    for rest: [UInt8] in [[7], [0], [0, 0, 7], [0x1f], [0x1f, 0x8b]] {
      #expect(throws: PackingError.self, "\(rest)") { try unpack(gzip([1]) + rest) }
    }
  }

  @Test func `a bomb is refused at the limit, not after it`() throws {
    let bomb = gzip([UInt8](repeating: 0, count: 4_000_000))
    #expect(bomb.count < 40_000)
    for limit in [1_000_000, 3_999_999] {
      let excess = "the gzip data unpacks to more than the \(limit) bytes that are accepted"
      #expect(throws: PackingError.tooLarge(excess)) { try unpack(bomb, limit: limit) }
    }
    #expect(try unpack(bomb, limit: 4_000_000).count == 4_000_000)
  }
}
