import Base

/// Finds the best names below every large node of a trie, from the leaves up.
struct BestNamesBuilder {
  /// A name in the order of a list: its score and its city's place by population in one number, then its position.
  struct Item: Comparable {
    private let key: UInt64
    /// The score.
    var score: UInt16 { UInt16.max - UInt16(truncatingIfNeeded: key >> 32) }
    private(set) var position: UInt32
    let rank: UInt32

    /// A name whose city has `place` by population.
    init(score: UInt16, place: UInt32, rank: UInt32, position: UInt32) {
      key = UInt64(UInt16.max - score) << 32 | UInt64(place)
      (self.position, self.rank) = (position, rank)
    }

    /// The same name at another position.
    func moved(to position: UInt32) -> Self {
      var item = self
      item.position = position
      return item
    }

    static func < (one: Self, other: Self) -> Bool {
      one.key != other.key ? one.key < other.key : one.position < other.position
    }
  }

  /// The sections that ``BestNames`` reads.
  private(set) var nodes: [Bool] = []
  private(set) var offsets: [UInt32] = [0]
  private(set) var entries: [UInt32] = []
  /// By city, the last node whose list has it.
  private var seen: [UInt32]
  private var lists = 0

  /// A builder for an index of `cities`.
  init(cities: Int) { seen = [UInt32](repeating: 0, count: cities) }

  /// Adds the lists of a trie over `count` texts; `item` gives the name at a position, unless it is on no list.
  ///
  /// - Complexity: O(n log ``BestNames/smallest``) for n names, and O(``BestNames/length`` · log f) for a node of f
  ///   children.
  mutating func add(_ trie: RadixTrie, count: Int, _ item: (Int) -> Item?) {
    let firstNode = nodes.count
    nodes.append(contentsOf: repeatElement(false, count: trie.nodeCount))
    guard let root = trie.root(over: 0..<count), count > BestNames.smallest else { return }
    // Nodes come in the order of their depth: backwards, children come before their parents.
    var large = [root]
    var next = 0
    while next < large.count {
      let node = large[next]
      large += node.children.map { trie.child($0, of: node) }.filter { $0.texts.count > BestNames.smallest }
      next += 1
    }
    var found: [Int: [Item]] = [:]
    var made: [[UInt32]] = []
    for node in large.reversed() {
      let parts =
        node.children.isEmpty
        ? [node.texts.compactMap(item).sorted()]
        : node.children.map { child in
          found.removeValue(forKey: child) ?? trie.child(child, of: node).texts.compactMap(item).sorted()
        }
      let best = merge(parts)
      found[node.index] = best
      nodes[firstNode + node.index] = true
      made.append(best.map(\.position))
    }
    for list in made.reversed() {
      entries += list
      offsets.append(UInt32(entries.count))
    }
  }

  /// The first ``BestNames/length`` items of sorted parts, one per city.
  private mutating func merge(_ parts: [[Item]]) -> [Item] {
    lists += 1
    let stamp = UInt32(truncatingIfNeeded: lists)
    var best: [Item] = []
    // A heap of the parts by their next item.
    var heap = parts.filter { !$0.isEmpty }.map { (items: $0, next: 0) }
    func head(_ index: Int) -> Item { heap[index].items[heap[index].next] }
    func siftDown(_ start: Int) {
      var index = start
      while 2 * index + 1 < heap.count {
        var child = 2 * index + 1
        if child + 1 < heap.count, head(child + 1) < head(child) { child += 1 }
        guard head(child) < head(index) else { return }
        heap.swapAt(index, child)
        index = child
      }
    }
    for index in (0..<heap.count / 2).reversed() { siftDown(index) }
    while best.count < BestNames.length, !heap.isEmpty {
      let item = head(0)
      if seen[Int(item.rank)] != stamp {
        seen[Int(item.rank)] = stamp
        best.append(item)
      }
      heap[0].next += 1
      if heap[0].next == heap[0].items.count {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
      }
      siftDown(0)
    }
    return best
  }
}
