package import Coroutines

/// The alternate names of some cities.
///
/// The index has names by search key, but no list of each city's names: it would take five more megabytes, and few
/// requests need it. So the city numbers of all names are scanned, four bytes per name.
public struct AlternateNames {
  /// Bits of the filter that excludes most names of other cities.
  private static let filterBits = 1 << 16
  /// The number of names scanned between two checks of the budget, and their cost in steps.
  private static let (entriesPerCheck, stepsPerCheck) = (1_024, 64)

  /// The cities, ascending.
  private let ranks: [Int]
  /// By place in `ranks`, the entries of the alternate names, ascending.
  private var found: [[Int]]
  /// The size of all names found.
  public private(set) var bytes = 0

  /// Collects the alternate names of the cities at `ranks`; `check` may throw if the names found so far are too large.
  ///
  /// - Throws: The errors of `check`; ``Stopped``.
  /// - Complexity: O(n) in all names of the index, plus O(log k) for each name of one of the k cities.
  package init(
    of ranks: some Sequence<Int>, _ index: CityIndex, _ budget: Budget, check: (_ bytes: Int) throws -> Void = { _ in }
  ) async throws {
    self.ranks = Set(ranks).sorted()
    found = [[Int]](repeating: [], count: self.ranks.count)
    guard let names = index.names, !self.ranks.isEmpty else { return }
    // One bit for the lower bits of each city's rank.
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

  /// The entries of a city's alternate names, in the order of their search keys; none for a city that was not
  /// requested.
  ///
  /// - Complexity: O(log k) for k cities.
  public func entries(of rank: Int) -> [Int] { place(of: rank).map { found[$0] } ?? [] }
}

extension CityIndex {
  /// The spelling of an entry of ``AlternateNames`` in the source.
  ///
  /// In a corrupt file the bytes may be anything.
  public func alternate(_ entry: Int) -> UnsafeRawBufferPointer {
    names?.text(of: entry) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The ranks on a page of `matches`, ordered by population or as found.
  ///
  /// - Returns: One rank per row of the page, or fewer if the file is corrupt.
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
