/// Items, first in, first out, in a ring of memory that is used again.
struct ItemQueue<Item> {
  private var ring: [Item?] = []
  private var head = 0
  private(set) var count = 0

  /// Whether it has none.
  var isEmpty: Bool { count == 0 }

  /// Adds an item at the end.
  ///
  /// - Complexity: O(1), amortized; a number of items that was reached before takes no memory.
  mutating func append(_ item: Item) {
    if count == ring.count { grow() }
    // The size of the ring is a power of two.
    ring[(head + count) & (ring.count - 1)] = item
    count += 1
  }

  /// Takes the first item; nil if there is none.
  ///
  /// - Complexity: O(1).
  mutating func removeFirst() -> Item? {
    guard count > 0 else { return nil }
    let item = ring[head]
    ring[head] = nil
    head = (head + 1) & (ring.count - 1)
    count -= 1
    return item
  }

  private mutating func grow() {
    let size = max(4, ring.count * 2)
    var larger: [Item?] = []
    larger.reserveCapacity(size)
    for place in 0..<count { larger.append(ring[(head + place) & (ring.count - 1)]) }
    larger.append(contentsOf: repeatElement(nil, count: size - count))
    (ring, head) = (larger, 0)
  }
}
