/// A binary heap of slots (small numbers of the owner) with a value each, the least value first; it stores the place of
/// every slot, so that any of them can be removed.
///
/// Slots with equal values are removed in the order of insertion.
struct SlotHeap {
  private struct Node {
    let value: Int64
    let order: UInt64
    let slot: Int

    func precedes(_ other: Node) -> Bool { value != other.value ? value < other.value : order < other.order }
  }

  private var nodes: [Node] = []
  /// The place of each slot in `nodes`; `absent` for a slot that is not in the heap.
  private var places: [Int] = []
  private var inserted: UInt64 = 0
  private static let absent = -1

  var count: Int { nodes.count }
  var isEmpty: Bool { nodes.isEmpty }
  /// The slot with the least value, and that value.
  var first: (slot: Int, value: Int64)? { nodes.first.map { ($0.slot, $0.value) } }

  /// Whether `slot` is in the heap.
  func contains(_ slot: Int) -> Bool { slot < places.count && places[slot] != Self.absent }

  /// Inserts `slot`, which must not be in the heap.
  ///
  /// - Complexity: O(log *n*), amortized.
  mutating func insert(_ slot: Int, _ value: Int64) {
    while places.count <= slot { places.append(Self.absent) }
    inserted &+= 1
    places[slot] = nodes.count
    nodes.append(Node(value: value, order: inserted, slot: slot))
    siftUp(from: nodes.count - 1)
  }

  /// Removes the slot with the least value.
  ///
  /// - Complexity: O(log *n*).
  mutating func removeFirst() -> (slot: Int, value: Int64)? {
    guard let first else { return nil }
    remove(first.slot)
    return first
  }

  /// Removes `slot`; does nothing if it is not in the heap.
  ///
  /// - Complexity: O(log *n*).
  mutating func remove(_ slot: Int) {
    guard contains(slot) else { return }
    let place = places[slot]
    places[slot] = Self.absent
    let last = nodes.removeLast()
    guard place < nodes.count else { return }
    nodes[place] = last
    places[last.slot] = place
    siftUp(from: place)
    siftDown(from: place)
  }

  private mutating func siftUp(from place: Int) {
    var place = place
    while place > 0, nodes[place].precedes(nodes[(place - 1) / 2]) {
      exchange(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func siftDown(from place: Int) {
    var place = place
    while true {
      var least = 2 * place + 1
      guard least < nodes.count else { return }
      if least + 1 < nodes.count, nodes[least + 1].precedes(nodes[least]) { least += 1 }
      guard nodes[least].precedes(nodes[place]) else { return }
      exchange(place, least)
      place = least
    }
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    nodes.swapAt(one, other)
    places[nodes[one].slot] = one
    places[nodes[other].slot] = other
  }
}
