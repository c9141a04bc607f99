import Base

/// The items near a place with their distances; used again from question to question.
public struct Neighbours {
  /// Leaves that were looked into to find them.
  public internal(set) var visited = 0
  /// Metres in the upper 32 bits, the item in the lower; in order once the search is finished.
  private var found: [UInt64] = []
  /// The largest number of items.
  private(set) var limit = 0
  /// Metres at most.
  private(set) var radius = Double.infinity
  /// The subtrees that the search has yet to look into.
  var pending = PendingBranches()
  /// Whether the search is finished: the results are in order, and a search that continues changes nothing.
  private(set) var isFinished = false

  /// The nearest so far: squares in the upper 32 bits, as ordered as the numbers whose bits they are, positions in the lower;
  /// a binary heap with the farthest first.
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
  public var count: Int { found.count }

  /// An item and its distance in whole metres, the best first; `index` from 0 to ``count``.
  public subscript(index: Int) -> (item: Int, metres: UInt32) {
    (Int(found[index] & 0xFFFF_FFFF), UInt32(found[index] >> 32))
  }

  /// Forgets what was found, for a new search.
  mutating func begin(limit: Int, radius: Double) {
    // Most are empty, and to empty an array is a call.
    if !found.isEmpty { found.removeAll(keepingCapacity: true) }
    if !best.isEmpty { best.removeAll(keepingCapacity: true) }
    if !ties.isEmpty { ties.removeAll(keepingCapacity: true) }
    if !weighted.isEmpty { weighted.removeAll(keepingCapacity: true) }
    pending.removeAll()
    isFinished = false
    (self.limit, self.radius, visited) = (limit, radius, 0)
    reach = radius >= 0 && radius < .infinity ? SteppedChord.reach(metres: radius) : .infinity
  }

  /// Takes the item at a position if it may be among the nearest; `metres` gives its distance and number as `found` has them.
  @inline(__always)
  mutating func offer(_ square: Float, _ position: Int, metres: (Int) -> UInt64) {
    let entry = UInt64(square.bitPattern) << 32 | UInt64(truncatingIfNeeded: position)
    if best.count < limit {
      best.pushHeap(entry, by: >)
      if best.count == limit { tighten() }
    } else if entry < best[0] {
      let farthest = best[0]
      best.replaceTop(with: entry, end: best.count, by: >)
      tighten()
      if Self.square(farthest) <= reach { keep(farthest, metres) }
    } else {
      keep(entry, metres)
    }
  }

  /// Puts the nearest first; `metres` as in ``offer(_:_:metres:)``.
  mutating func finish(metres: (Int) -> UInt64) {
    for entry in best where Self.square(entry) <= reach { take(metres(Self.position(entry))) }
    for entry in ties where Self.square(entry) <= reach { take(metres(Self.position(entry))) }
    found.sortHeap(by: >)
    isFinished = true
  }

  /// Takes over the results of a search that has put them in order, the best first.
  mutating func finish(ordered: some Sequence<UInt64>) {
    found.append(contentsOf: ordered)
    isFinished = true
  }

  private static func square(_ entry: UInt64) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: entry >> 32)) }
  private static func position(_ entry: UInt64) -> Int { Int(entry & 0xFFFF_FFFF) }

  private mutating func tighten() { reach = min(reach, SteppedChord.reach(of: Self.square(best[0]))) }

  /// Ties are few but where thousands of items lie within a metre: then the best of them are chosen by metres at times, so that
  /// memory and the work of the last step stay bounded.
  private mutating func keep(_ entry: UInt64, _ metres: (Int) -> UInt64) {
    ties.append(entry)
    guard ties.count > limit + Self.maximumTies else { return }
    var measured = (best + ties).map { (metres(Self.position($0)), $0) }
    measured.sort { $0.0 < $1.0 }
    ties.removeAll(keepingCapacity: true)
    best.removeAll(keepingCapacity: true)
    for (_, entry) in measured.prefix(limit) { best.pushHeap(entry, by: >) }
  }

  /// Ties beyond the limit that are kept.
  private static let maximumTies = 64

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
