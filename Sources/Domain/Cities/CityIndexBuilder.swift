import Columns
import Geodesy
import Text

/// Puts cities in order and makes the sections of an index.
///
/// The same cities give the same bytes, in whatever order they were added.
public struct CityIndexBuilder {
  private var cities: [City] = []
  private var indices: [UInt64: Int] = [:]

  /// Makes an empty builder.
  public init() {}

  /// Cities added, each id once.
  public var count: Int { cities.count }

  /// Adds a city; `true` if one with the same id stood there and was replaced.
  ///
  /// - Throws: ``CityProblem`` if ``CityRule`` refuses it; nothing is changed then.
  public mutating func add(_ city: City) throws(CityProblem) -> Bool {
    if let problem = CityRule.problem(with: city) { throw problem }
    if let index = indices[city.id] {
      cities[index] = city
      return true
    }
    indices[city.id] = cities.count
    cities.append(city)
    return false
  }

  /// Orders everything and returns the sections; `row` gives the opaque bytes of one city.
  ///
  /// - Throws: What `row` throws, and ``CityIndexError`` if a section would outgrow its 32-bit offsets.
  /// - Complexity: O(n log n); about 200 bytes a city.
  public consuming func build(row: (City) throws -> [UInt8]) throws -> [CitySection: [UInt8]] {
    guard cities.count <= CityRule.maximumCities else {
      throw CityIndexError("\(cities.count) cities, at most \(CityRule.maximumCities) fit in an index")
    }
    indices = [:]
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
    let byID = (0..<UInt32(cities.count)).sorted { cities[Int($0)].id < cities[Int($1)].id }
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
