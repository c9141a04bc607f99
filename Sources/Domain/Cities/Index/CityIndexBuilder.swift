import Geodesy

/// Sorts cities and builds the sections of an index.
///
/// The same cities give the same bytes, whatever their order.
public struct CityIndexBuilder: Sendable {
  /// The size of a piece of rows, or of spellings.
  static let pieceBytes = 1 << 20

  private var cities = CityStore()
  /// The first city added with each id.
  private var indices = CityIDTable()
  /// The other cities with an id that is already in ``indices``: few in real lists, so only these are hashed whole.
  private var namesakes: [CityIdentity: Int] = [:]
  /// The cities with texts from several records: each record is merged with these, not with stored texts, which would
  /// have to be read and written as a whole.
  private var joined: [Int: City] = [:]
  /// By city, the populations of its records, if they differ.
  private var populations: [Int: Set<UInt64?>] = [:]
  /// The names of the countries and regions of the cities.
  public var areaNames = AreaNames()
  /// The most names that are sorted at once: sorting takes half of their memory again.
  public var namesSortedAtOnce = 1 << 20

  /// Creates an empty builder.
  public init() {}

  /// The number of distinct cities added.
  public var count: Int { cities.count }

  /// The result of adding a city.
  public enum Addition: Sendable {
    /// A new city, even if another one has its id.
    case kept
    /// A duplicate.
    case repeated
    /// A duplicate except for alternate names, region, county or time zone, which are merged into the known city.
    case joined
    /// A known city with a different population; the larger one is kept, and other differences are merged.
    case replaced
  }

  /// Adds a city.
  ///
  /// Cities are the same if their id, name, country and position are equal. If the source gives one id to two cities,
  /// the id leads to both.
  ///
  /// - Throws: ``CityProblem`` if ``CityRule`` rejects it; then nothing changes.
  /// - Complexity: O(1) on average; O(log n) for each alternate name of a city that is known with others.
  public mutating func add(_ city: City) throws(CityProblem) -> Addition {
    if let problem = CityRule.problem(with: city) { throw problem }
    guard let index = index(of: city) else {
      if !indices.insert(cities.count, id: city.id, among: cities.ids) { namesakes[city.identity] = cities.count }
      cities.append(city)
      return .kept
    }
    let isJoined = join(city, to: index)
    let known = cities.population(index)
    // The larger population, not the later one, and compared with all so far, not with the last one: the same cities
    // must give the same bytes and counts in any order.
    let isNew = city.population != known && populations[index, default: [known]].insert(city.population).inserted
    guard isNew else { return isJoined ? .joined : .repeated }
    if let population = city.population, population >= known ?? 0 { cities.setPopulation(index, population) }
    return .replaced
  }

  /// Merges the texts of another record of the city at `index`; returns whether they differ.
  private mutating func join(_ city: City, to index: Int) -> Bool {
    if let isJoined = joined[index]?.join(city) { return isJoined }
    var known = cities.city(index, isWhole: true)
    if known.hasTexts(of: city) { return false }
    known.alternates = known.alternates.distinct
    joined[index] = known
    return join(city, to: index)
  }

  private func index(of city: City) -> Int? {
    guard let first = indices.index(of: city.id, among: cities.ids) else { return nil }
    return cities.isSame(first, city) ? first : namesakes[city.identity]
  }

  /// Sorts everything and passes each section to `take` as soon as it is built.
  ///
  /// So they never need memory all at once. Rows and spellings are passed in pieces. `row` returns the opaque
  /// bytes of one city.
  ///
  /// - Throws: The errors of `row` and `take`, and ``CityIndexError`` if a section would exceed its 32-bit offsets.
  /// - Complexity: O(n log n); about 150 bytes per city, and 40 per name.
  public consuming func build(
    row: (City) throws -> [UInt8], into take: (CitySection, [UInt8]) throws -> Void
  ) throws {
    guard cities.count <= CityRule.maximumCities else {
      throw CityIndexError("\(cities.count) cities, at most \(CityRule.maximumCities) fit in an index")
    }
    for (index, city) in joined { cities.replace(index, by: city) }
    (indices, namesakes, joined, populations) = (CityIDTable(), [:], [:], [:])
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
    // The names take most of the memory.
    cities.keepTexts()
    var names = try NameTableBuilder(cities, sortedAtOnce: namesSortedAtOnce)
    // Only the names are still needed.
    cities = CityStore()
    try names.build(order, into: take)
  }

  /// Sorts the cities by key and passes on the sections of keys, countries and populations.
  private mutating func buildOrders(
    _ take: (CitySection, [UInt8]) throws -> Void
  ) throws -> (places: [UInt32], countries: (ofRank: [UInt32], count: Int)) {
    let keys = try OrderedKeys(cities)
    cities.reorder(keys.order)
    let orders = try buildPopulationOrders(keys, take)
    for (section, bytes) in keys.sections() { try take(section, bytes) }
    return orders
  }

  /// Passes on the sections of countries and populations, whose memory is then free.
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

/// The identity of a city: its id, name, country and position.
struct CityIdentity: Hashable, Comparable {
  private let id: UInt64
  private let name: String
  private let country: String
  private let latitude: Double
  private let longitude: Double

  /// The identity of `city`, whose texts are NFC.
  init(_ city: City) {
    (id, name, country) = (city.id, city.name, city.country)
    (latitude, longitude) = (city.latitude, city.longitude)
  }

  /// By id, the bytes of both texts, then position.
  static func < (one: Self, other: Self) -> Bool {
    if one.id != other.id { return one.id < other.id }
    if one.name != other.name { return one.name < other.name }
    if one.country != other.country { return one.country < other.country }
    return (one.latitude, one.longitude) < (other.latitude, other.longitude)
  }
}

extension City {
  /// Whether the texts are those of `other`.
  fileprivate func hasTexts(of other: City) -> Bool {
    CityStore.Surroundings(self) == CityStore.Surroundings(other) && alternates == other.alternates
      && languages == other.languages
  }

  /// Merges the alternate names of another record of the same city, which are sorted here, and the texts missing here;
  /// of two different texts the lower one is kept, so that the order of the records does not matter.
  ///
  /// Returns whether the other record differs in any of them.
  fileprivate mutating func join(_ other: City) -> Bool {
    if hasTexts(of: other) { return false }
    func joined(_ one: String, _ other: String) -> String { one.isEmpty || !other.isEmpty && other < one ? other : one }
    languages.merge(other.languages, uniquingKeysWith: max)
    regionCode = joined(regionCode, other.regionCode)
    region = joined(region, other.region)
    countyCode = joined(countyCode, other.countyCode)
    zone = joined(zone, other.zone)
    for name in other.alternates {
      let place = partitionPoint(alternates.indices) { alternates[$0] < name }
      if place == alternates.count || alternates[place] != name { alternates.insert(name, at: place) }
      if alternates.count > CityRule.maximumAlternates { languages[alternates.removeLast()] = nil }
    }
    return true
  }

  var identity: CityIdentity { CityIdentity(self) }
}

/// The folded and sorted keys of cities: the first step of building an index.
struct OrderedKeys {
  /// The city's index in the input, by rank.
  private(set) var order: [UInt32]
  private var arena: [UInt8] = [0]
  private var plainOffsets: [UInt32] = []
  private var differs: [Bool] = []
  private var baseOffsets: [UInt32] = []
  private(set) var foldedOrder: [UInt32] = []
  private var longest: (plain: Int, base: Int) = (0, 0)

  /// Folds and sorts `cities`.
  ///
  /// - Throws: ``CityIndexError`` if the keys together exceed 32-bit offsets.
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

  /// The sections with the keys, their orders and their tries.
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

  /// The sections that list each country's cities, and by rank the number of the city's country in ``CountryTable``;
  /// `cities` are in key order.
  func countrySections(_ cities: CityStore) -> (sections: [CitySection: [UInt8]], ofRank: [UInt32], count: Int) {
    var countries: [Country] = []
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    var known = [Int?](repeating: nil, count: cities.surroundings.count)
    var ofRank: [UInt32] = []
    ofRank.reserveCapacity(cities.count)
    for rank in 0..<cities.count {
      let place = Int(cities.places[rank])
      let index = known[place] ?? register(rank, in: &countries, &numbers)
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
  private func register(_ rank: Int, in countries: inout [Country], _ numbers: inout [ArraySlice<UInt8>: Int]) -> Int {
    let key = arena[Int(plainOffsets[rank])...].prefix { $0 != 0 }
    let code = key.drop { $0 != keySeparator }.dropFirst()
    if let index = numbers[code] { return index }
    numbers[code] = countries.count
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
