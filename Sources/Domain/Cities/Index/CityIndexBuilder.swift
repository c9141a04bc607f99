import Base
import Geodesy
import Text

/// Puts cities in order and makes the sections of an index.
///
/// The same cities give the same bytes in any order.
public struct CityIndexBuilder: Sendable {
  /// Bytes of rows that are handed over at once.
  private static let pieceBytes = 1 << 20

  private var cities = CityStore()
  /// By id, the first city that was added with it.
  private var indices = CityIDTable()
  /// The other cities with an id that is in ``indices`` already: few in real lists, so that only these are hashed
  /// whole.
  private var namesakes: [CityIdentity: Int] = [:]
  /// The names of the countries and regions of the cities.
  public var areaNames = AreaNames()

  /// Makes an empty builder.
  public init() {}

  /// Cities added, equal ones once.
  public var count: Int { cities.count }

  /// The outcome of an added city.
  public enum Addition: Sendable {
    /// It is another city than all before, even if one of them has its id.
    case kept
    /// It is equal to one that was there.
    case repeated
    /// It is equal to one that was there, but for other names, region and time zone, which that one takes over.
    case joined
    /// It differs from one that was there in its population alone, and the larger of both populations is kept.
    case replaced
  }

  /// Adds a city.
  ///
  /// Cities are the same if their id, name, country and position are: an id that the source gives to two cities leads
  /// to both.
  ///
  /// - Throws: ``CityProblem`` if ``CityRule`` refuses it; nothing is changed then.
  /// - Complexity: O(1) on average.
  public mutating func add(_ city: City) throws(CityProblem) -> Addition {
    if let problem = CityRule.problem(with: city) { throw problem }
    guard let index = index(of: city) else {
      if !indices.insert(cities.count, id: city.id, among: cities.ids) { namesakes[city.identity] = cities.count }
      cities.append(city)
      return .kept
    }
    var known = cities.city(index, isWhole: true)
    let isJoined = known.join(city)
    if isJoined { cities.replace(index, by: known) }
    if known.population == city.population { return isJoined ? .joined : .repeated }
    // The larger one and not the later one: the same cities have to give the same bytes in any order.
    if let population = city.population, population >= known.population ?? 0 {
      cities.setPopulation(index, population)
    }
    return .replaced
  }

  private func index(of city: City) -> Int? {
    guard let first = indices.index(of: city.id, among: cities.ids) else { return nil }
    return cities.isSame(first, city) ? first : namesakes[city.identity]
  }

  /// Orders everything and hands over the sections as they are made, so that not all of them need memory at once: each
  /// in one piece, but the rows in several; `row` gives the opaque bytes of one city.
  ///
  /// - Throws: What `row` and `take` throw, and ``CityIndexError`` if a section would outgrow its 32-bit offsets.
  /// - Complexity: O(n log n); about 150 bytes a city, and 40 for each name.
  public consuming func build(
    row: (City) throws -> [UInt8], into take: (CitySection, [UInt8]) throws -> Void
  ) throws {
    guard cities.count <= CityRule.maximumCities else {
      throw CityIndexError("\(cities.count) cities, at most \(CityRule.maximumCities) fit in an index")
    }
    (indices, namesakes) = (CityIDTable(), [:])
    let (places, countries) = try buildOrders(take)
    try buildRows(row, take)
    for (section, bytes) in columnSections() { try take(section, bytes) }
    try take(
      .pointTree,
      PointTreeBuilder.build(
        (0..<cities.count).map(cities.point),
        weights: (0..<cities.count).map { CityWeight.of(cities.population($0)) }, places: places))
    var areas = AreaTableBuilder(areaNames)
    for (section, bytes) in try areas.sections(cities, countries: countries.ofRank) { try take(section, bytes) }
    let order = NameTableBuilder.Order(places: places, countries: countries.ofRank, countryCount: countries.count)
    // Names take most of the memory.
    cities.keepTexts()
    var names = try NameTableBuilder(cities)
    // All that is left is in the names.
    cities = CityStore()
    try names.build(order, into: take)
  }

  /// Puts the cities in key order and hands over the sections of keys, countries and inhabitants.
  private mutating func buildOrders(
    _ take: (CitySection, [UInt8]) throws -> Void
  ) throws -> (places: [UInt32], countries: (ofRank: [UInt32], count: Int)) {
    let keys = try OrderedKeys(cities)
    cities.reorder(keys.order)
    let orders = try buildPopulationOrders(keys, take)
    for (section, bytes) in keys.sections() { try take(section, bytes) }
    return orders
  }

  /// Hands over the sections of countries and inhabitants, which need no memory afterwards.
  private func buildPopulationOrders(
    _ keys: OrderedKeys, _ take: (CitySection, [UInt8]) throws -> Void
  ) throws -> (places: [UInt32], countries: (ofRank: [UInt32], count: Int)) {
    let (sections, ofRank, count) = keys.countrySections(cities)
    let places = PopulationPlaces(cities.populations, foldedOrder: keys.foldedOrder)
    for (section, bytes) in sections.merging(places.sections(sections), uniquingKeysWith: { $1 }) {
      try take(section, bytes)
    }
    return (places.plain, (ofRank, count))
  }

  private func buildRows(
    _ row: (City) throws -> [UInt8], _ take: (CitySection, [UInt8]) throws -> Void
  ) throws {
    var piece: [UInt8] = []
    var (offsets, end): ([UInt32], Int) = ([0], 0)
    offsets.reserveCapacity(cities.count + 1)
    for index in 0..<cities.count {
      let bytes = try row(cities.city(index, isWhole: false))
      piece += bytes
      end += bytes.count
      offsets.append(try offset(end, in: .rows))
      guard piece.count >= Self.pieceBytes else { continue }
      try take(.rows, piece)
      piece.removeAll(keepingCapacity: true)
    }
    try take(.rows, piece)
    try take(.rowOffsets, [UInt8](column: offsets))
  }

  private func columnSections() -> [CitySection: [UInt8]] {
    let high = cities.ids.map { UInt32($0 >> 32) }
    let byID = cities.ids.enumerated().map { (id: $1, rank: UInt32($0)) }.sorted { $0 < $1 }.map(\.rank)
    return [
      .ids: [UInt8](column: cities.ids.map { UInt32(truncatingIfNeeded: $0) }),
      .idsHigh: high.allSatisfy { $0 == 0 } ? [] : [UInt8](column: high),
      .idOrder: [UInt8](column: byID),
      .coordinates: CoordinateTable.encode((0..<cities.count).map(cities.point)),
      .populations: cities.populations.allSatisfy { $0 == 0 } ? [] : [UInt8](column: cities.populations),
    ]
  }
}

/// `count` as a 32-bit offset.
func offset(_ count: Int, in section: CitySection) throws(CityIndexError) -> UInt32 {
  guard let offset = UInt32(exactly: count) else {
    throw CityIndexError("section \(section.rawValue) would have \(count) bytes, more than 32-bit offsets reach")
  }
  return offset
}

/// The identity of a city: everything but its population.
struct CityIdentity: Hashable, Comparable {
  private let id: UInt64
  private let name: String
  private let country: String
  private let latitude: Double
  private let longitude: Double

  /// The identity of `city`, whose texts are in NFC.
  init(_ city: City) {
    (id, name, country) = (city.id, city.name, city.country)
    (latitude, longitude) = (city.latitude, city.longitude)
  }

  /// By id, the bytes of both texts, then position.
  static func < (one: Self, other: Self) -> Bool {
    if one.id != other.id { return one.id < other.id }
    if one.name != other.name { return one.name.utf8.lexicographicallyPrecedes(other.name.utf8) }
    if one.country != other.country { return one.country.utf8.lexicographicallyPrecedes(other.country.utf8) }
    return (one.latitude, one.longitude) < (other.latitude, other.longitude)
  }
}

extension City {
  /// Takes over the other names of the same city from another record, and the texts that this one lacks; of two
  /// different texts the lower one stays, so that the order of the records does not matter.
  ///
  /// Returns whether the other record differs in any of them.
  fileprivate mutating func join(_ other: City) -> Bool {
    func joined(_ one: String, _ other: String) -> String { one.isEmpty || !other.isEmpty && other < one ? other : one }
    let areTextsEqual =
      (regionCode, region, countyCode, zone) == (other.regionCode, other.region, other.countyCode, other.zone)
    if areTextsEqual, alternates == other.alternates, languages == other.languages { return false }
    languages.merge(other.languages, uniquingKeysWith: max)
    regionCode = joined(regionCode, other.regionCode)
    region = joined(region, other.region)
    countyCode = joined(countyCode, other.countyCode)
    zone = joined(zone, other.zone)
    if alternates != other.alternates {
      let names = Set(alternates).union(other.alternates)
      alternates = Array(names.sorted().prefix(CityRule.maximumAlternates))
    }
    return true
  }

  /// Its identity.
  var identity: CityIdentity { CityIdentity(self) }
}

/// The keys of cities, folded and put in order: the first step of making an index.
struct OrderedKeys {
  /// By rank, the index of the city among those given.
  private(set) var order: [UInt32]
  private var arena: [UInt8] = [0]
  private var plainOffsets: [UInt32] = []
  private var differs: [Bool] = []
  private var baseOffsets: [UInt32] = []
  private(set) var foldedOrder: [UInt32] = []
  private var longest: (plain: Int, base: Int) = (0, 0)

  /// Folds and sorts `cities`.
  ///
  /// - Throws: ``CityIndexError`` if the keys together outgrow 32-bit offsets.
  /// - Complexity: O(n log n).
  init(_ cities: CityStore) throws(CityIndexError) {
    let folded = try FoldedKeys(cities)
    order = folded.sortedByPlain(cities.isBelow)
    try lay(folded)
    foldedOrder = folded.sortedByBase(ranks: order)
  }

  /// Writes the keys in key order, each once.
  private mutating func lay(_ folded: FoldedKeys) throws(CityIndexError) {
    plainOffsets.reserveCapacity(order.count)
    differs.reserveCapacity(order.count)
    var previous: ArraySlice<UInt8>?
    for city in order {
      let (plain, base) = (folded.plain(Int(city)), folded.base(Int(city)))
      let isNew = plain != previous
      if isNew {
        plainOffsets.append(try append(plain))
      } else {
        plainOffsets.append(plainOffsets[plainOffsets.count - 1])
      }
      let hasBase = folded.hasBase(Int(city))
      differs.append(hasBase)
      if hasBase {
        baseOffsets.append(isNew ? try append(base) : baseOffsets[baseOffsets.count - 1])
      }
      longest = (max(longest.plain, plain.count - 1), max(longest.base, base.count - 1))
      previous = plain
    }
  }

  private mutating func append(_ key: ArraySlice<UInt8>) throws(CityIndexError) -> UInt32 {
    let start = try offset(arena.count, in: .keys)
    arena += key
    return start
  }

  /// The sections that keys, their orders and their tries are.
  func sections() -> [CitySection: [UInt8]] {
    var sections: [CitySection: [UInt8]] = [
      .keys: arena,
      .keyOffsets: [UInt8](column: plainOffsets),
      .baseKeyBits: RankedBits.encode(differs),
      .baseKeyOffsets: [UInt8](column: baseOffsets),
      .keyLengths: [UInt8](column: [UInt32(longest.plain), UInt32(longest.base)]),
      .foldedOrder: [UInt8](column: foldedOrder),
    ]
    (sections[.plainTrie], sections[.foldedTrie]) = tries(sections)
    return sections
  }

  private func tries(_ sections: [CitySection: [UInt8]]) -> ([UInt8], [UInt8]) {
    withViews(
      of: [.keys, .keyOffsets, .baseKeyBits, .baseKeyOffsets, .foldedOrder].map { sections[$0] ?? [] }
    ) { views in
      guard let arena = Arena(views[0]) else { return ([], []) }
      let plain = PlainKeys(arena: arena, offsets: Column(views[1]))
      let base = BaseKeys(
        plain: plain, order: Column(views[4]), differs: RankedBits(views[2]), offsets: Column(views[3]))
      return (RadixTrieBuilder.build(plain), RadixTrieBuilder.build(base))
    }
  }

  /// The sections that list each country's cities, and the numbers of the countries in ``CountryTable``, by rank;
  /// `cities` are in key order.
  func countrySections(_ cities: CityStore) -> (sections: [CitySection: [UInt8]], ofRank: [UInt32], count: Int) {
    var countries: [Country] = []
    var known = [Int?](repeating: nil, count: cities.surroundings.count)
    var ofRank: [UInt32] = []
    ofRank.reserveCapacity(cities.count)
    for rank in 0..<cities.count {
      let place = Int(cities.places[rank])
      let index = known[place] ?? register(rank, in: &countries)
      known[place] = index
      countries[index].ranks.append(UInt32(rank))
      ofRank.append(UInt32(index))
    }
    for (position, rank) in foldedOrder.enumerated() {
      countries[Int(ofRank[Int(rank)])].positions.append(UInt32(position))
    }
    countries.sort { $0.code.lexicographicallyPrecedes($1.code) }
    for (number, country) in countries.enumerated() {
      for rank in country.ranks { ofRank[Int(rank)] = UInt32(number) }
    }
    return (encoded(countries), ofRank, countries.count)
  }

  private struct Country {
    var code: ArraySlice<UInt8>
    var ranks: [UInt32] = []
    var positions: [UInt32] = []
  }

  /// The country of a city; two spellings that fold to the same code are one country.
  private func register(_ rank: Int, in countries: inout [Country]) -> Int {
    let key = arena[Int(plainOffsets[rank])...].prefix { $0 != 0 }
    let code = key.drop { $0 != keySeparator }.dropFirst()
    if let index = countries.firstIndex(where: { $0.code == code }) { return index }
    countries.append(Country(code: code))
    return countries.count - 1
  }

  private func encoded(_ countries: [Country]) -> [CitySection: [UInt8]] {
    var entries: [UInt32] = []
    var start: UInt32 = 0
    for country in countries {
      // The code needs no bytes of its own: it is the end of a key.
      entries += [UInt32(country.code.startIndex), start]
      start += UInt32(country.ranks.count)
    }
    return [
      .countries: [UInt8](column: entries),
      .countryRanks: [UInt8](column: countries.flatMap(\.ranks)),
      .countryPositions: [UInt8](column: countries.flatMap(\.positions)),
    ]
  }
}

/// Calls `body` with views of several byte arrays at once.
func withViews<Result>(
  of arrays: [[UInt8]], _ views: [UnsafeRawBufferPointer] = [], _ body: ([UnsafeRawBufferPointer]) -> Result
) -> Result {
  guard views.count < arrays.count else { return body(views) }
  return arrays[views.count].withUnsafeBytes { withViews(of: arrays, views + [$0], body) }
}
