extension CityIndex {
  /// The numbers of the countries with the code or name `name`, ascending; `name` is folded by `FoldMode.words`.
  ///
  /// - Complexity: O(m) in the bytes of `name`.
  func countries(called name: UnsafeRawBufferPointer) -> [Int] {
    guard let areas else { return [] }
    let found = areas.areas(called: name)
    return found.isEmpty ? [] : Set(areas.countries(found)).sorted()
  }

  /// The number of the country with the code or name `name`, which is folded by `FoldMode.words`; `nil` if there is
  /// none.
  ///
  /// - Complexity: O(m) in the bytes of `name`.
  func country(called name: UnsafeRawBufferPointer) -> Int? {
    guard let areas else { return nil }
    let coded = areas.countries(areas.areas(called: name, isCode: true)).first
    return coded ?? areas.countries(areas.areas(called: name)).first
  }

  /// The cities of the countries with these numbers, which must ascend.
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
/// For the many names that are not a country's, nothing more is looked up.
public struct NamedCountry: Sendable {
  /// The least population with which a city outside the country is preferred to it.
  static let leastInhabitants: UInt64 = 100_000
  /// A city in the country is preferred to it if its population is at least this fraction (1 / n) of the largest
  /// city's: Kuwait City has a tenth.
  static let leastShare: UInt64 = 20
  /// The maximum number of cities in ``largest``.
  public static let shownCities = 5

  /// The numbers of the countries with that name, nearly always one.
  let numbers: [Int]
  /// The ranks of the largest cities, largest first.
  public let largest: [Int]
  /// The number of cities.
  public let total: Int

  /// Looks up the country with the name `name`, which is folded by `FoldMode.words`; `nil` if there is none.
  ///
  /// - Complexity: O(m) in the bytes of `name`, plus O(log n) if it is a country's.
  init?(called name: UnsafeRawBufferPointer, _ index: CityIndex) {
    numbers = index.countries(called: name)
    guard !numbers.isEmpty else { return nil }
    let cities = index.cities(ofCountries: numbers)
    (largest, total) = (index.ranks(cities, offset: 0, limit: Self.shownCities, byPopulation: true), cities.total)
    guard !largest.isEmpty else { return nil }
  }

  /// Whether the city at `rank` lies in the country.
  func contains(_ rank: Int, _ index: CityIndex) -> Bool {
    numbers.contains(index.localities.locality(ofRank: rank).country)
  }
}
