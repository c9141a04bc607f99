import Base
package import Coroutines

/// The other names of some cities.
///
/// Names are in the index by search key, and nothing leads from a city to its names: such a list would take five more
/// megabytes, and few requests want one. So the numbers of all cities are looked through, four bytes per name.
public struct AlternateNames {
  /// Bits of the table that most names of other cities are excluded by.
  private static let filterBits = 1 << 16
  /// Names that are looked at between two checks of the budget, and the steps that these take.
  private static let (entriesPerCheck, stepsPerCheck) = (1_024, 64)

  /// The cities, ascending.
  private let ranks: [Int]
  /// By place in `ranks`, the entries of their other names, ascending.
  private var found: [[Int]]
  /// Bytes of all names that were found.
  public private(set) var bytes = 0

  /// Collects the other names of the cities at `ranks`; `check` may refuse the bytes that were found so far.
  ///
  /// - Throws: what `check` throws; ``Stopped``.
  /// - Complexity: O(n) in all names of the index, and O(log k) for each name of one of the k cities.
  package init(
    of ranks: some Sequence<Int>, _ index: CityIndex, _ budget: Budget, check: (_ bytes: Int) throws -> Void = { _ in }
  ) async throws {
    self.ranks = Set(ranks).sorted()
    found = [[Int]](repeating: [], count: self.ranks.count)
    guard let names = index.names, !self.ranks.isEmpty else { return }
    // A bit for the lower bits of each city.
    var filter = [UInt64](repeating: 0, count: Self.filterBits / 64)
    for rank in self.ranks { filter[rank % Self.filterBits / 64] |= 1 << UInt64(rank % 64) }
    for start in stride(from: 0, to: names.keys.count, by: Self.entriesPerCheck) {
      for entry in start..<min(start + Self.entriesPerCheck, names.keys.count) {
        let (rank, kind) = names.city(of: entry)
        let isWanted = filter[rank % Self.filterBits / 64] & (1 << UInt64(rank % 64)) != 0
        if isWanted, kind != .title { take(entry, rank, names) }
      }
      try check(bytes)
      try await budget.check(Self.stepsPerCheck)
    }
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
  /// The name at an entry of ``AlternateNames``, as the source spells it.
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
