import Text

extension CityIndex {
  /// The length in bytes of the longest folded query that can have hits.
  public static var longestQuery: Int { PlaceQuery.maximumBytes }

  /// The way in which a hit was found.
  public func kind(of hit: PlaceHits.Hit) -> PlaceHitKind {
    if hit.isByArea { return .area }
    if hit.edits > 0 { return .typo }
    switch names?.city(of: hit.entry).kind {
    case .title, nil: return .name
    case .code: return .code
    default: return .alternate
    }
  }

  /// The name by which a hit was found, as the source spells it; empty for a title.
  ///
  /// In a corrupt file the bytes may be anything.
  public func spelling(of hit: PlaceHits.Hit) -> UnsafeRawBufferPointer {
    guard let names, !hit.isTitle else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return names.text(of: hit.entry)
  }

  /// The region, county and zone of a city; unknown texts are empty.
  ///
  /// In a corrupt file the bytes may be anything.
  public struct Surroundings {
    /// The code of the region within the country.
    public let regionCode: UnsafeRawBufferPointer
    /// The name of the region.
    public let region: UnsafeRawBufferPointer
    /// The time zone.
    public let zone: UnsafeRawBufferPointer
    /// The code of the county within the region.
    package let countyCode: UnsafeRawBufferPointer

    /// The number of known texts among region code, region and zone.
    public var count: Int { (regionCode.isEmpty ? 0 : 1) + (region.isEmpty ? 0 : 1) + (zone.isEmpty ? 0 : 1) }

    /// Whether those texts are valid UTF-8, which ``CityIndex/problem(at:)`` checks for all cities at once.
    public var areText: Bool { isValidUTF8(regionCode) && isValidUTF8(region) && isValidUTF8(zone) }
  }

  /// The region, county and zone of the city at `rank`.
  public func surroundings(of rank: Int) -> Surroundings {
    guard let texts = localities.texts else {
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      return Surroundings(regionCode: none, region: none, zone: none, countyCode: none)
    }
    let locality = localities.locality(ofRank: rank)
    return Surroundings(
      regionCode: texts[locality.code], region: texts[locality.name], zone: texts[locality.zone],
      countyCode: texts[locality.countyCode])
  }

  /// The folded code of the country named `name`, which is folded by `FoldMode.words`; `nil` if there is none.
  ///
  /// - Complexity: O(m) in the bytes of the name.
  public func countryCode(called name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    countries(called: name).first.map(countries.code)
  }

  /// The alternate names of all cities, by rank, as the source spells them, with their number of languages: one per
  /// search key.
  ///
  /// - Complexity: O(n) in the bytes of all names.
  package func alternates() -> [[TextKey: Int]] {
    var found = [[TextKey: Int]](repeating: [:], count: count)
    guard let names else { return found }
    for entry in 0..<names.keys.count {
      let (rank, kind) = names.city(of: entry)
      guard kind != .title, rank < count else { continue }
      found[rank][String(decoding: names.text(of: entry), as: UTF8.self)] = kind.languages
    }
    return found
  }

  /// The search keys of the names of countries, regions and counties, from which an equal table can be built; `codes`
  /// contains the codes of the cities' countries by rank.
  ///
  /// - Complexity: O(n) in the cities and names.
  package func areaNames(countryCodes codes: [String]) -> AreaNames {
    var found = AreaNames()
    guard let areas else { return found }
    var codeOfCountry: [Int: String] = [:]
    let folder = CaseFolder()
    for (rank, code) in codes.enumerated() {
      let country = localities.locality(ofRank: rank).country
      if codeOfCountry[country] == nil { codeOfCountry[country] = code }
    }
    for position in 0..<areas.count {
      let text = areas.key(at: position)
      let mark = text.byte(0) == AreaTable.codeMark ? 1 : 0
      let key = String(decoding: text.bytes(text.count).dropFirst(mark), as: UTF8.self)
      let (country, codes) = areas.meaning(at: position)
      // The cities provide the codes again; a code must not become the displayed name.
      if let code = codes.last, code.isEmpty || folder.folded(code, .words).elementsEqual(key.utf8) { continue }
      let area = TextKey(([codeOfCountry[country] ?? ""] + codes).joined(separator: "."))
      switch codes.count {
      case 0: found.countries[area, default: []].append(key)
      case 1: found.regions[area, default: []].append(key)
      default: found.counties[area, default: []].append(key)
      }
    }
    return found
  }
}

extension PlaceConditions {
  /// An unknown area.
  public enum Problem: Error, Equatable, Sendable {
    /// No country has that name.
    case unknownCountry
    /// No region has that name, or none in the country.
    case unknownRegion
  }

  /// Restricts the search to the country or countries with the code or name `name`, folded by `FoldMode.words`.
  ///
  /// - Throws: ``Problem/unknownCountry``.
  public mutating func require(country name: UnsafeRawBufferPointer, _ index: CityIndex) throws(Problem) {
    let found = index.countries(called: name)
    guard let first = found.first else { throw .unknownCountry }
    (country, countries) = found.count == 1 ? (first, []) : (nil, found)
  }

  /// Restricts the search to the regions and counties with the code or name `name`, folded by `FoldMode.words`.
  ///
  /// - Throws: ``Problem/unknownRegion``.
  public mutating func require(region name: UnsafeRawBufferPointer, _ index: CityIndex) throws(Problem) {
    guard let areas = index.areas else { throw .unknownRegion }
    for isCode in [false, true] {
      let found = areas.regions(of: areas.areas(called: name, isCode: isCode), in: country)
      if !found.isEmpty {
        region = found
        return
      }
    }
    throw .unknownRegion
  }
}
