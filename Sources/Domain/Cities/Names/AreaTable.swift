import Base

/// A country, or a region of one.
struct Area: Equatable {
  /// Its stored form: a country's number, or a region's with bit 31 set.
  let rawValue: Int

  private static let regionBit = 1 << 31

  init(rawValue: Int) { self.rawValue = rawValue }
  init(country: Int) { rawValue = country }
  init(region: Int) { rawValue = region | Self.regionBit }

  /// The number of the country; `nil` for a region.
  var country: Int? { rawValue & Self.regionBit == 0 ? rawValue : nil }
  /// The number of the region; `nil` for a country.
  var region: Int? { rawValue & Self.regionBit == 0 ? nil : rawValue & ~Self.regionBit }

  /// Whether a city of `locality` lies in it.
  func contains(_ locality: Locality) -> Bool {
    rawValue & Self.regionBit == 0
      ? rawValue == locality.country : rawValue & ~Self.regionBit == locality.region
  }
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

/// By which words people name regions and countries.
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
    if choice.positions.contains(where: { Area(rawValue: areas[$0]).contains(locality) }) { return true }
    return !choice.listed.isEmpty
      && (Self.holds(choice.listed, Area(country: locality.country))
        || Self.holds(choice.listed, Area(region: locality.region)))
  }

  private static func holds(_ areas: [Int], _ area: Area) -> Bool {
    let place = partitionPoint(areas.indices) { areas[$0] < area.rawValue }
    return place < areas.count && areas[place] == area.rawValue
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

  /// The areas with a name that starts with `name`, which is folded.
  ///
  /// - Complexity: O(a log a) for a names that do.
  func areas(startingWith name: UnsafeRawBufferPointer) -> AreaChoice {
    guard !name.isEmpty else { return AreaChoice(positions: 0..<0, listed: []) }
    let found = trie.range(of: name, in: self)
    return AreaChoice(positions: 0..<0, listed: Set(found.lazy.map { [areas] in areas[$0] }).sorted())
  }

  /// The regions of `choice`, of `country` if that is given.
  func regions(of choice: AreaChoice, in country: Int?) -> AreaChoice {
    let found = choice.positions.map { Area(rawValue: areas[$0]) }.filter { area in
      guard let region = area.region else { return false }
      return country == nil || localities[region].country == country
    }
    return AreaChoice(positions: 0..<0, listed: found.map(\.rawValue).sorted())
  }

  /// The numbers of the countries of `choice`.
  func countries(_ choice: AreaChoice) -> some Collection<Int> {
    choice.positions.lazy.compactMap { [areas] in Area(rawValue: areas[$0]).country }
  }

  /// The numbers of the countries of `choice`, and of those in which its regions lie.
  func countriesAround(_ choice: AreaChoice) -> Set<Int> {
    let areas = choice.positions.map { Area(rawValue: self.areas[$0]) }
    return Set(areas.map { area in area.country ?? area.region.map { localities[$0].country } ?? 0 })
  }

  /// The first country of `choice`.
  func country(_ choice: AreaChoice) -> Int? { countries(choice).first }

  /// What the name at a position stands for: the number of a country, and the code of a region of it if it is one; an
  /// empty code for a region that is found by its code alone.
  func meaning(at position: Int) -> (country: Int, regionCode: String?) {
    let area = Area(rawValue: areas[position])
    guard let region = area.region else { return (area.rawValue, nil) }
    let locality = localities[region]
    guard let texts = localities.texts, !texts[locality.name].isEmpty else { return (locality.country, "") }
    return (locality.country, texts.text(at: locality.code))
  }
}
