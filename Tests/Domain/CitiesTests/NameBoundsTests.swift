import TestSupport
import Testing

@testable import Cities

/// The letters and scores of the names below each node of the trie.
@Suite("Bounds of the names below a node")
struct NameBoundsTests {
  @Test func `a node has the letters and the best score of all names below it`() throws {
    let built = try BuiltIndex(sections: BuiltIndex.sections(MadeUpPlaces.make(500, seed: 22)))
    let names = try #require(built.index.names)
    var nodes = [(node: try #require(names.trie.root(over: 0..<names.keys.count)), bytes: 0)]
    #expect(names.trie.nodeCount > 20)
    while let (node, bytes) = nodes.popLast() {
      let bounds = names.bounds[node.index]
      var scores: [Int] = []
      for entry in node.texts {
        let text = names.keys.key(at: entry)
        if names.city(of: entry).kind != .code { scores.append(names.score(of: entry)) }
        var offset = 0
        while let letter = NameBounds.letter({ text.byte($0) }, &offset) {
          guard offset > bytes else { continue }
          #expect(bounds.letters & 1 << NameBounds.letterClass(letter) != 0, "node \(node.index), entry \(entry)")
        }
      }
      #expect(bounds.score == scores.max() ?? 0, "node \(node.index)")
      nodes += node.children.map { (names.trie.child($0, of: node), node.depth) }
    }
  }

  @Test func `letters of the Latin alphabet have a class each, and a node without bounds has all letters`() {
    #expect(Set((0x61...0x7A as ClosedRange<UInt32>).map(NameBounds.letterClass)).count == 26)
    let none = NameBounds(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(none[0].letters == .max && none[-1].score == Int(UInt16.max))
  }
}
