package import Coroutines

extension BankIndex {
  /// Calls `found` for the locations of a selection, ordered by country, region and title, each with the index of its
  /// region in the selection.
  ///
  /// - Returns: how many locations a selection by hours excludes because their hours are unknown; `nil` without one.
  /// - Throws: ``Stopped``.
  /// - Complexity: O(n) in the locations of the selected regions.
  package func forEachByHeading(
    _ selection: Selection, _ budget: Budget, _ found: (_ rank: Int, _ region: Int) -> Void
  ) async throws(Stopped) -> Int? {
    var unknownHours = 0
    for position in 0..<selection.regionCount {
      // An empty region takes time as well.
      try await budget.check()
      for rank in selection.region(position).ranks {
        if isSelected(rank, selection, unknownHours: &unknownHours) { found(rank, position) }
        try await budget.check()
      }
    }
    return selection.moment == nil ? nil : unknownHours
  }

  /// The country and the name of a region of a selection; `nil` if the index is damaged.
  ///
  /// - Complexity: O(1).
  package func heading(
    ofRegion region: Int, _ selection: Selection
  ) -> (country: Int, code: String, countryName: String, name: String?)? {
    let found = selection.region(region)
    guard headings.countries.indices.contains(found.country) else { return nil }
    let country = headings.countries[found.country]
    return (found.country, country.code, country.name, found.name)
  }
}
