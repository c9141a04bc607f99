import Base

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
  /// Their positions in the table, if they share a name.
  fileprivate let positions: Range<Int>
  /// Their stored forms, ascending, if they are not adjacent in the table.
  fileprivate let listed: [Int]

  /// Whether no area matches.
  var isEmpty: Bool { positions.isEmpty && listed.isEmpty }
}

/// Finds countries, regions and counties by name or code.
///
/// It is a class for the same reason as ``NameTable``.
final class AreaTable: KeyTable {
  /// The maximum number of words of an area's name; the longest real one has 11.
  static let maximumWords = 12
  /// The first byte of the key of a code that is not a word, such as `08`; no folded text has it.
  static let codeMark: UInt8 = 1

  let localities: LocalityTable
  private let arena: Arena
  private let offsets: Column
  private let areas: Column
  private let trie: RadixTrie

  init?(_ localities: LocalityTable, _ section: (CitySection) -> UnsafeRawBufferPointer) {
    guard let arena = Arena(section(.areaKeys)) else { return nil }
    self.arena = arena
    self.localities = localities
    offsets = Column(section(.areaKeyOffsets))
    areas = Column(section(.areas))
    trie = RadixTrie(section(.areaTrie))
  }

  var count: Int { offsets.count }

  func key(at position: Int) -> ArenaText { arena[offsets[position]] }

  /// Whether `locality` lies in one of the areas of `choice`.
  @inline(__always)
  func contains(_ locality: Locality, _ choice: AreaChoice) -> Bool {
    holds(choice, Area(country: locality.country)) || holds(choice, Area(region: locality.region))
      || holds(choice, Area(county: locality.county))
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

  /// The areas named `name`, which is folded; if `isCode`, the areas with this code, if the code is not a word.
  ///
  /// - Complexity: O(m) in the bytes of `name`.
  func areas(called name: UnsafeRawBufferPointer, isCode: Bool = false) -> AreaChoice {
    guard !name.isEmpty else { return AreaChoice(positions: 0..<0, listed: []) }
    let start = isCode ? 1 : 0
    let positions = withUnsafeTemporaryAllocation(byteCount: start + name.count + 1, alignment: 1) { key in
      key[0] = Self.codeMark
      UnsafeMutableRawBufferPointer(rebasing: key[start...]).copyMemory(from: name)
      key[start + name.count] = 0
      return trie.range(of: UnsafeRawBufferPointer(key), in: self)
    }
    return AreaChoice(positions: positions, listed: [])
  }

  /// The countries and regions whose names start with `name`, which is folded; counties are too many for an unfinished
  /// word.
  ///
  /// - Complexity: O(a + r log r) for a matching names, r of which do not belong to counties.
  func areas(startingWith name: UnsafeRawBufferPointer) -> AreaChoice {
    guard !name.isEmpty else { return AreaChoice(positions: 0..<0, listed: []) }
    let found = trie.range(of: name, in: self)
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

  /// The numbers of the countries in `choice`.
  func countries(_ choice: AreaChoice) -> some Collection<Int> {
    choice.positions.lazy.compactMap { [areas] in Area(rawValue: areas[$0]).country }
  }

  /// The numbers of the countries in `choice`, and of those that contain its regions and counties.
  func countriesAround(_ choice: AreaChoice) -> Set<Int> {
    let areas = choice.positions.map { Area(rawValue: self.areas[$0]) }
    return Set(areas.map { area in area.country ?? area.locality.map { localities[$0].country } ?? 0 })
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
