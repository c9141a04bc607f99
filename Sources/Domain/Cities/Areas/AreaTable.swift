import Base

/// A country, a region of one, or a county of a region.
struct Area: Equatable {
  /// Its stored form: a country's number; the number of its first locality with bit 30 set for a county, with bit 31
  /// set for a region.
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

/// The areas that some words may mean.
struct AreaChoice {
  /// Their positions, if they have one name.
  fileprivate let positions: Range<Int>
  /// Their stored forms, ascending, if they are not together.
  fileprivate let listed: [Int]

  /// Whether there is none.
  var isEmpty: Bool { positions.isEmpty && listed.isEmpty }
}

/// By which words people name countries, regions and counties.
///
/// It is a class for the reason that ``NameTable`` is one.
final class AreaTable: KeyTable {
  /// Words of the longest name of an area that is looked for; the longest real one has 11.
  static let maximumWords = 12
  /// The first byte of the key of a code that is not a word, such as `08`; no folded text has it.
  static let codeMark: UInt8 = 1

  /// Where cities lie.
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
    // Those of one name ascend, too.
    let place = partitionPoint(choice.positions) { areas[$0] < area.rawValue }
    if place < choice.positions.upperBound { return areas[place] == area.rawValue }
    if choice.listed.isEmpty { return false }
    let index = partitionPoint(choice.listed.indices) { choice.listed[$0] < area.rawValue }
    return index < choice.listed.count && choice.listed[index] == area.rawValue
  }

  /// The areas that are called `name`, which is folded; if `isCode`, those with this code, if it is not a word.
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

  /// The countries and regions with a name that starts with `name`, which is folded; counties are too many for words
  /// that are still typed.
  ///
  /// - Complexity: O(a + r log r) for a names that do, r of which are not those of counties.
  func areas(startingWith name: UnsafeRawBufferPointer) -> AreaChoice {
    guard !name.isEmpty else { return AreaChoice(positions: 0..<0, listed: []) }
    let found = trie.range(of: name, in: self)
    let started = found.lazy.map { [areas] in Area(rawValue: areas[$0]) }.filter { !$0.isCounty }
    return AreaChoice(positions: 0..<0, listed: Set(started.map(\.rawValue)).sorted())
  }

  /// The regions and counties of `choice`, of `country` if that is given.
  func regions(of choice: AreaChoice, in country: Int?) -> AreaChoice {
    let found = choice.positions.map { Area(rawValue: areas[$0]) }.filter { area in
      guard let first = area.locality else { return false }
      return country == nil || localities[first].country == country
    }
    return AreaChoice(positions: 0..<0, listed: found.map(\.rawValue).sorted())
  }

  /// The numbers of the countries of `choice`.
  func countries(_ choice: AreaChoice) -> some Collection<Int> {
    choice.positions.lazy.compactMap { [areas] in Area(rawValue: areas[$0]).country }
  }

  /// The numbers of the countries of `choice`, and of those in which its regions and counties lie.
  func countriesAround(_ choice: AreaChoice) -> Set<Int> {
    let areas = choice.positions.map { Area(rawValue: self.areas[$0]) }
    return Set(areas.map { area in area.country ?? area.locality.map { localities[$0].country } ?? 0 })
  }

  /// The first country of `choice`.
  func country(_ choice: AreaChoice) -> Int? { countries(choice).first }

  /// What the name at a position stands for: the number of a country, and, if it is that of a region or county, its
  /// code and those of the areas around it.
  func meaning(at position: Int) -> (country: Int, codes: [String]) {
    let area = Area(rawValue: areas[position])
    guard let first = area.locality else { return (area.rawValue, []) }
    let locality = localities[first]
    let codes = [locality.code] + (area.isCounty ? [locality.countyCode] : [])
    return (locality.country, codes.map { localities.texts?.text(at: $0) ?? "" })
  }
}
