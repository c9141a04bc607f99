extension BankIndex {
  /// The countries with their regions and how many locations of `filter` stand under each; empty headings are left out.
  ///
  /// Countries and regions are in alphabetical order, the locations without a region last.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(n).
  package func regions(_ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> [CountryHeading] {
    let selection = try selection(filter)
    var countries: [CountryHeading] = []
    var position: Int?
    for region in selection.regions {
      let count = region.ranks.count { isSelected($0, selection) }
      guard count > 0, headings.countries.indices.contains(region.country) else { continue }
      if region.country != position {
        let (code, name) = headings.countries[region.country]
        countries.append(CountryHeading(code: code, name: name, count: 0, regions: []))
      }
      position = region.country
      countries[countries.count - 1].count += count
      countries[countries.count - 1].regions.append(RegionHeading(name: region.name, count: count))
    }
    return countries
  }

  /// The ranks of the locations of `filter` in the order of headings: country, region, title.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(n).
  package func list(_ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> [Int] {
    let selection = try selection(filter)
    return selection.regions.flatMap { region in region.ranks.filter { isSelected($0, selection) } }
  }
}
