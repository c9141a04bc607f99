import CBOR
import CBORTools
import TestSupport
import Testing

@Suite struct RobustnessTests {
  static let samples = [
    "00", "f6", "fb3ff199999999999a", "6449455446", "4401020304", "c249010000000000000000", "5f42010243030405ff",
    "7f657374726561646d696e67ff", "9f018202039f0405ffff", "a26161016162820203", "bf6346756ef563416d7421ff",
    "d74401020304", "f8ff", "9818000102030405060708090a0b0c0d0e0f1011121314151617", "3903e7", "1bffffffffffffffff",
    "c48221196ab3", "a36269640766706172616d73a2656c696d69741466707265666978636d6574686f646b636974792e736561726368",
  ]

  @Test(arguments: samples) func `item cut anywhere is truncated`(sample: String) {
    let bytes = hex(sample)
    for count in bytes.indices {
      let error = #expect(throws: CBORError.self) { try canonicalized(Array(bytes[..<count])) }
      #expect(error?.kind == .truncated, "\(sample) cut to \(count)")
      checked(Array(bytes[..<count]))
    }
  }

  @Test(arguments: samples) func `every flipped bit and telling byte is read without trap`(sample: String) {
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

  @Test func `every item of up to two bytes and every head is read without trap`() {
    checked([])
    for first in UInt8.min...UInt8.max {
      checked([first])
      for second in UInt8.min...UInt8.max { checked([first, second]) }
      for filler in [UInt8(0), 0x7f, 0x80, 0xff] {
        for length in 2...12 { checked([first] + [UInt8](repeating: filler, count: length)) }
      }
    }
  }

  /// The samples, and small trees in deterministic and other encodings: small ones are changed in more telling places.
  static let corpus: [[UInt8]] = {
    var trees = RandomTrees(seed: 5_000)
    let encodings = (0..<400).flatMap { _ in
      let tree = trees.tree(depth: 3)
      return [referenceEncoding(tree), trees.otherEncoding(tree)]
    }
    return samples.map(hex) + encodings.filter { (2...200).contains($0.count) }
  }()

  @Test(arguments: Mutations.parts(of: .items)) func `seeded mutations are read without trap`(part: Mutations) throws {
    try part.run { mutator in
      checked(mutator.mutated(mutator.pick(Self.corpus), donor: mutator.pick(Self.corpus)))
    }
  }

  /// Reads `bytes` in every way, and checks that the ways agree with each other.
  private func checked(_ bytes: [UInt8]) {
    let canonical = try? canonicalized(bytes)
    let isStrict = (try? strictlySkipped(bytes)) != nil
    if isStrict != (canonical == bytes) { #expect(Bool(false), "strict and lenient disagree: \(hex(bytes))") }
    let value = try? CBORValue(decoding: bytes)
    if (value == nil) != (canonical == nil) { #expect(Bool(false), "tree and bytes disagree: \(hex(bytes))") }
    let captured = try? CBORDecoder().decode(CBORValue.self, from: bytes).encoded()
    if captured != canonical { #expect(Bool(false), "decoder and bytes disagree: \(hex(bytes))") }
    guard let canonical else { return }
    let again = (try? canonicalized(canonical)) == canonical && (try? value?.encoded()) == canonical
    if !again { #expect(Bool(false), "not stable: \(hex(bytes))") }
    _ = (value?.diagnostic, value?.json())
  }
}
