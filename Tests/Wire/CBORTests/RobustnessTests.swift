import CBOR
import TestSupport
import Testing

@Suite struct RobustnessTests {
  static let samples = [
    "00", "f6", "fb3ff199999999999a", "6449455446", "4401020304", "c249010000000000000000", "5f42010243030405ff",
    "7f657374726561646d696e67ff", "9f018202039f0405ffff", "a26161016162820203", "bf6346756ef563416d7421ff",
    "d74401020304", "f8ff", "9818000102030405060708090a0b0c0d0e0f1011121314151617", "3903e7", "1bffffffffffffffff",
    "c48221196ab3", "a36269640766706172616d73a2656c696d69741466707265666978636d6574686f646b636974792e736561726368",
  ]

  @Test(arguments: samples)
  func itemCutAnywhereIsTruncated(sample: String) {
    let bytes = hex(sample)
    for count in bytes.indices {
      let error = #expect(throws: CBORError.self) { try canonicalized(Array(bytes[..<count])) }
      #expect(error?.kind == .truncated, "\(sample) cut to \(count)")
      checked(Array(bytes[..<count]))
    }
  }

  @Test(arguments: samples)
  func everyFlippedBitAndTellingByteIsReadWithoutTrap(sample: String) {
    let bytes = hex(sample)
    let telling: [UInt8] = [
      0x00, 0x17, 0x18, 0x1b, 0x1f, 0x3b, 0x5b, 0x5f, 0x7b, 0x7f, 0x9b, 0x9f, 0xbb, 0xbf, 0xdb, 0xfb, 0xff,
    ]
    for index in bytes.indices {
      for value in telling + (0..<8).map({ bytes[index] ^ 1 << $0 }) {
        var changed = bytes
        changed[index] = value
        checked(changed)
      }
    }
  }

  @Test func everyItemOfUpToTwoBytesAndEveryHeadIsReadWithoutTrap() {
    checked([])
    for first in UInt8.min...UInt8.max {
      checked([first])
      for second in UInt8.min...UInt8.max { checked([first, second]) }
      for filler in [UInt8(0), 0x7f, 0x80, 0xff] {
        for length in 2...12 { checked([first] + [UInt8](repeating: filler, count: length)) }
      }
    }
  }

  @Test(arguments: 0..<4)
  func seededMutationsAreReadWithoutTrap(seed: UInt64) {
    var trees = RandomTrees(seed: 5_000 + seed)
    var mutations = 0
    while mutations < 27_000 {
      let tree = trees.tree(depth: 3)
      let original = Bool.random(using: &trees.random) ? referenceEncoding(tree) : trees.otherEncoding(tree)
      // Small items are changed in more telling places, and quicker.
      guard (2...200).contains(original.count) else { continue }
      for _ in 0..<90 { checked(mutated(original, &trees.random)) }
      mutations += 90
    }
  }

  private func mutated(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
      case 1 where index < bytes.count: bytes.remove(at: index)
      case 2 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      default: bytes = index > 0 ? Array(bytes[..<index]) + bytes[(index / 2)...] : bytes
      }
    }
    return bytes
  }

  /// Reads `bytes` in every way, and checks that the ways agree with each other.
  private func checked(_ bytes: [UInt8]) {
    let canonical = try? canonicalized(bytes)
    let isStrict = (try? strictlySkipped(bytes)) != nil
    if isStrict != (canonical == bytes) { #expect(Bool(false), "strict and lenient disagree: \(hex(bytes))") }
    let value = try? CBORValue(decoding: bytes)
    if (value == nil) != (canonical == nil) { #expect(Bool(false), "tree and bytes disagree: \(hex(bytes))") }
    guard let canonical else { return }
    let again = (try? canonicalized(canonical)) == canonical && (try? value?.encoded()) == canonical
    if !again { #expect(Bool(false), "not stable: \(hex(bytes))") }
    _ = (value?.diagnostic, value?.json())
  }
}
