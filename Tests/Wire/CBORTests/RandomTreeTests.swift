import CBOR
import TestSupport
import Testing

@Suite struct RandomTreeTests {
  @Test(arguments: 0..<8) func `trees encode as the reference says and come back`(seed: UInt64) throws {
    var trees = RandomTrees(seed: seed)
    for _ in 0..<250 {
      let tree = trees.tree()
      let expected = referenceEncoding(tree)
      #expect(try tree.encoded() == expected)
      #expect(try CBOREncoder().encode(tree) == expected)
      #expect(try CBORValue(decoding: expected) == tree)
      #expect(try CBORDecoder().decode(CBORValue.self, from: expected) == tree)
      #expect(throws: Never.self) { try strictlySkipped(expected) }
    }
  }

  @Test(arguments: 0..<8) func `every well formed encoding is put in order`(seed: UInt64) throws {
    var trees = RandomTrees(seed: 1_000 + seed)
    for _ in 0..<250 {
      let tree = trees.tree()
      let (other, expected) = (trees.otherEncoding(tree), referenceEncoding(tree))
      #expect(try canonicalized(other) == expected)
      #expect(try CBORDecoder().decode(CBORValue.self, from: other).encoded() == expected)
      let isStrict = (try? strictlySkipped(other)) != nil
      #expect(isStrict == (other == expected), "\(hex(other))")
    }
  }
}
