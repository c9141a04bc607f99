extension CityIndex {
  /// The numbers of the countries with the code, the number in ISO 3166-1 or the name `name`, which is folded by
  /// `FoldMode.words`; several for a word such as Congo, none if it is unknown.
  ///
  /// - Complexity: O(m) in the bytes of `name`.
  func countries(called name: UnsafeRawBufferPointer) -> [Int] {
    guard let areas else { return [] }
    let coded = areas.countries(areas.areas(called: name, isCode: true)).prefix(1)
    return coded.isEmpty ? areas.countries(areas.areas(called: name)) : Array(coded)
  }

  /// A country or region that a query names.
  public struct FoundArea {
    /// The code of the country.
    public let country: [UInt8]
    /// The name of the region and its code within the country; empty for a country, or if unknown.
    ///
    /// In a corrupt file the bytes may be anything.
    public let region, regionCode: UnsafeRawBufferPointer
  }

  /// The first countries and regions in `choice`.
  func areas(_ choice: AreaChoice, atMost limit: Int) -> [FoundArea] {
    guard let areas, let texts = localities.texts else { return [] }
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    return areas.members(of: choice).lazy.filter { !$0.isCounty }.prefix(limit).map { area in
      let locality = area.locality.map { localities[$0] }
      let code = countries.code(at: locality?.country ?? area.rawValue)
      return FoundArea(
        country: code.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 },
        region: locality.map { texts[$0.name] } ?? none, regionCode: locality.map { texts[$0.code] } ?? none)
    }
  }

  /// The rank of the largest city of the countries with these numbers; `nil` if they have none.
  ///
  /// - Complexity: O(c log n) for c countries.
  func largestCity(ofCountries numbers: [Int]) -> Int? {
    guard !numbers.isEmpty else { return nil }
    return ranks(cities(ofCountries: Set(numbers).sorted()), offset: 0, limit: 1, byPopulation: true).first
  }

  /// The number of people in the city at `rank`; 0 if it is unknown.
  @inline(__always)
  func people(_ rank: Int) -> UInt64 { UInt64(max(populations[rank], 1) - 1) }

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
