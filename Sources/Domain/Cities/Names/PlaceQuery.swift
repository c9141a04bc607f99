/// A query for a place: words, the last of which may name a region or a country.
struct PlaceQuery {
  /// The size of the longest query that can have hits: a name and two areas.
  static let maximumBytes = CityRule.maximumAlternateBytes * 4

  /// An interpretation of a query: a name, and the areas named by the words after it.
  struct Reading {
    /// The number of bytes of the name, from the start of the query.
    let nameBytes: Int
    /// The areas named by the words after it; a city must lie in one area of each choice.
    let areas: [AreaChoice]

    /// Whether the name is the whole query.
    var isWhole: Bool { areas.isEmpty }
    /// Whether a code names one of the areas.
    let hasCode: Bool

    init(nameBytes: Int, areas: [AreaChoice]) {
      (self.nameBytes, self.areas) = (nameBytes, areas)
      hasCode = areas.contains { $0.isCode }
    }
  }

  /// The maximum number of letters of a short name.
  static let shortLetters = 4

  /// The folded query.
  private(set) var key: [UInt8] = []
  /// The end of each word.
  private var ends: [Int] = []
  /// The interpretations, the longest name first; those with an incomplete last area follow.
  private(set) var readings: [Reading] = []
  /// The number of interpretations with complete areas.
  private(set) var wholeReadings = 0

  /// Parses a folded query: words separated by one space.
  ///
  /// Up to two areas may follow a name: `springfield illinois us`.
  ///
  /// - Complexity: O(w²) look-ups of areas for w words, of which at most 2 · ``AreaTable/maximumWords`` may name areas.
  mutating func read(_ folded: UnsafeRawBufferPointer, _ table: AreaTable?) {
    key.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    readings.removeAll(keepingCapacity: true)
    key.append(contentsOf: folded)
    for index in key.indices where key[index] == UInt8(ascii: " ") { ends.append(index) }
    ends.append(key.count)
    readings.append(Reading(nameBytes: key.count, areas: []))
    if let table {
      for last in namesBeforeAreas { readings += readings(after: last, table) { areas($0, table) } }
    }
    wholeReadings = readings.count
  }

  /// The areas that the last words of a query name.
  struct LastAreas {
    /// The number of words that name a country, a region, or an area with another one around it.
    var words = 0
    /// The number of words that name a country.
    var countryWords = 0
    /// Whether they name a state or province, and no country, where people write these after the names of cities: no
    /// city elsewhere is meant.
    var stay = false
  }

  /// The areas that the last words name, as many words as possible.
  func lastAreas(_ index: CityIndex) -> LastAreas {
    guard let table = index.areas else { return LastAreas() }
    func words(_ reading: Reading?) -> Int { reading.map { known in ends.count { $0 > known.nameBytes } } ?? 0 }
    let (reading, country) = (readingWithAreas(table), readingWithAreas(table, onlyCountries: true))
    var found = LastAreas(words: words(reading), countryWords: words(country))
    if let areas = reading?.areas, country == nil {
      let meant =
        areas.count == 1
        ? table.withoutCounties(areas[0]) : table.areas(areas[0], withCounties: true, within: areas[1])
      found.stay = table.countriesAround(meant).contains(where: index.writesRegions(inCountry:))
    }
    return found
  }

  private func readingWithAreas(_ table: AreaTable, onlyCountries: Bool = false) -> Reading? {
    readings.prefix(wholeReadings).last { reading in
      switch reading.areas.count {
      case 1 where onlyCountries: !table.countries(reading.areas[0]).isEmpty
      case _ where onlyCountries: false
      case 1: !table.withoutCounties(reading.areas[0]).isEmpty
      case 2: !table.areas(reading.areas[0], withCounties: true, within: reading.areas[1]).isEmpty
      default: false
      }
    }
  }

  /// Whether the key has at most four letters.
  var isShort: Bool {
    // A letter takes at most four bytes, so most queries need no count.
    key.count <= 4 * Self.shortLetters && key.count { $0 & 0xC0 != 0x80 } <= Self.shortLetters
  }

  /// The areas that the whole query names; `nil` if it names none.
  func wholeArea(_ table: AreaTable?) -> AreaChoice? {
    table.flatMap { areas(0...ends.count - 1, $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The areas that the whole query names together with an area around them (`bavaria germany`); `nil` without any.
  func areaWithinArea(_ table: AreaTable?, withCounties: Bool = true) -> AreaChoice? {
    guard let table, ends.count > 1 else { return nil }
    for cut in stride(from: ends.count - 2, through: 0, by: -1) {
      guard let outer = areas(cut + 1...ends.count - 1, table), !outer.isEmpty,
        let inner = areas(0...cut, table), !inner.isEmpty
      else { continue }
      let found = table.areas(inner, withCounties: withCounties, within: outer)
      if !found.isEmpty { return found }
    }
    return nil
  }

  /// Adds the interpretations in which the last words are only the start of an area's name: `springfield ill`.
  ///
  /// `isName` returns whether the first bytes of the key are the whole name of a city.
  ///
  /// - Complexity: O(w²) look-ups of areas, and O(a log a) for a names of areas that start with the last words.
  mutating func readStartedAreas(_ table: AreaTable?, where isName: (_ bytes: Int) -> Bool) {
    guard let table else { return }
    for last in namesBeforeAreas where isName(ends[last]) {
      readings += readings(after: last, table) { words in
        isShort(words) ? key.withUnsafeBytes { table.areas(startingWith: slice(words, of: $0)) } : nil
      }
    }
  }

  /// The indices of words that may end a name before areas.
  private var namesBeforeAreas: StrideThrough<Int> {
    stride(from: ends.count - 2, through: max(0, ends.count - 1 - 2 * AreaTable.maximumWords), by: -1)
  }

  /// The interpretations in which the name ends with the word `last`; `final` returns the areas of the last words.
  private func readings(
    after last: Int, _ table: AreaTable, final: (ClosedRange<Int>) -> AreaChoice?
  ) -> [Reading] {
    let end = ends.count - 1
    var readings: [Reading] = []
    for cut in last + 1...end {
      if cut == end {
        if let areas = final(last + 1...end), !areas.isEmpty {
          readings.append(Reading(nameBytes: ends[last], areas: [areas]))
        }
      } else if let first = areas(last + 1...cut, table), !first.isEmpty,
        let second = final(cut + 1...end), !second.isEmpty
      {
        readings.append(Reading(nameBytes: ends[last], areas: [first, second]))
      }
    }
    return readings
  }

  /// The areas named by a run of words.
  private func areas(_ words: ClosedRange<Int>, _ table: AreaTable) -> AreaChoice? {
    isShort(words) ? key.withUnsafeBytes { table.areas(called: slice(words, of: $0)) } : nil
  }

  private func isShort(_ words: ClosedRange<Int>) -> Bool { words.count <= AreaTable.maximumWords }

  private func slice(_ words: ClosedRange<Int>, of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = words.lowerBound == 0 ? 0 : ends[words.lowerBound - 1] + 1
    return UnsafeRawBufferPointer(rebasing: key[start..<ends[words.upperBound]])
  }
}
