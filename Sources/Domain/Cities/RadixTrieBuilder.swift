import Base

/// Makes the bytes of a ``RadixTrie`` over sorted texts.
struct RadixTrieBuilder<Keys: KeyTable> {
  private struct Node {
    var texts: Range<Int>
    var label: UInt8
    var child = 0
    var depth = 0
    var fanout = 0
  }

  private let keys: Keys
  private var nodes: [Node]

  private init(_ keys: Keys) {
    self.keys = keys
    nodes = keys.count == 0 ? [] : [Node(texts: 0..<keys.count, label: 0)]
  }

  /// The trie over `keys`, which must ascend.
  ///
  /// Nodes are split in the order in which they were made, so that siblings are neighbours, children follow their parent
  /// and the upper levels, which every look-up passes, share few cache lines.
  ///
  /// - Complexity: O(n) in the bytes of all texts.
  static func build(_ keys: Keys) -> [UInt8] {
    var builder = Self(keys)
    var index = 0
    while index < builder.nodes.count {
      builder.split(index)
      index += 1
    }
    return builder.encoded()
  }

  private mutating func split(_ index: Int) {
    let texts = nodes[index].texts
    let first = keys.key(at: texts.lowerBound)
    let depth = first.commonPrefix(with: keys.key(at: texts.upperBound - 1))
    nodes[index].depth = depth
    let allEqual = first[depth] == 0 && keys.key(at: texts.upperBound - 1)[depth] == 0
    guard texts.count > RadixTrie.bucket, !allEqual else { return }
    nodes[index].child = nodes.count
    var start = texts.lowerBound
    while start < texts.upperBound {
      let label = keys.key(at: start)[depth]
      let end = partitionPoint(start..<texts.upperBound) { keys.key(at: $0)[depth] <= label }
      nodes.append(Node(texts: start..<end, label: label))
      start = end
    }
    nodes[index].fanout = nodes.count - nodes[index].child
  }

  private func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(nodes.count * RadixTrie.nodeBytes)
    for node in nodes {
      bytes.append(littleEndian: UInt32(node.texts.lowerBound))
      bytes.append(littleEndian: UInt32(node.child))
      bytes.append(littleEndian: UInt32(node.label) | UInt32(node.fanout) << 8 | UInt32(node.depth) << 17)
    }
    return bytes
  }
}
