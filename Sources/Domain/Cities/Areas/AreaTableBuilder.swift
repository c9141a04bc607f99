import Text

/// The names of countries, regions and counties.
public struct AreaNames: Equatable, Sendable {
  /// Names by country code; the first is displayed.
  package var countries: [TextKey: [String]]
  /// Names by country code, full stop and region code (`US.TX`); the first is displayed.
  package var regions: [TextKey: [String]]
  /// Names by country, region and county code (`IT.16.SI`).
  package var counties: [TextKey: [String]]

  /// Creates the table of names.
  package init(
    countries: [TextKey: [String]] = [:], regions: [TextKey: [String]] = [:], counties: [TextKey: [String]] = [:]
  ) {
    (self.countries, self.regions, self.counties) = (countries, regions, counties)
  }
}

/// Builds the sections of localities and of area names.
///
/// A region is identified by its code within a country, or by its name if it has no code. Its name is the first that a
/// city gives it, in key order, or else the one in the table. A county is identified by its code within a region; it
/// loses any name that a region of its country has, so that `Washington` is the state and none of 31 counties.
struct AreaTableBuilder {
  private struct Region: Hashable, Comparable {
    let country: UInt32
    let code, name: String

    static func < (one: Self, other: Self) -> Bool {
      (one.country, TextKey(one.code), TextKey(one.name)) < (other.country, TextKey(other.code), TextKey(other.name))
    }
  }

  /// The identity of a locality; localities are in this order.
  private struct Identity: Hashable, Comparable {
    let region: Region
    let county, zone: String

    static func < (one: Self, other: Self) -> Bool {
      (one.region, TextKey(one.county), TextKey(one.zone)) < (other.region, TextKey(other.county), TextKey(other.zone))
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
  /// The code of each country, by number, as spelled by one of its cities.
  private var countryCodes: [UInt32: String] = [:]
  /// The names of the regions that have codes.
  private var regionNames: [Region: String] = [:]
  private var phrases: Set<Phrase> = []
  /// The keys of regions, each with the number of the region's country.
  private var regionPhrases: Set<Phrase> = []
  private var texts = [""]
  private var textNumbers: [TextKey: UInt32] = ["": 0]

  init(_ names: AreaNames) { self.names = names }

  /// The sections for cities in key order; `countries` has the number of each city's country by rank.
  ///
  /// - Throws: ``CityIndexError`` if a section would exceed its 32-bit offsets.
  /// - Complexity: O(n) on average for n cities, O(l log l) for l localities.
  mutating func sections(
    _ cities: CityStore, countries: [UInt32]
  ) throws(CityIndexError) -> [CitySection: [UInt8]] {
    // Cities with the same surroundings have the same locality: the first of them, in key order, determines it.
    var countryOfPlace = [UInt32?](repeating: nil, count: cities.surroundings.count)
    for (place, country) in zip(cities.places, countries) where countryOfPlace[Int(place)] == nil {
      countryOfPlace[Int(place)] = country
      register(cities.surroundings[Int(place)], country)
    }
    addCountries()
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

  /// The column of localities; also adds the names of their areas.
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

  /// Records the country of some cities and the name that they give their region.
  private mutating func register(_ around: CityStore.Surroundings, _ country: UInt32) {
    if countryCodes[country] == nil { countryCodes[country] = around.country }
    let region = Region(country: country, code: around.regionCode, name: "")
    guard !around.regionCode.isEmpty, regionNames[region] == nil else { return }
    if !around.region.isEmpty { regionNames[region] = around.region }
  }

  /// Adds the codes of the countries, and their names, except those that are the code of another country: `BI` is
  /// Burundi, although Belgium is `Bỉ` in Vietnamese.
  private mutating func addCountries() {
    let codes = Set(countryCodes.values.map { folder.folded($0, .words) })
    for (country, code) in countryCodes {
      let names = (names.countries[code] ?? []).filter { !codes.contains(folder.folded($0, .words)) }
      for key in keys(of: names, code: code) { phrases.insert(Phrase(key: key, area: country)) }
    }
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

  /// Adds the names of a region: its own, those listed for its code, and the code itself.
  private mutating func addNames(of region: Region, _ number: Int) {
    let country = countryCodes[region.country] ?? ""
    let known = region.code.isEmpty ? [] : names.regions["\(country).\(region.code)"] ?? []
    for key in keys(of: [region.name] + known, code: region.code) {
      regionPhrases.insert(Phrase(key: key, area: region.country))
      phrases.insert(Phrase(key: key, area: UInt32(Area(region: number).rawValue)))
    }
  }

  /// Adds the names of a locality's county, except those of regions in its country.
  private mutating func addNames(ofCountyOf locality: Identity, _ number: Int) {
    guard !locality.county.isEmpty else { return }
    let (region, country) = (locality.region.code, locality.region.country)
    let known = names.counties["\(countryCodes[country] ?? "").\(region).\(locality.county)"] ?? []
    for key in keys(of: known, code: locality.county) where !regionPhrases.contains(Phrase(key: key, area: country)) {
      phrases.insert(Phrase(key: key, area: UInt32(Area(county: number).rawValue)))
    }
  }

  /// The keys of an area's names and of its code.
  ///
  /// A number, or a code of one letter, is not a word of a query, even if a table lists it as a name.
  private func keys(of names: [String], code: String) -> [[UInt8]] {
    let folded = folder.folded(code, .words)
    let isLetter = code.unicodeScalars.count == 1
    return Set(names.map { folder.folded($0, .words) } + [folded]).filter { !$0.isEmpty }.map { key in
      let isCode = key == folded && isLetter || key.allSatisfy { (0x30...0x39).contains($0) }
      return (isCode ? [AreaTable.codeMark] : []) + key + [0]
    }
  }

  /// The number of a text in the table of localities' texts.
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
