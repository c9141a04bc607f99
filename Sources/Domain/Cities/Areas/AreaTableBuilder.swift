import Base
import Text

/// The names of countries, regions and counties.
public struct AreaNames: Equatable, Sendable {
  /// By a country's code, its names; the first is the one to show.
  public var countries: [String: [String]]
  /// By a country's code, a full stop and a region's code (`US.TX`), its names; the first is the one to show.
  public var regions: [String: [String]]
  /// By a country's, a region's and a county's code (`IT.16.SI`), its names.
  public var counties: [String: [String]]

  /// Makes a table.
  public init(
    countries: [String: [String]] = [:], regions: [String: [String]] = [:], counties: [String: [String]] = [:]
  ) {
    (self.countries, self.regions, self.counties) = (countries, regions, counties)
  }
}

/// Makes the sections of localities and of the names of areas.
///
/// A region is a code within a country, or a name within it where there is no code. Its name is the first that a city
/// gives it, in key order, or else the table's. A county is a code within a region; it lacks the names that a region of
/// its country has, so that `Washington` is the state and none of 31 counties.
struct AreaTableBuilder {
  /// A region of a country.
  private struct Region: Hashable, Comparable {
    let country: UInt32
    let code, name: String

    static func < (one: Self, other: Self) -> Bool {
      if one.country != other.country { return one.country < other.country }
      if one.code != other.code { return one.code.utf8.lexicographicallyPrecedes(other.code.utf8) }
      return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
  }

  /// What makes a locality that locality, in the order of localities.
  private struct Identity: Hashable, Comparable {
    let region: Region
    let county, zone: String

    static func < (one: Self, other: Self) -> Bool {
      if one.region != other.region { return one.region < other.region }
      if one.county != other.county { return one.county.utf8.lexicographicallyPrecedes(other.county.utf8) }
      return one.zone.utf8.lexicographicallyPrecedes(other.zone.utf8)
    }
  }

  private struct Phrase: Hashable, Comparable {
    let key: [UInt8]
    let area: UInt32

    static func < (one: Self, other: Self) -> Bool {
      one.key != other.key ? one.key.lexicographicallyPrecedes(other.key) : one.area < other.area
    }
  }

  private let names: AreaNames
  private let folder = CaseFolder()
  /// By number, the code of a country as a city has it.
  private var countryCodes: [UInt32: String] = [:]
  /// The names of the regions with a code.
  private var regionNames: [Region: String] = [:]
  private var phrases: Set<Phrase> = []
  /// The keys of regions, each with the number of its country.
  private var regionPhrases: Set<Phrase> = []
  private var texts = [""]
  private var textNumbers = ["": UInt32(0)]

  init(_ names: AreaNames) { self.names = names }

  /// The sections for cities in key order; `countries` has the number of each city's country by rank.
  ///
  /// - Throws: ``CityIndexError`` if a section would outgrow its 32-bit offsets.
  /// - Complexity: O(n) on average for n cities, O(l log l) for l localities.
  mutating func sections(
    _ cities: CityStore, countries: [UInt32]
  ) throws(CityIndexError) -> [CitySection: [UInt8]] {
    // Cities with the same surroundings have the same locality: the first of them, in key order, speaks for all.
    var countryOfPlace = [UInt32?](repeating: nil, count: cities.surroundings.count)
    for (place, country) in zip(cities.places, countries) where countryOfPlace[Int(place)] == nil {
      countryOfPlace[Int(place)] = country
      register(cities.surroundings[Int(place)], country)
    }
    let identities = zip(cities.surroundings, countryOfPlace).map { around, country in
      country.map { identity(around, $0) }
    }
    let ordered = Set(identities.compactMap(\.self)).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1, UInt32($0)) })
    let columns = columns(of: ordered)
    guard let encoded = ByteTable.encode(texts.map { Array($0.utf8) }) else {
      throw CityIndexError(
        "section \(CitySection.localityTexts.rawValue) would have more bytes than 32-bit offsets reach")
    }
    let localities = identities.map { $0.flatMap { numbers[$0] } ?? 0 }
    return try phraseSections().merging([
      .cityLocalities: [UInt8](column: cities.places.map { localities[Int($0)] }),
      .localities: [UInt8](column: columns), .localityTexts: encoded,
    ]) { $1 }
  }

  /// The numbers of the localities; the names of their areas are added.
  private mutating func columns(of localities: [Identity]) -> [UInt32] {
    var columns: [UInt32] = []
    var (region, county) = (0, 0)
    var counties: [(Identity, Int)] = []
    for (index, locality) in localities.enumerated() {
      let isNew = index == 0 || localities[region].region != locality.region
      if isNew {
        region = index
        addNames(of: locality.region, index)
      }
      if isNew || localities[county].county != locality.county {
        county = index
        counties.append((locality, index))
      }
      columns += [
        locality.region.country, UInt32(region), text(locality.region.code), text(locality.region.name),
        text(locality.zone), UInt32(county), text(locality.county),
      ]
    }
    for (locality, index) in counties { addNames(ofCountyOf: locality, index) }
    return columns
  }

  /// Notes the country of cities and the name that they give their region.
  private mutating func register(_ around: CityStore.Surroundings, _ country: UInt32) {
    if countryCodes[country] == nil {
      countryCodes[country] = around.country
      let called = [around.country] + (names.countries[around.country] ?? [])
      for key in called.map({ folder.folded($0, .words) }) where !key.isEmpty {
        phrases.insert(Phrase(key: key + [0], area: country))
      }
    }
    let region = Region(country: country, code: around.regionCode, name: "")
    guard !around.regionCode.isEmpty, regionNames[region] == nil else { return }
    if !around.region.isEmpty { regionNames[region] = around.region }
  }

  private func identity(_ around: CityStore.Surroundings, _ country: UInt32) -> Identity {
    let name = around.regionCode.isEmpty ? around.region : regionName(around, country)
    return Identity(
      region: Region(country: country, code: around.regionCode, name: name), county: around.countyCode,
      zone: around.zone)
  }

  private func regionName(_ around: CityStore.Surroundings, _ country: UInt32) -> String {
    regionNames[Region(country: country, code: around.regionCode, name: "")]
      ?? names.regions["\(countryCodes[country] ?? "").\(around.regionCode)"]?.first ?? ""
  }

  /// Adds the names of a region: its own, those that are known by its code, and the code itself.
  private mutating func addNames(of region: Region, _ number: Int) {
    let country = countryCodes[region.country] ?? ""
    let known = region.code.isEmpty ? [] : names.regions["\(country).\(region.code)"] ?? []
    for key in keys(of: [region.name] + known, code: region.code) {
      regionPhrases.insert(Phrase(key: key, area: region.country))
      phrases.insert(Phrase(key: key, area: UInt32(Area(region: number).rawValue)))
    }
  }

  /// Adds the names of the county of a locality that no region of its country has.
  private mutating func addNames(ofCountyOf locality: Identity, _ number: Int) {
    guard !locality.county.isEmpty else { return }
    let (region, country) = (locality.region.code, locality.region.country)
    let known = names.counties["\(countryCodes[country] ?? "").\(region).\(locality.county)"] ?? []
    for key in keys(of: known, code: locality.county) where !regionPhrases.contains(Phrase(key: key, area: country)) {
      phrases.insert(Phrase(key: key, area: UInt32(Area(county: number).rawValue)))
    }
  }

  /// The keys of the names of an area and of its code.
  ///
  /// A code that is a number or one letter is not a word of a query, not even where a table lists it as a name.
  private func keys(of names: [String], code: String) -> [[UInt8]] {
    let isWord = code.unicodeScalars.count > 1 && !code.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let folded = folder.folded(code, .words)
    let words = names.map { folder.folded($0, .words) }.filter { $0 != folded }
    let marked = folded.isEmpty || isWord ? folded : [AreaTable.codeMark] + folded
    return (words + [marked]).filter { !$0.isEmpty }.map { $0 + [0] }
  }

  /// The number of a text among those of localities.
  private mutating func text(_ text: String) -> UInt32 {
    if let number = textNumbers[text] { return number }
    let number = UInt32(texts.count)
    textNumbers[text] = number
    texts.append(text)
    return number
  }

  private func phraseSections() throws(CityIndexError) -> [CitySection: [UInt8]] {
    var arena: [UInt8] = [0]
    var offsets: [UInt32] = []
    let ordered = phrases.sorted()
    for (position, phrase) in ordered.enumerated() {
      if position > 0, ordered[position - 1].key == phrase.key {
        offsets.append(offsets[position - 1])
      } else {
        offsets.append(try offset(arena.count, in: .areaKeys))
        arena += phrase.key
      }
    }
    let column = [UInt8](column: offsets)
    let trie = withViews(of: [arena, column]) { views in
      Arena(views[0]).map { RadixTrieBuilder.build(PlainKeys(arena: $0, offsets: Column(views[1]))) } ?? []
    }
    return [
      .areaKeys: arena, .areaKeyOffsets: column, .areas: [UInt8](column: ordered.map(\.area)), .areaTrie: trie,
    ]
  }
}
