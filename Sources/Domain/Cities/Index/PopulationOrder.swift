/// An order of cities by population: returns any page of any range of positions without a scan of the range.
///
/// Each position of an order (see ``CityOrder``) holds a *place*: the number of cities with more inhabitants, or with
/// as many and an earlier position. Places are unique, so a page by population consists of the places in a range,
/// ascending. They are stored as a wavelet matrix (F. Claude, G. Navarro, A. Ordóñez, "The wavelet matrix: an efficient
/// wavelet tree for large alphabets", Information Systems 47, 2015): one bit per city and level, the highest bit of its
/// place first; after each level the cities with a clear bit precede those with a set one, in a stable order. A range
/// of positions becomes two ranges on the next level, which are found by counting bits; their lengths are the number of
/// places on either side, so the places before the page are skipped without being visited.
///
/// A table of 235,000 cities has 18 levels and 0.8 MB; a page of 20 takes 1 to 3 µs, regardless of its range and
/// offset.
struct PopulationOrder {
  private let bytes: UnsafeRawBufferPointer
  private let count: Int
  private let levels: Int

  /// A view of the bytes of ``encode(_:)`` for `count` positions; if their size is wrong, an empty table.
  init(_ bytes: UnsafeRawBufferPointer, count: Int) {
    let isThere = bytes.count == Self.size(of: count)
    self.bytes = bytes
    self.count = isThere ? count : 0
    levels = isThere ? Self.levels(of: count) : 0
  }

  /// The size of a table of `count` positions: for each level the number of clear bits, then the bits of all levels.
  static func size(of count: Int) -> Int { levels(of: count) * (4 + RankedBits.size(of: count)) }

  /// The number of bits of the largest place.
  private static func levels(of count: Int) -> Int { count < 2 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount }

  /// Places that share their highest bits, and their position on their level.
  private struct Branch {
    var level: Int
    var place: Int
    /// The number of ranges at the end of the stack that belong to it.
    var ranges: Int
    /// The number of places.
    var total: Int
  }

  /// Calls `body` with up to `limit` places of the positions in `runs`, ascending, after skipping `offset` of them.
  ///
  /// - Complexity: O((r + limit) log n) for r runs, regardless of their length and the offset; no allocation for a few
  ///   runs.
  func forEachPlace(in runs: RunList, offset: Int, limit: Int, _ body: (Int) -> Void) {
    // The stack has at most two branches per level, each with at most as many ranges as there are runs.
    withUnsafeTemporaryAllocation(of: Branch.self, capacity: levels + 2) { branches in
      withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: (levels + 2) * max(runs.count, 1)) { ranges in
        walk(runs, offset, limit, branches, ranges, body)
      }
    }
  }

  private func walk(
    _ runs: RunList, _ offset: Int, _ limit: Int, _ branches: UnsafeMutableBufferPointer<Branch>,
    _ ranges: UnsafeMutableBufferPointer<Range<Int>>, _ body: (Int) -> Void
  ) {
    var (offset, left) = (offset, limit)
    var (depth, stacked) = (1, 0)
    var root = Branch(level: 0, place: 0, ranges: 0, total: 0)
    for run in runs {
      push(run.clamped(to: 0..<count), of: &root, ranges, &stacked)
    }
    branches[0] = root
    while left > 0, depth > 0 {
      depth -= 1
      let branch = branches[depth]
      stacked -= branch.ranges
      guard branch.total > offset else {
        offset -= branch.total
        continue
      }
      if branch.total == 1 {
        body(place(of: ranges[stacked].lowerBound, branch))
        left -= 1
        continue
      }
      guard branch.level < levels else { continue }
      // The stack grows by at most one branch per level, so both halves fit.
      let (low, high) = divide(branch, ranges, &stacked)
      if high.total > 0 {
        branches[depth] = high
        depth += 1
      }
      if low.total > 0 {
        branches[depth] = low
        depth += 1
      }
    }
  }

  /// The place at a position on a branch's level; the branch has its highest bits.
  private func place(of position: Int, _ branch: Branch) -> Int {
    var (position, place) = (position, branch.place)
    for level in branch.level..<levels {
      let (bits, clear) = table(of: level)
      if let before = bits.rank(ifSet: position) {
        (position, place) = (clear &+ before, place << 1 | 1)
      } else {
        (position, place) = (position &- bits.rank(position), place << 1)
      }
    }
    return place
  }

  /// The bits of a level, and the number of clear ones.
  @inline(__always)
  private func table(of level: Int) -> (bits: RankedBits, clear: Int) {
    let size = RankedBits.size(of: count)
    let start = 4 &* levels &+ level &* size
    let bits = UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: size)
    return (RankedBits(bits), Column(bytes)[level])
  }

  /// Replaces the ranges of a branch, which was just popped from the stack, with those of its halves: the upper half's
  /// first, so that the lower half's, which is next, are on top.
  @inline(__always)
  private func divide(
    _ branch: Branch, _ ranges: UnsafeMutableBufferPointer<Range<Int>>, _ stacked: inout Int
  ) -> (low: Branch, high: Branch) {
    let (bits, clear) = table(of: branch.level)
    var low = Branch(level: branch.level &+ 1, place: branch.place << 1, ranges: 0, total: 0)
    var high = Branch(level: branch.level &+ 1, place: branch.place << 1 | 1, ranges: 0, total: 0)
    let own = stacked..<stacked &+ branch.ranges
    // The lower half's ranges are collected above the branch's own and moved down at the end.
    var gathered = own.upperBound
    for index in own {
      let range = ranges[index]
      let (before, upTo) = (bits.rank(range.lowerBound), bits.rank(range.upperBound))
      // Clamping keeps the walk within a corrupt table: both halves together are never longer than the range.
      let set = min(max(upTo &- before, 0), range.count)
      push(bounded(clear &+ before, set), of: &high, ranges, &stacked)
      push(bounded(range.lowerBound &- before, range.count &- set), of: &low, ranges, &gathered)
    }
    for index in 0..<low.ranges { ranges[stacked + index] = ranges[own.upperBound + index] }
    stacked += low.ranges
    return (low, high)
  }

  @inline(__always)
  private func bounded(_ start: Int, _ length: Int) -> Range<Int> {
    let start = min(max(start, 0), count)
    return start..<min(start &+ length, count)
  }

  @inline(__always)
  private func push(
    _ range: Range<Int>, of branch: inout Branch, _ ranges: UnsafeMutableBufferPointer<Range<Int>>,
    _ stacked: inout Int
  ) {
    guard !range.isEmpty else { return }
    ranges[stacked] = range
    stacked &+= 1
    branch.ranges &+= 1
    branch.total &+= range.count
  }

  /// The table of `places`, by position; they are a permutation of 0 ..< count.
  ///
  /// - Complexity: O(n log n) bits.
  static func encode(_ places: [UInt32]) -> [UInt8] {
    let levels = levels(of: places.count)
    var (current, next) = (places, places)
    var bits = [Bool](repeating: false, count: places.count)
    var clear: [UInt32] = []
    var tables: [UInt8] = []
    tables.reserveCapacity(size(of: places.count))
    for level in 0..<levels {
      let shift = levels - 1 - level
      let bit = 1 << shift
      // The places are a permutation, so a level has as many clear bits as the numbers below their count.
      let firstSet = places.count / (2 * bit) * bit + min(places.count % (2 * bit), bit)
      clear.append(UInt32(firstSet))
      var (low, high) = (0, firstSet)
      next.withUnsafeMutableBufferPointer { next in
        bits.withUnsafeMutableBufferPointer { bits in
          for (position, place) in current.enumerated() {
            let set = Int(place) >> shift & 1
            bits[position] = set == 1
            next[set == 1 ? high : low] = place
            (low, high) = (low &+ 1 &- set, high &+ set)
          }
        }
      }
      tables += RankedBits.encode(bits)
      swap(&current, &next)
    }
    return [UInt8](column: clear) + tables
  }
}

/// The tables of all orders.
struct PopulationTables {
  /// Indexed by ``CityOrder``.
  private let tables: [PopulationOrder]
  /// By place, the rank; cities of equal population are ordered by rank, or by folded position.
  private let plainRanks, foldedRanks: Column

  init(_ shapes: Shapes) {
    let sections: [CitySection] = [
      .populationPlain, .populationFolded, .populationCountryPlain, .populationCountryFolded,
    ]
    tables = sections.map { PopulationOrder(shapes[$0], count: shapes.count) }
    (plainRanks, foldedRanks) = (Column(shapes[.populationRanks]), Column(shapes[.populationFoldedRanks]))
  }

  /// The table of an order, and the ranks of its places.
  subscript(order: CityOrder) -> (table: PopulationOrder, ranks: Column) {
    (tables[order.rawValue], order == .plain || order == .countryPlain ? plainRanks : foldedRanks)
  }
}

/// The places of cities by population, from which the tables of all orders are built.
struct PopulationPlaces {
  /// By rank, the place in the order of population, equal ones by rank.
  let plain: [UInt32]
  /// By rank, the place in the order of population, equal ones by folded position.
  private let folded: [UInt32]
  private let foldedOrder: [UInt32]

  /// Takes cities in key order; `populations` are their inhabitants + 1, or 0 if unknown.
  ///
  /// - Complexity: O(n log n).
  init(_ populations: [UInt32], foldedOrder: [UInt32]) {
    let fewness = populations.map { UInt32.max - $0 }
    plain = Self.places(fewness)
    let places = Self.places(foldedOrder.map { fewness[Int($0)] })
    var folded = [UInt32](repeating: 0, count: populations.count)
    for (position, rank) in foldedOrder.enumerated() { folded[Int(rank)] = places[position] }
    (self.folded, self.foldedOrder) = (folded, foldedOrder)
  }

  private static func places(_ fewness: [UInt32]) -> [UInt32] {
    let order = fewness.enumerated().map { UInt64($1) << 32 | UInt64($0) }.sorted()
    var places = [UInt32](repeating: 0, count: fewness.count)
    for (place, item) in order.enumerated() { places[Int(item & 0xFFFF_FFFF)] = UInt32(place) }
    return places
  }

  /// The sections of all orders; `sections` contains the countries' lists.
  func sections(_ sections: [CitySection: [UInt8]]) -> [CitySection: [UInt8]] {
    withViews(of: [sections[.countryRanks] ?? [], sections[.countryPositions] ?? []]) { views in
      let (ranks, positions) = (Column(views[0]), Column(views[1]))
      return [
        .populationRanks: [UInt8](column: Self.inverse(plain)),
        .populationFoldedRanks: [UInt8](column: Self.inverse(folded)),
        .populationPlain: PopulationOrder.encode(plain),
        .populationFolded: PopulationOrder.encode(foldedOrder.map { folded[Int($0)] }),
        .populationCountryPlain: PopulationOrder.encode((0..<plain.count).map { plain[ranks[$0]] }),
        .populationCountryFolded: PopulationOrder.encode(
          (0..<plain.count).map { folded[Int(foldedOrder[positions[$0]])] }),
      ]
    }
  }

  private static func inverse(_ places: [UInt32]) -> [UInt32] {
    var ranks = [UInt32](repeating: 0, count: places.count)
    for (rank, place) in places.enumerated() { ranks[Int(place)] = UInt32(rank) }
    return ranks
  }
}
