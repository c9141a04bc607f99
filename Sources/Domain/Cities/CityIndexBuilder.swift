import Base
import Geodesy
import Text

/// Puts cities in order and makes the sections of an index.
///
/// The same cities give the same bytes, in whatever order they were added.
public struct CityIndexBuilder {
  private var cities: [City] = []
  /// By id, the first city that was added with it.
  private var indices: [UInt64: Int] = [:]
  /// The other cities with an id that stands in ``indices`` already: few in real lists, so that only these are hashed whole.
  private var namesakes: [CityIdentity: Int] = [:]

  /// Makes an empty builder.
  public init() {}

  /// Cities added, equal ones once.
  public var count: Int { cities.count }

  /// What became of an added city.
  public enum Addition: Sendable {
    /// It is another city than all before, even if one of them has its id.
    case kept
    /// It is equal to one that was there.
    case repeated
    /// It differs from one that was there in its population alone, and the larger of both populations is kept.
    case replaced
  }

  /// Adds a city.
  ///
  /// Cities are the same if their id, name, country and position are: an id that the source gives to two cities leads to
  /// both.
  ///
  /// - Throws: ``CityProblem`` if ``CityRule`` refuses it; nothing is changed then.
  /// - Complexity: O(1) on average.
  public mutating func add(_ city: City) throws(CityProblem) -> Addition {
    if let problem = CityRule.problem(with: city) { throw problem }
    guard let index = index(of: city) else {
      if indices[city.id] == nil { indices[city.id] = cities.count } else { namesakes[city.identity] = cities.count }
      cities.append(city)
      return .kept
    }
    let known = cities[index].population
    if known == city.population { return .repeated }
    // The larger one and not the later one: the same cities have to give the same bytes in whatever order they come.
    if let population = city.population, population >= known ?? 0 { cities[index].population = population }
    return .replaced
  }

  private func index(of city: City) -> Int? {
    guard let first = indices[city.id] else { return nil }
    return cities[first].identity == city.identity ? first : namesakes[city.identity]
  }

  /// Orders everything and returns the sections; `row` gives the opaque bytes of one city.
  ///
  /// - Throws: What `row` throws, and ``CityIndexError`` if a section would outgrow its 32-bit offsets.
  /// - Complexity: O(n log n); about 200 bytes a city.
  public consuming func build(row: (City) throws -> [UInt8]) throws -> [CitySection: [UInt8]] {
    guard cities.count <= CityRule.maximumCities else {
      throw CityIndexError("\(cities.count) cities, at most \(CityRule.maximumCities) fit in an index")
    }
    (indices, namesakes) = ([:], [:])
    let keys = try OrderedKeys(cities)
    let ordered = keys.order.map { cities[Int($0)] }
    cities = []
    var sections = keys.sections()
    for part in [keys.countrySections(ordered), try rowSections(ordered, row), columnSections(ordered)] {
      sections.merge(part) { _, new in new }
    }
    return sections
  }

  private func rowSections(
    _ cities: [City], _ row: (City) throws -> [UInt8]
  ) throws -> [CitySection: [UInt8]] {
    var rows: [UInt8] = []
    var offsets: [UInt32] = [0]
    offsets.reserveCapacity(cities.count + 1)
    for city in cities {
      rows += try row(city)
      offsets.append(try offset(rows.count, in: .rows))
    }
    return [.rows: rows, .rowOffsets: [UInt8](column: offsets)]
  }

  private func columnSections(_ cities: [City]) -> [CitySection: [UInt8]] {
    let high = cities.map { UInt32($0.id >> 32) }
    let population = cities.map { UInt32(($0.population ?? .max) &+ 1) }
    let points = cities.map { GeoPoint(latitude: $0.latitude, longitude: $0.longitude) }
    let byID = (0..<UInt32(cities.count)).sorted { (cities[Int($0)].id, $0) < (cities[Int($1)].id, $1) }
    return [
      .ids: [UInt8](column: cities.map { UInt32(truncatingIfNeeded: $0.id) }),
      .idsHigh: high.allSatisfy { $0 == 0 } ? [] : [UInt8](column: high),
      .idOrder: [UInt8](column: byID),
      .coordinates: CoordinateTable.encode(points),
      .pointTree: PointTreeBuilder.build(points),
      .populations: population.allSatisfy { $0 == 0 } ? [] : [UInt8](column: population),
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

/// What makes a city that city: everything but the number of its inhabitants.
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
  /// What makes it that city.
  var identity: CityIdentity { CityIdentity(self) }
}
