/// A country, a region of a country, or a county of a region.
struct Area: Equatable {
  /// Its stored form: the number of a country, or the number of its first locality, with bit 30 set for a county and
  /// bit 31 for a region.
  let rawValue: Int

  private static let (countyBit, regionBit) = (1 << 30, 1 << 31)

  init(rawValue: Int) { self.rawValue = rawValue }
  init(country: Int) { rawValue = country }
  init(county: Int) { rawValue = county | Self.countyBit }
  init(region: Int) { rawValue = region | Self.regionBit }

  /// The number of the country; `nil` for a region or county.
  var country: Int? { rawValue < Self.countyBit ? rawValue : nil }
  /// The number of the first locality of the region or county; `nil` for a country.
  var locality: Int? { rawValue < Self.countyBit ? nil : rawValue & (Self.countyBit - 1) }
  /// Whether it is a county.
  var isCounty: Bool { rawValue & Self.countyBit != 0 }
}

/// The areas that a phrase may refer to.
struct AreaChoice {
  /// No area.
  static let none = AreaChoice(positions: 0..<0, listed: [])

  /// Their positions in the table, if they share a name.
  fileprivate let positions: Range<Int>
  /// Their stored forms, ascending, if they are not adjacent in the table.
  fileprivate let listed: [Int]
  /// Whether the phrase has two letters, like the code of a country or region.
  var isCode = false
  /// Whether a country may be in it.
  var mayHaveCountries = true
  /// Whether a country is in it to which territories may belong.
  var mayHaveTerritories = true

  /// Whether no area matches.
  var isEmpty: Bool { positions.isEmpty && listed.isEmpty }
}

/// Finds countries, regions and counties by name or code.
///
/// It is a class for the same reason as ``NameTable``.
final class AreaTable: KeyTable {
  /// The maximum number of words of an area's name; the longest real one has 11.
  static let maximumWords = 12
  /// The first byte of the key of a number or code that is not a word, such as `08`; no folded text has it.
  static let codeMark: UInt8 = 1
  /// The most names that may start with an unfinished word: in the installed list 11,505 start with the letter c.
  private static let mostStarted = 50_000
  /// The length of the codes of countries, and of most codes of regions that are words.
  private static let codeLetters = 2

  let localities: LocalityTable
  private let arena: Arena
  private let offsets: Column
  private let areas: Column
  private let trie: RadixTrie
  private let countries: CountryTable

  init?(
    _ localities: LocalityTable, _ countries: CountryTable, _ section: (CitySection) -> UnsafeRawBufferPointer
  ) {
    guard let arena = Arena(section(.areaKeys)) else { return nil }
    self.arena = arena
    self.localities = localities
    offsets = Column(section(.areaKeyOffsets))
    areas = Column(section(.areas))
    trie = RadixTrie(section(.areaTrie))
    self.countries = countries
  }

  var count: Int { offsets.count }

  func key(at position: Int) -> ArenaText { arena[offsets[position]] }

  /// Whether `locality` lies in one of the areas of `choice`; a territory lies in the country that it belongs to.
  @inline(__always)
  func contains(_ locality: Locality, _ choice: AreaChoice) -> Bool {
    isCountry(choice, of: locality) || holds(choice, Area(region: locality.region))
      || holds(choice, Area(county: locality.county))
  }

  @inline(__always)
  private func isTerritory(_ country: Int, of choice: AreaChoice) -> Bool {
    // Codes are read only where they are needed: each part of the file is checked when it is read first.
    guard choice.mayHaveTerritories, let sovereign = Territories.sovereign(of: countries.code(at: country)),
      let number = sovereign.withUnsafeBytes(countries.number(of:))
    else { return false }
    return holds(choice, Area(country: number))
  }

  @inline(__always)
  private func holds(_ choice: AreaChoice, _ area: Area) -> Bool {
    // The areas of one name ascend, too.
    let place = partitionPoint(choice.positions) { areas[$0] < area.rawValue }
    if place < choice.positions.upperBound { return areas[place] == area.rawValue }
    if choice.listed.isEmpty { return false }
    let index = partitionPoint(choice.listed.indices) { choice.listed[$0] < area.rawValue }
    return index < choice.listed.count && choice.listed[index] == area.rawValue
  }

  /// The areas named `name`, which is folded; if `isCode`, the areas with this number or code that is not a word.
  ///
  /// - Complexity: O(m) in the bytes of `name`.
  func areas(called name: UnsafeRawBufferPointer, isCode: Bool = false) -> AreaChoice {
    guard !name.isEmpty else { return .none }
    let start = isCode ? 1 : 0
    let positions = withUnsafeTemporaryAllocation(byteCount: start + name.count + 1, alignment: 1) { key in
      key[0] = Self.codeMark
      UnsafeMutableRawBufferPointer(rebasing: key[start...]).copyMemory(from: name)
      key[start + name.count] = 0
      return trie.range(of: UnsafeRawBufferPointer(key), in: self)
    }
    // Countries come first, and nearly all names are those of one.
    let first = positions.first.flatMap { Area(rawValue: areas[$0]).country }
    let hasTerritories = positions.count > 1 || first.map { Territories.belong(to: countries.code(at: $0)) } ?? false
    return AreaChoice(
      positions: positions, listed: [], isCode: name.count == Self.codeLetters, mayHaveCountries: first != nil,
      mayHaveTerritories: first != nil && hasTerritories)
  }

  /// The countries and regions whose names start with `name`, which is folded; counties are too many for an unfinished
  /// word, and so are more than ``mostStarted`` names.
  ///
  /// - Complexity: O(a + r log r) for a matching names, r of which do not belong to counties.
  func areas(startingWith name: UnsafeRawBufferPointer) -> AreaChoice {
    guard !name.isEmpty else { return .none }
    let found = trie.range(of: name, in: self)
    guard found.count <= Self.mostStarted else { return .none }
    let started = found.lazy.map { [areas] in Area(rawValue: areas[$0]) }.filter { !$0.isCounty }
    return AreaChoice(positions: 0..<0, listed: Set(started.map(\.rawValue)).sorted())
  }

  /// The regions and counties in `choice`, restricted to `country` if given.
  func regions(of choice: AreaChoice, in country: Int?) -> AreaChoice {
    let found = choice.positions.map { Area(rawValue: areas[$0]) }.filter { area in
      guard let first = area.locality else { return false }
      return country == nil || localities[first].country == country
    }
    return AreaChoice(positions: 0..<0, listed: found.map(\.rawValue).sorted())
  }

  /// Those regions, or also counties, in `choice` that lie in one of the larger areas in `others`.
  func areas(_ choice: AreaChoice, withCounties: Bool, within others: AreaChoice) -> AreaChoice {
    let found = choice.positions.map { Area(rawValue: areas[$0]) }.filter { area in
      guard let first = area.locality, withCounties || !area.isCounty else { return false }
      let locality = localities[first]
      return isCountry(others, of: locality) || area.isCounty && holds(others, Area(region: locality.region))
    }
    return AreaChoice(positions: 0..<0, listed: found.map(\.rawValue).sorted())
  }

  /// The countries in `choice`, and the regions that satisfy `isRegion`, which is called with their first locality.
  func withoutCounties(_ choice: AreaChoice, where isRegion: (Int) -> Bool = { _ in true }) -> AreaChoice {
    let all = choice.positions.map { areas[$0] }
    let kept = all.map(Area.init(rawValue:)).filter { !$0.isCounty && $0.locality.map(isRegion) ?? true }
      .map(\.rawValue)
    return kept.count == all.count ? choice : AreaChoice(positions: 0..<0, listed: kept)
  }

  /// Whether a country is in `choice`, and `locality` lies in it or in one of its territories.
  @inline(__always)
  func isCountry(_ choice: AreaChoice, of locality: Locality) -> Bool {
    choice.mayHaveCountries
      && (holds(choice, Area(country: locality.country)) || isTerritory(locality.country, of: choice))
  }

  /// The numbers of the countries in `choice`.
  func countries(_ choice: AreaChoice) -> [Int] { members(of: choice).compactMap(\.country) }

  /// The areas in `choice`: countries, counties, regions.
  func members(of choice: AreaChoice) -> [Area] {
    (choice.positions.map { areas[$0] } + choice.listed).map(Area.init(rawValue:))
  }

  /// The numbers of the countries in `choice`, and of those that contain its regions and counties.
  func countriesAround(_ choice: AreaChoice) -> Set<Int> {
    Set(members(of: choice).map { area in area.country ?? area.locality.map { localities[$0].country } ?? 0 })
  }

  /// The area named at a position: the number of its country, and for a region or county the region's code, followed by
  /// the county's.
  func meaning(at position: Int) -> (country: Int, codes: [String]) {
    let area = Area(rawValue: areas[position])
    guard let first = area.locality else { return (area.rawValue, []) }
    let locality = localities[first]
    let codes = [locality.code] + (area.isCounty ? [locality.countyCode] : [])
    return (locality.country, codes.map { localities.texts?.text(at: $0) ?? "" })
  }
}
