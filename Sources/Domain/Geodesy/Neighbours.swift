import Base

/// The items near a place with their distances; used again from question to question.
public struct Neighbours {
  /// Leaves that were looked into to find them.
  public internal(set) var visited = 0
  /// Metres in the upper 32 bits, the item in the lower; in order once the search is finished.
  @usableFromInline private(set) var found: [UInt64] = []
  /// The same for a few, which need no memory of their own.
  @usableFromInline private(set) var few = FewEntries()
  /// The largest number of items.
  private(set) var limit = 0
  /// Metres at most.
  private(set) var radius = Double.infinity
  /// The subtrees that the search has yet to look into.
  var pending = PendingBranches()
  /// Whether the search is finished: the results are in order, and a search that continues changes nothing.
  private(set) var isFinished = false

  /// The nearest so far, if they are not few: a binary heap with the farthest first.
  ///
  /// Squares are in the upper 32 bits, as ordered as the numbers whose bits they are, positions in the lower. A few are
  /// in `few`, in order.
  private var best: [UInt64] = []
  /// Others whose distance in metres may be as small.
  private var ties: [UInt64] = []
  /// The square of the chord beyond which nothing is wanted any more.
  private(set) var reach = Float.infinity

  /// The best so far of a ``WeightedSearch``: a binary heap with the worst first.
  var weighted: [WeightedItem] = []

  /// Makes an empty one.
  public init() {}

  /// Items found.
  ///
  /// Inlined, as the next one, so that a module that has this as a property does not copy it for the call.
  @inlinable
  public var count: Int { found.count &+ few.count }

  /// An item and its distance in whole metres, the best first; `index` from 0 to ``count``.
  @inlinable
  public subscript(index: Int) -> (item: Int, metres: UInt32) {
    let entry = few.count > 0 ? few[index] : found[index]
    return (Int(entry & 0xFFFF_FFFF), UInt32(truncatingIfNeeded: entry >> 32))
  }

  /// Forgets what was found, for a new search.
  mutating func begin(limit: Int, radius: Double) {
    // Most are empty, and to empty an array is a call.
    if !found.isEmpty { found.removeAll(keepingCapacity: true) }
    if !best.isEmpty { best.removeAll(keepingCapacity: true) }
    if !ties.isEmpty { ties.removeAll(keepingCapacity: true) }
    if !weighted.isEmpty { weighted.removeAll(keepingCapacity: true) }
    few.removeAll()
    pending.removeAll()
    isFinished = false
    (self.limit, self.radius, visited) = (limit, radius, 0)
    reach = radius >= 0 && radius < .infinity ? SteppedChord.reach(metres: radius) : .infinity
  }

  /// Takes the item at a position if it may be among the nearest; `metres` gives its distance and number as `found` has
  /// them.
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

  /// Puts the nearest first; `metres` as in ``offer(_:_:metres:)``, and `prefetch` has what it reads loaded.
  @inline(__always)
  mutating func finish(prefetch: (Int) -> Void, metres: (Int) -> UInt64) {
    if limit <= FewEntries.capacity {
      let count = few.count
      for index in 0..<count { prefetch(Self.position(few.entry(at: index))) }
      // In place: an entry is read before the results have come to it, for there are not more of them.
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

  /// Takes over the results of a search that has put them in order, the best first.
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

  /// Ties are few but where thousands of items lie within a metre: then the best of them are chosen by metres at times,
  /// so that memory and the work of the last step stay bounded.
  private mutating func keep(_ entry: UInt64, _ metres: (Int) -> UInt64) {
    ties.append(entry)
    guard ties.count > limit + Self.maximumTies else { return }
    var measured = (best + few.all + ties).map { (metres(Self.position($0)), $0) }
    measured.sort { $0.0 < $1.0 }
    ties.removeAll(keepingCapacity: true)
    best.removeAll(keepingCapacity: true)
    few.removeAll()
    for (_, entry) in measured.prefix(limit) {
      if limit <= FewEntries.capacity { few.insert(entry) } else { best.pushHeap(entry, by: >) }
    }
  }

  /// Ties beyond the limit that are kept.
  private static let maximumTies = 64

  /// Takes a distance and its item if they are among the nearest of a few.
  @inline(__always)
  private mutating func takeOfFew(_ entry: UInt64) {
    guard Double(entry >> 32) <= radius else { return }
    if few.count == limit {
      guard entry < few.last else { return }
      few.removeLast()
    }
    few.insert(entry)
  }

  /// Takes a distance and its item if they are among the nearest.
  private mutating func take(_ entry: UInt64) {
    guard Double(entry >> 32) <= radius else { return }
    if found.count < limit {
      found.pushHeap(entry, by: >)
    } else if entry < found[0] {
      found.replaceTop(with: entry, end: found.count, by: >)
    }
  }
}

/// Up to 16 numbers in ascending order, without memory of their own.
///
/// A few are inserted faster than they are put into a heap, and need not be sorted afterwards.
@usableFromInline
struct FewEntries {
  /// Numbers at most.
  static var capacity: Int { 16 }

  // Inline: an array would be asked before each store whether somebody shares it.
  @usableFromInline var entries = InlineArray<16, UInt64>(repeating: 0)
  /// How many there are.
  @usableFromInline private(set) var count = 0

  init() {}

  /// The number at a place below ``count``.
  @inlinable @inline(__always)
  subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "there are not that many numbers")
    return entries[index]
  }

  /// The number last written to a place, below ``capacity``.
  @inline(__always)
  func entry(at index: Int) -> UInt64 { entries[index & 15] }

  /// The largest; any number if there are none.
  @inline(__always)
  var last: UInt64 { entries[(count &- 1) & 15] }

  /// All of them.
  var all: [UInt64] { (0..<count).map { entries[$0] } }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  /// Removes the largest; there must be one.
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
