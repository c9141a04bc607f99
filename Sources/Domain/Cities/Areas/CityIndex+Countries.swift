extension CityIndex {
  /// The numbers of the countries that have `name` as their code or one of their names, ascending; `name` is folded by
  /// `FoldMode.words`.
  ///
  /// - Complexity: O(m) in the bytes of `name`.
  func countries(called name: UnsafeRawBufferPointer) -> [Int] {
    guard let areas else { return [] }
    let found = areas.areas(called: name)
    return found.isEmpty ? [] : Set(areas.countries(found)).sorted()
  }

  /// The cities of the countries with these numbers, ascending.
  func cities(ofCountries numbers: [Int]) -> CityMatches {
    var matches = CityMatches()
    matches.begin(.countryPlain)
    for number in numbers {
      let run = countries.list(at: number)
      guard number < countries.count, !run.isEmpty else { continue }
      matches.runs.append(run)
      matches.total += run.count
    }
    return matches
  }
}

/// A country that a query names as a whole, by its code or one of its names.
///
/// Few names are those of countries, so that nothing of this is looked up for the others.
public struct NamedCountry: Sendable {
  /// A city outside of the country is preferred to it only if it has this many inhabitants.
  static let leastInhabitants: UInt64 = 100_000
  /// A city in the country is preferred to it if it has one of this many of the inhabitants of the largest: Kuwait City
  /// has a tenth.
  static let leastShare: UInt64 = 20
  /// The cities that ``largest`` has at most.
  public static let shownCities = 5

  /// The numbers of the countries with that name, nearly always one.
  let numbers: [Int]
  /// The ranks of the largest cities, largest first.
  public let largest: [Int]
  /// All cities.
  public let total: Int

  /// The country called `name`, which is folded by `FoldMode.words`; `nil` if there is none.
  ///
  /// - Complexity: O(m) in the bytes of `name`, and O(log n) if it is a country's.
  init?(called name: UnsafeRawBufferPointer, _ index: CityIndex) {
    numbers = index.countries(called: name)
    guard !numbers.isEmpty else { return nil }
    let cities = index.cities(ofCountries: numbers)
    (largest, total) = (index.ranks(cities, offset: 0, limit: Self.shownCities, byPopulation: true), cities.total)
    guard !largest.isEmpty else { return nil }
  }

  /// Whether the city at `rank` lies in it.
  func contains(_ rank: Int, _ index: CityIndex) -> Bool {
    numbers.contains(index.localities.locality(ofRank: rank).country)
  }
}
