import Base
import TestSupport
import Testing

@Suite("bits that say how many are set before them")
struct RankedBitsTests {
  @Test(arguments: 0...200) func `counts are those of counting, before and at every position of every size`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let mixed = (0..<size).map { _ in Bool.random(using: &random) }
    let rare = (0..<size).map { _ in Int.random(in: 0..<20, using: &random) == 0 }
    for bits in [mixed, rare, mixed.map { _ in true }, mixed.map { _ in false }] {
      let bytes = RankedBits.encode(bits)
      #expect(bytes.count == RankedBits.size(of: size))
      bytes.withUnsafeBytes { check(RankedBits($0), bits) }
    }
  }

  private func check(_ found: RankedBits, _ bits: [Bool]) {
    var before = 0
    for index in 0...bits.count {
      #expect(found.rank(index) == before, "\(index) of \(bits.count)")
      let isSet = index < bits.count && bits[index]
      #expect(found[index] == isSet)
      #expect(found.rank(ifSet: index) == (isSet ? before : nil))
      before += isSet ? 1 : 0
    }
  }

  @Test(
    arguments: [0, 1, 11, 12, 13, 24, 30])
  func `a position outside has a clear bit, and its count is 0 or all; nothing traps`(bytes: Int) {
    [UInt8](repeating: 0xFF, count: bytes).withUnsafeBytes {
      let bits = RankedBits($0)
      for index in [-1, .min, .min + 63, .max, .max - 64, 64 * (bytes / 12) + 64, 1 << 40] {
        #expect(!bits[index])
        #expect(bits.rank(index) == 0)
      }
    }
  }
}
