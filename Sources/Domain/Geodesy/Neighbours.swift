import Base

/// The items near a place with their distances; reusable between queries.
public struct Neighbours {
  /// Leaves searched to find them.
  public internal(set) var visited = 0
  /// The work of the search so far, in leaves: also branches without one, and distances of items that may tie.
  package internal(set) var work = 0
  /// Metres in the upper 32 bits, the item in the lower; sorted once the search is finished.
  @usableFromInline private(set) var found: [UInt64] = []
  /// The same for a few results, without an allocation.
  @usableFromInline private(set) var few = FewEntries()
  /// The largest number of items.
  private(set) var limit = 0
  /// The largest distance in metres.
  private(set) var radius = Double.infinity
  /// The subtrees still to be searched.
  var pending = PendingBranches()
  /// Whether the search is finished: the results are sorted, and further calls change nothing.
  private(set) var isFinished = false

  /// The nearest so far, unless they fit in `few`: a binary heap with the farthest on top.
  ///
  /// The upper 32 bits are the bits of the square, which sort like the number; the lower ones the position. In `few`
  /// they are sorted.
  private var best: [UInt64] = []
  /// Other items that may tie in metres.
  private var ties: [UInt64] = []
  /// The square of the longest chord of interest.
  private(set) var reach = Float.infinity

  /// The best so far of a ``WeightedSearch``: a binary heap with the worst on top.
  var weighted: [WeightedItem] = []

  /// Makes an empty result.
  public init() {}

  /// The number of items found.
  ///
  /// Inlinable, like the subscript, so that other modules need not copy the value for the call.
  @inlinable
  public var count: Int { found.count &+ few.count }

  /// An item and its distance in whole metres, best first; `index` is in 0..<``count``.
  @inlinable
  public subscript(index: Int) -> (item: Int, metres: UInt32) {
    let entry = few.count > 0 ? few[index] : found[index]
    return (Int(entry & 0xFFFF_FFFF), UInt32(truncatingIfNeeded: entry >> 32))
  }

  /// Clears the results for a new search.
  mutating func begin(limit: Int, radius: Double) {
    // Usually empty; clearing an array costs a call.
    if !found.isEmpty { found.removeAll(keepingCapacity: true) }
    if !best.isEmpty { best.removeAll(keepingCapacity: true) }
    if !ties.isEmpty { ties.removeAll(keepingCapacity: true) }
    if !weighted.isEmpty { weighted.removeAll(keepingCapacity: true) }
    few.removeAll()
    pending.removeAll()
    isFinished = false
    (self.limit, self.radius, visited, work) = (limit, radius, 0, 0)
    reach = radius >= 0 && radius < .infinity ? SteppedChord.reach(metres: radius) : .infinity
  }

  /// The value of ``work`` after that of `leaves` more.
  @inline(__always)
  func work(after leaves: Int) -> Int { work &+ min(leaves, Int.max &- work) }

  /// Adds the item at a position if it may be among the nearest; `metres` returns its entry for `found`.
  @inline(__always)
  mutating func offer(_ square: Float, _ position: Int, metres: (Int) -> UInt64) {
    let entry = UInt64(square.bitPattern) << 32 | UInt64(truncatingIfNeeded: position)
    guard limit > FewEntries.capacity else { return offerToFew(entry, metres) }
    if best.count < limit {
      best.pushHeap(entry, by: >)
      if best.count == limit { tighten(best[0]) }
    } else if entry < best[0] {
      let farthest = best[0]
      best.replaceTop(with: entry, end: best.count, by: >)
      tighten(best[0])
      if Self.square(farthest) <= reach { keep(farthest, metres) }
    } else {
      keep(entry, metres)
    }
  }

  @inline(__always)
  private mutating func offerToFew(_ entry: UInt64, _ metres: (Int) -> UInt64) {
    if few.count < limit {
      few.insert(entry)
      if few.count == limit { tighten(few.last) }
    } else if entry < few.last {
      let farthest = few.last
      few.removeLast()
      few.insert(entry)
      tighten(few.last)
      if Self.square(farthest) <= reach { keep(farthest, metres) }
    } else {
      keep(entry, metres)
    }
  }

  /// Sorts the results; `metres` as in ``offer(_:_:metres:)``, whose data `prefetch` loads ahead.
  @inline(__always)
  mutating func finish(prefetch: (Int) -> Void, metres: (Int) -> UInt64) {
    if limit <= FewEntries.capacity {
      let count = few.count
      for index in 0..<count { prefetch(Self.position(few.entry(at: index))) }
      // In place: every entry is read before a result overwrites it.
      few.removeAll()
      for index in 0..<count where Self.square(few.entry(at: index)) <= reach {
        takeOfFew(metres(Self.position(few.entry(at: index))))
      }
      for entry in ties where Self.square(entry) <= reach { takeOfFew(metres(Self.position(entry))) }
    } else {
      for entry in best where Self.square(entry) <= reach { take(metres(Self.position(entry))) }
      for entry in ties where Self.square(entry) <= reach { take(metres(Self.position(entry))) }
      found.sortHeap(by: >)
    }
    isFinished = true
  }

  /// Stores the sorted results of another search, best first.
  mutating func finish(ordered: some Sequence<UInt64>) {
    found.append(contentsOf: ordered)
    isFinished = true
  }

  private static func square(_ entry: UInt64) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: entry >> 32)) }
  private static func position(_ entry: UInt64) -> Int { Int(entry & 0xFFFF_FFFF) }

  @inline(__always)
  private mutating func tighten(_ farthest: UInt64) {
    reach = min(reach, SteppedChord.reach(of: Self.square(farthest)))
  }

  /// Keeps a tie.
  ///
  /// If thousands of items lie within a metre, the best are selected by metres now and then, which bounds the memory
  /// and the work of the last step.
  private mutating func keep(_ entry: UInt64, _ metres: (Int) -> UInt64) {
    ties.append(entry)
    guard ties.count > limit + Self.maximumTies else { return }
    var measured = (best + few.all + ties).map { (metres(Self.position($0)), $0) }
    measured.sort { $0.0 < $1.0 }
    work &+= measured.count
    ties.removeAll(keepingCapacity: true)
    best.removeAll(keepingCapacity: true)
    few.removeAll()
    for (_, entry) in measured.prefix(limit) {
      if limit <= FewEntries.capacity { few.insert(entry) } else { best.pushHeap(entry, by: >) }
    }
  }

  /// The most ties kept beyond the limit.
  private static let maximumTies = 64

  /// Inserts an entry of `found` into `few` if it is among the nearest.
  @inline(__always)
  private mutating func takeOfFew(_ entry: UInt64) {
    guard Double(entry >> 32) <= radius else { return }
    if few.count == limit {
      guard entry < few.last else { return }
      few.removeLast()
    }
    few.insert(entry)
  }

  /// Inserts an entry into `found` if it is among the nearest.
  private mutating func take(_ entry: UInt64) {
    guard Double(entry >> 32) <= radius else { return }
    if found.count < limit {
      found.pushHeap(entry, by: >)
    } else if entry < found[0] {
      found.replaceTop(with: entry, end: found.count, by: >)
    }
  }
}

/// Up to 16 numbers in ascending order, stored inline.
///
/// For so few numbers, sorted insertion is faster than a heap and a final sort.
@usableFromInline
struct FewEntries {
  /// The most numbers.
  static var capacity: Int { 16 }

  // Inline: an array would be checked for uniqueness before each store.
  @usableFromInline var entries = InlineArray<16, UInt64>(repeating: 0)
  /// The number of numbers.
  @usableFromInline private(set) var count = 0

  init() {}

  /// The number at an index below ``count``.
  @inlinable @inline(__always)
  subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "there are not that many numbers")
    return entries[index]
  }

  /// The number last written to an index below ``capacity``.
  @inline(__always)
  func entry(at index: Int) -> UInt64 { entries[index & 15] }

  /// The largest number; arbitrary if empty.
  @inline(__always)
  var last: UInt64 { entries[(count &- 1) & 15] }

  /// All of them.
  var all: [UInt64] { (0..<count).map { entries[$0] } }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  /// Removes the largest number; there must be one.
  @inline(__always)
  mutating func removeLast() { count &-= 1 }

  /// Inserts a number, for which there must be room.
  @inline(__always)
  mutating func insert(_ entry: UInt64) {
    var index = count
    while index > 0, entries[(index &- 1) & 15] > entry {
      entries[index & 15] = entries[(index &- 1) & 15]
      index &-= 1
    }
    entries[index & 15] = entry
    count &+= 1
  }
}
