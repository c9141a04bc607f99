extension BankIndex {
  /// The countries with their regions and how many locations of `filter` are in each; empty headings are left out.
  ///
  /// Countries and regions are in alphabetical order, the locations without a region last.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(n).
  package func regions(_ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> [CountryHeading] {
    var scan = try headingScan(filter)
    var counts = [Int](repeating: 0, count: scan.regionCount)
    while scan.step({ counts[$1] += 1 }) {}
    var countries: [CountryHeading] = []
    var position: Int?
    for (region, count) in counts.enumerated() where count > 0 {
      guard let heading = scan.heading(ofRegion: region) else { continue }
      if heading.country != position {
        countries.append(CountryHeading(code: heading.code, name: heading.countryName, count: 0, regions: []))
      }
      position = heading.country
      countries[countries.count - 1].count += count
      countries[countries.count - 1].regions.append(RegionHeading(name: heading.name, count: count))
    }
    return countries
  }

  /// The ranks of the locations of `filter` in the order of headings: country, region, title.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(n).
  package func list(_ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> [Int] {
    var scan = try headingScan(filter)
    var ranks: [Int] = []
    while scan.step({ rank, _ in ranks.append(rank) }) {}
    return ranks
  }
}
