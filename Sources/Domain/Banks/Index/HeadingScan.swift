/// The locations that a filter selects in the order of headings, found a few at a time: country, region, title.
///
///     var scan = try index.headingScan(filter)
///     while scan.step({ rank, region in ranks.append(rank) }) { pause() }
package struct HeadingScan {
  /// Locations that one step looks at: a few microseconds.
  private static let ranksPerStep = 64

  private let index: BankIndex
  private let selection: BankIndex.Selection
  private var region = 0
  private var next = 0
  private var passed = 0

  init(_ index: BankIndex, _ selection: BankIndex.Selection) { (self.index, self.selection) = (index, selection) }

  /// How many locations a filter by hours has left out so far because their hours are not known; `nil` without one.
  package var unknownHours: Int? { selection.moment == nil ? nil : passed }

  /// Looks at the next few locations, and hands out those that are selected with the position of their region among the
  /// selected ones.
  ///
  /// - Returns: whether there are more to look at.
  /// - Complexity: O(1).
  package mutating func step(_ found: (_ rank: Int, _ region: Int) -> Void) -> Bool {
    var left = Self.ranksPerStep
    while left > 0, region < selection.regions.count {
      let ranks = selection.regions[region].ranks
      let start = max(next, ranks.lowerBound)
      let end = min(start + left, ranks.upperBound)
      for rank in start..<end where index.isSelected(rank, selection, unknownHours: &passed) { found(rank, region) }
      // A region without locations takes time as well.
      left -= max(end - start, 1)
      (region, next) = end == ranks.upperBound ? (region + 1, 0) : (region, end)
    }
    return region < selection.regions.count
  }

  /// The selected regions, which may turn out to be empty, in order.
  package var regionCount: Int { selection.regions.count }

  /// The country and the name of a selected region; `nil` if the index is damaged.
  ///
  /// - Complexity: O(1).
  package func heading(ofRegion region: Int) -> (country: Int, code: String, countryName: String, name: String?)? {
    let found = selection.regions[region]
    guard index.headings.countries.indices.contains(found.country) else { return nil }
    let country = index.headings.countries[found.country]
    return (found.country, country.code, country.name, found.name)
  }
}

extension BankIndex {
  /// Starts a scan in the order of headings.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(r) in the regions.
  package func headingScan(_ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> HeadingScan {
    HeadingScan(self, try selection(filter))
  }
}
