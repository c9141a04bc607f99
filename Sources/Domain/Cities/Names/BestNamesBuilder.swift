/// Finds the best names below every large node of a trie, bottom-up.
struct BestNamesBuilder {
  /// A name in list order: its score and its city's place by population in one number, then its position.
  struct Item: Comparable {
    private let key: UInt64
    var score: UInt16 { UInt16.max - UInt16(truncatingIfNeeded: key >> 32) }
    private(set) var position: UInt32
    let rank: UInt32

    /// Creates the item of a name whose city has the place `place` by population.
    init(score: UInt16, place: UInt32, rank: UInt32, position: UInt32) {
      key = UInt64(UInt16.max - score) << 32 | UInt64(place)
      (self.position, self.rank) = (position, rank)
    }

    /// The item, or `nil` if its position is the highest: a table of optional items would take half as much again.
    var listed: Self? { position == .max ? nil : self }

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
  /// The last list that includes each city.
  private var seen: [UInt32]
  private var lists = 0

  /// Creates a builder for an index of `cities` cities.
  init(cities: Int) { seen = [UInt32](repeating: 0, count: cities) }

  /// Adds the lists of a trie over `count` texts; `item` returns the name at a position, or `nil` if no list includes
  /// it.
  ///
  /// - Complexity: O(n log ``BestNames/smallest``) for n names, and O(``BestNames/length`` · log f) for a node of f
  ///   children.
  mutating func add(_ trie: RadixTrie, count: Int, _ item: (Int) -> Item?) {
    let firstNode = nodes.count
    nodes.append(contentsOf: repeatElement(false, count: trie.nodeCount))
    guard let root = trie.root(over: 0..<count), count > BestNames.smallest else { return }
    // Nodes are visited breadth-first; in reverse, children come before their parents.
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

  /// The first ``BestNames/length`` items of several sorted lists, one per city.
  private mutating func merge(_ parts: [[Item]]) -> [Item] {
    lists += 1
    let stamp = UInt32(truncatingIfNeeded: lists)
    var best: [Item] = []
    // A heap of the lists, ordered by their next item.
    var heap: [(items: [Item], next: Int)] = []
    func isAbove(_ one: (items: [Item], next: Int), _ other: (items: [Item], next: Int)) -> Bool {
      one.items[one.next] < other.items[other.next]
    }
    for part in parts where !part.isEmpty { heap.pushHeap((part, 0), by: isAbove) }
    while best.count < BestNames.length, var part = heap.first {
      let item = part.items[part.next]
      if seen[Int(item.rank)] != stamp {
        seen[Int(item.rank)] = stamp
        best.append(item)
      }
      part.next += 1
      if part.next < part.items.count {
        heap.replaceTop(with: part, end: heap.count, by: isAbove)
      } else {
        _ = heap.popHeap(by: isAbove)
      }
    }
    return best
  }
}
