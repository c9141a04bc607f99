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

/// What cities of one region and one time zone have in common.
struct Locality {
  /// Numbers that it takes in the file.
  static let fields = 5

  /// The number of the country in ``CountryTable``.
  let country: Int
  /// The number of the first locality in the same region.
  let region: Int
  /// The texts of the region's code, the region's name and the zone.
  let code, name, zone: Int
}

/// Where cities lie, and by which words people name regions and countries.
struct AreaTable: KeyTable {
  /// Words of the longest name of an area that is looked for.
  static let maximumWords = 10

  private let cities: Column
  private let numbers: Column
  /// The texts of localities; `nil` if there are none.
  let texts: ByteTable?
  private let arena: Arena
  private let offsets: Column
  private let areas: Column
  private let trie: RadixTrie

  init?(_ section: (CitySection) -> UnsafeRawBufferPointer) {
    guard let arena = Arena(section(.areaKeys)) else { return nil }
    self.arena = arena
    cities = Column(section(.cityLocalities))
    numbers = Column(section(.localities))
    texts = ByteTable(section(.localityTexts))
    offsets = Column(section(.areaKeyOffsets))
    areas = Column(section(.areas))
    trie = RadixTrie(section(.areaTrie))
  }

  var count: Int { offsets.count }

  func key(at position: Int) -> ArenaText { arena[offsets[position]] }

  /// The locality of the city at `rank`.
  @inline(__always)
  func locality(ofRank rank: Int) -> Locality { locality(cities[rank]) }

  private func locality(_ index: Int) -> Locality {
    let start = index * Locality.fields
    return Locality(
      country: numbers[start], region: numbers[start + 1], code: numbers[start + 2], name: numbers[start + 3],
      zone: numbers[start + 4])
  }

  /// The areas that have just this name, as positions; `key` ends with a zero byte.
  ///
  /// - Complexity: O(m) in the bytes of `key`.
  func areas(named key: UnsafeRawBufferPointer) -> Range<Int> { trie.range(of: key, in: self) }

  /// Whether `locality` lies in one of the areas at `positions`.
  func contains(_ locality: Locality, _ positions: Range<Int>) -> Bool {
    positions.contains { Area(rawValue: areas[$0]).contains(locality) }
  }

  /// The positions of the areas that are called `name`, which is folded.
  func areas(called name: UnsafeRawBufferPointer) -> Range<Int> {
    guard !name.isEmpty else { return 0..<0 }
    return withUnsafeTemporaryAllocation(byteCount: name.count + 1, alignment: 1) { key in
      key.copyMemory(from: name)
      key[name.count] = 0
      return areas(named: UnsafeRawBufferPointer(key))
    }
  }

  /// Whether one of the areas at `positions` is a region, of `country` if that is given.
  func holdsRegion(_ positions: Range<Int>, in country: Int?) -> Bool {
    positions.contains { position in
      guard let region = Area(rawValue: areas[position]).region else { return false }
      return country == nil || locality(region).country == country
    }
  }

  /// The countries at `positions`.
  func countries(_ positions: Range<Int>) -> [Int] { positions.compactMap { Area(rawValue: areas[$0]).country } }

  /// What the name at a position stands for: the number of a country, and the code of a region of it if it is one.
  func meaning(at position: Int) -> (country: Int, regionCode: String?) {
    let area = Area(rawValue: areas[position])
    guard let region = area.region else { return (area.rawValue, nil) }
    let locality = locality(region)
    return (locality.country, texts.map { $0.text(at: locality.code) } ?? "")
  }
}
