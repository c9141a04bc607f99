/// The items nearest to a place with their distances; used again from question to question.
public struct Neighbours {
  /// Items that were looked at to find them.
  public internal(set) var visited = 0
  /// Metres in the upper 32 bits, the item in the lower: a binary heap while searching, ascending afterwards.
  private var entries: [UInt64] = []
  private var limit = 0
  private var radius = Double.infinity
  /// The parts of the tree that the search has yet to look at; the last one is the next.
  var pending: [PendingBranch] = []
  /// The squared chord beyond which nothing is wanted any more.
  private(set) var squaredReach = Double.infinity

  /// Makes an empty one.
  public init() {}

  /// Items found.
  public var count: Int { entries.count }

  /// An item and its distance in whole metres, nearest first; `index` from 0 to ``count``.
  public subscript(index: Int) -> (item: Int, metres: UInt32) {
    (Int(entries[index] & 0xFFFF_FFFF), UInt32(entries[index] >> 32))
  }

  /// Forgets what was found, for a new search.
  mutating func begin(limit: Int, radius: Double) {
    entries.removeAll(keepingCapacity: true)
    pending.removeAll(keepingCapacity: true)
    (self.limit, self.radius, visited) = (limit, radius, 0)
    squaredReach = reach(radius)
  }

  /// Takes an item if it is among the nearest so far.
  mutating func offer(_ item: Int, metres: UInt32) {
    guard Double(metres) <= radius else { return }
    let entry = UInt64(metres) << 32 | UInt64(item)
    if entries.count < limit {
      entries.append(entry)
      siftUp(entries.count - 1)
    } else if entry < entries[0] {
      entries[0] = entry
      siftDown(0, entries.count)
    } else {
      return
    }
    if entries.count == limit { squaredReach = min(squaredReach, reach(Double(entries[0] >> 32))) }
  }

  /// Puts the nearest first, in place, by heapsort.
  mutating func finish() {
    for end in entries.indices.dropFirst().reversed() {
      entries.swapAt(0, end)
      siftDown(0, end)
    }
  }

  /// A metre more than asked for: distances are rounded, and vectors are only as exact as they are.
  private func reach(_ metres: Double) -> Double { Sphere.squaredChord(metres: metres + 1) }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0, entries[(index - 1) / 2] < entries[index] {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int, _ end: Int) {
    var index = start
    while 2 * index + 1 < end {
      var child = 2 * index + 1
      if child + 1 < end, entries[child] < entries[child + 1] { child += 1 }
      guard entries[index] < entries[child] else { return }
      entries.swapAt(index, child)
      index = child
    }
  }
}
