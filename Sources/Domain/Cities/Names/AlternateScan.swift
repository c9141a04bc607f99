import Base

/// Collects the other names of some cities, a few thousand names at a time.
///
///     var scan = AlternateScan(ranks)
///     while !scan.advance(entries: 2_048, index) { pause() }
///     for entry in scan.entries(of: rank) { print(index.alternate(entry)) }
///
/// Names are in the index by search key, and nothing leads from a city to its names: such a list would take five more
/// megabytes, and few requests want one. So the numbers of all cities are looked through, four bytes per name.
public struct AlternateScan {
  /// Bits of the table that most names of other cities are excluded by.
  private static let filterBits = 1 << 16

  /// The cities, ascending.
  private let ranks: [Int]
  /// A bit for the lower bits of each of them.
  private var filter = [UInt64](repeating: 0, count: filterBits / 64)
  /// By place in `ranks`, the entries of their other names, ascending.
  private var found: [[Int]]
  private var next = 0
  /// Bytes of all names that were found.
  public private(set) var bytes = 0

  /// Looks for the other names of the cities at `ranks`.
  ///
  /// - Complexity: O(k log k) for k cities.
  public init(_ ranks: some Sequence<Int>) {
    self.ranks = Set(ranks).sorted()
    found = [[Int]](repeating: [], count: self.ranks.count)
    for rank in self.ranks { filter[rank % Self.filterBits / 64] |= 1 << UInt64(rank % 64) }
  }

  /// Looks at the next `entries` names.
  ///
  /// - Returns: whether it has seen all.
  /// - Complexity: O(`entries`), and O(log k) for each name of one of the k cities.
  public mutating func advance(entries: Int, _ index: CityIndex) -> Bool {
    guard let names = index.names, !ranks.isEmpty else { return true }
    let end = next + min(max(entries, 1), max(names.keys.count - next, 0))
    while next < end {
      let (rank, kind) = names.city(of: next)
      if filter[rank % Self.filterBits / 64] & (1 << UInt64(rank % 64)) != 0, kind != .title { take(next, rank, names) }
      next += 1
    }
    return next >= names.keys.count
  }

  private mutating func take(_ entry: Int, _ rank: Int, _ names: NameTable) {
    guard let place = place(of: rank) else { return }
    found[place].append(entry)
    bytes += names.text(of: entry).count + 1
  }

  private func place(of rank: Int) -> Int? {
    let place = partitionPoint(ranks.indices) { ranks[$0] < rank }
    return place < ranks.count && ranks[place] == rank ? place : nil
  }

  /// The entries of the other names of a city, in the order of their search keys; none for a city that was not asked
  /// for.
  ///
  /// - Complexity: O(log k) for k cities.
  public func entries(of rank: Int) -> [Int] { place(of: rank).map { found[$0] } ?? [] }
}

extension CityIndex {
  /// The name at an entry of ``AlternateScan``, as the source spells it.
  ///
  /// A damaged file may have any bytes here.
  public func alternate(_ entry: Int) -> UnsafeRawBufferPointer {
    names?.text(of: entry) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The ranks of a page of `matches`, in its order: by population, or as they were found.
  ///
  /// - Returns: as many as the page has rows, or fewer if the file is damaged.
  /// - Complexity: O(l log n) for a limit of l.
  public func ranks(
    _ matches: CityMatches, offset: Int, limit: Int, byPopulation: Bool
  ) -> [Int] {
    let page = matches.page(offset: offset, limit: limit)
    var ranks: [Int] = []
    if byPopulation {
      forEachRankByPopulation(matches, page) { ranks.append($0) }
    } else {
      matches.forEachPart(of: page) { part in
        for position in part { ranks.append(rank(position, matches.order)) }
      }
    }
    return ranks.filter { $0 < count }
  }
}
