/// A country or region that a whole text names, beside the cities that are called so.
///
/// A city is meant if it has that name as its title and lies in the area, like New York, or if it is one of the large
/// cities there, like Mexico City. Otherwise the area is meant, unless the text is the code of an airport, or the title
/// or a name in use of a city of ``leastPeople``: Granada is not Grenada, but a village is not Egypt, and HU, a code of
/// Shanghai, is Hungary.
struct NamedArea {
  /// The least population with which a city elsewhere is preferred to an area.
  static let leastPeople: UInt64 = 100_000
  /// The least population of a city elsewhere that leaves no doubt that it is meant rather than a region.
  private static let undoubtedPeople: UInt64 = 1_000_000
  /// A city in the country is preferred to it if its population is at least this fraction (1 / n) of the largest
  /// city's: Kuwait City has a tenth.
  private static let leastShare: UInt64 = 20
  /// The least population of a city that may be meant by its title, although a region elsewhere has that name.
  private static let leastPeopleOfTitle: UInt64 = 5_000
  /// The least population with which a city in a region is preferred to it.
  private static let leastPeopleOfRegion: UInt64 = 20_000

  let choice: AreaChoice
  /// Whether a city is meant.
  private(set) var isCity = false
  private let codes: CodeUse
  /// The population of the largest city of the country; `nil` for a region.
  private let largest: UInt64?

  init(_ choice: AreaChoice, _ codes: CodeUse, _ index: CityIndex) {
    (self.choice, self.codes) = (choice, codes)
    largest = index.largestCity(ofCountries: index.areas?.countries(choice) ?? []).map(index.people)
  }

  /// Takes into account that the city at `rank` has a name of that kind.
  ///
  /// - Complexity: O(1).
  mutating func consider(_ rank: Int, _ kind: NameKind, _ index: CityIndex) {
    guard !isCity else { return }
    let leastInside = largest.map { $0 / Self.leastShare } ?? Self.leastPeopleOfRegion
    if lies(rank, index) { isCity = kind == .title || index.people(rank) >= leastInside }
    // Three capitals are the code of an airport, however small its city is; two are that of the area.
    let isUsed = kind == .code ? codes == .first : kind != .alternate
    if isUsed, kind == .code || index.people(rank) >= Self.leastPeople { isCity = true }
  }

  /// The points for a city in the country whose title is the country's name, such as San Marino.
  func bonus(_ rank: Int, _ kind: NameKind, _ index: CityIndex) -> Int {
    guard kind == .title, let areas = index.areas,
      areas.isCountry(choice, of: index.localities.locality(ofRank: rank))
    else { return 0 }
    return NameScore.ofCountry
  }

  /// Whether it remains doubtful that the city at `rank` is meant, which has a name of that kind: it lies elsewhere,
  /// and either is smaller than the largest city of the country, or is called otherwise in its title.
  func isDoubt(about rank: Int, _ kind: NameKind, _ index: CityIndex) -> Bool {
    guard kind != .code, !lies(rank, index) else { return false }
    guard let largest else { return index.people(rank) < Self.undoubtedPeople }
    return kind != .title || index.people(rank) < largest
  }

  /// Whether the city at `rank` may be meant, too, because that is its title, and the area is a region.
  func isShared(with rank: Int, _ kind: NameKind, _ index: CityIndex) -> Bool {
    kind == .title && index.people(rank) >= Self.leastPeopleOfTitle && largest == nil
  }

  private func lies(_ rank: Int, _ index: CityIndex) -> Bool {
    index.areas?.contains(index.localities.locality(ofRank: rank), choice) ?? false
  }
}

extension PlaceQuery {
  /// The number of letters of the longest codes of areas.
  private static let longestCode = 3
  /// The number of letters that an abbreviation at least leaves out.
  private static let leastRest = 3

  /// The country or region that the whole query names; `nil` without one, or if the conditions restrict the area.
  ///
  /// One letter means none, nor do two or three small ones: `in` and `par` are still being typed, or words of a
  /// language. Nor does the start of a region's name that is also its abbreviation: `mont` may become Montreal.
  func namedArea(_ conditions: PlaceConditions, _ index: CityIndex) -> NamedArea? {
    guard key.count > (conditions.codes == .none ? Self.longestCode : 1), !conditions.haveAreas,
      let areas = index.areas, let found = wholeArea(areas)
    else { return nil }
    let choice = areas.withoutCounties(found) { area in
      guard conditions.codes == .none, let name = index.localities.texts?[index.localities[area].name],
        name.count >= key.count + Self.leastRest
      else { return true }
      return zip(name, key).contains { letter, typed in letter != typed && letter | 0x20 != typed }
    }
    return choice.isEmpty ? nil : NamedArea(choice, conditions.codes, index)
  }

  /// The region that the query names together with an area around it (`illinois usa`), beside the city at `rank`, which
  /// has a name of that kind before the area.
  func areaWithinArea(
    besides rank: Int, _ kind: NameKind, _ conditions: PlaceConditions, _ index: CityIndex
  ) -> NamedArea? {
    guard !conditions.haveAreas, let choice = areaWithinArea(index.areas, withCounties: false) else { return nil }
    var named = NamedArea(choice, conditions.codes, index)
    named.consider(rank, kind, index)
    return named
  }
}
