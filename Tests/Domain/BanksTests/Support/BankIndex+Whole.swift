import Banks
import Coroutines
import TestSupport

/// A country with its regions, as a list of headings shows them.
struct CountryHeading: Equatable, Sendable {
  /// The country's code.
  var code: String
  /// The country's English name, or its code where there is no name.
  var name: String
  /// Locations in the country.
  var count: Int
  /// The regions in alphabetical order; locations without a region come last, under a heading without a name.
  var regions: [RegionHeading]
}

/// A region, as a list of headings shows it.
struct RegionHeading: Equatable, Sendable {
  /// The region as the source spells it; `nil` for the locations without one.
  var name: String?
  /// Locations in the region.
  var count: Int
}

extension BankIndex {
  /// The names of `filter`, resolved.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  func selection(_ filter: BankFilter) throws -> Selection {
    try Coroutine.complete { budget in try await self.selection(filter, budget) }
  }

  /// The countries with their regions and how many locations of `filter` are in each; empty headings are left out.
  ///
  /// Countries and regions are in alphabetical order, the locations without a region last.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(n).
  func regions(_ filter: BankFilter = BankFilter()) throws -> [CountryHeading] {
    let selection = try selection(filter)
    var counts = [Int](repeating: 0, count: selection.regionCount)
    _ = try Coroutine.complete(&counts) { counts, budget in
      try await forEachByHeading(selection, budget) { counts[$1] += 1 }
    }
    var countries: [CountryHeading] = []
    var position: Int?
    for (region, count) in counts.enumerated() where count > 0 {
      guard let heading = heading(ofRegion: region, selection) else { continue }
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
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(n).
  func list(_ filter: BankFilter = BankFilter()) throws -> [Int] {
    let selection = try selection(filter)
    var ranks: [Int] = []
    _ = try Coroutine.complete(&ranks) { ranks, budget in
      try await forEachByHeading(selection, budget) { rank, _ in ranks.append(rank) }
    }
    return ranks
  }

  /// The ranks of all locations that hold every word.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(n · w) in the bytes of all texts and the number of words.
  func search(_ query: KeywordQuery, _ filter: BankFilter = BankFilter()) throws -> [Int] {
    let selection = try selection(filter)
    var ranks: [Int] = []
    _ = try Coroutine.complete(&ranks) { ranks, budget in
      try await forEachByTitle(query, selection, budget) { ranks.append($0) }
    }
    return ranks
  }
}

extension KeywordQuery {
  /// The words of a text; those with more than `longest` bytes occur nowhere.
  init(_ text: String, longest: Int = .max) throws {
    self = try Coroutine.complete { budget in try await KeywordQuery(text, longest: longest, budget) }
  }
}
