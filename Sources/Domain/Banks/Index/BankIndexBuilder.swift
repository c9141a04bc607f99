import Geodesy
import Text

/// Sorts locations and builds the sections of an index.
///
/// The same locations give the same bytes in any order.
package struct BankIndexBuilder: Sendable {
  private var locations: [BankLocation] = []

  /// Makes an empty builder.
  package init() {}

  /// The number of locations, equal ones included: two machines may be in one lobby.
  package var count: Int { locations.count }

  /// Tidies and adds a location.
  ///
  /// - Throws: ``BankProblem`` if ``BankRule`` refuses it; nothing is changed then.
  package mutating func add(_ location: BankLocation) throws(BankProblem) {
    let location = location.tidied()
    if let problem = BankRule.problem(with: location) { throw problem }
    locations.append(location)
  }

  /// Adds the (already checked) locations of another builder.
  package mutating func add(_ other: BankIndexBuilder) { locations += other.locations }

  /// Sorts everything and returns the sections; `row` encodes a location with its id.
  ///
  /// - Throws: What `row` throws, and ``BankIndexError`` if there is more than an index holds.
  /// - Complexity: O(n log n).
  package consuming func build(
    row: (_ id: String, _ location: BankLocation) throws -> [UInt8]
  ) throws -> [BankSection: [UInt8]] {
    guard locations.count <= BankRule.maximumLocations else {
      throw BankIndexError("\(locations.count) locations, at most \(BankRule.maximumLocations) fit in an index")
    }
    return try Self.sections(of: OrderedLocations(locations), row: row)
  }

  /// The sections for locations that already have ids, which a verifier reads from their rows.
  ///
  /// - Throws: What `row` throws, and ``BankIndexError`` if there is more than an index holds.
  /// - Complexity: O(n log n).
  package static func sections(
    of locations: [(id: String, location: BankLocation)],
    row: (_ id: String, _ location: BankLocation) throws -> [UInt8]
  ) throws -> [BankSection: [UInt8]] {
    try sections(of: OrderedLocations(identified: locations), row: row)
  }

  private static func sections(
    of ordered: OrderedLocations, row: (_ id: String, _ location: BankLocation) throws -> [UInt8]
  ) throws -> [BankSection: [UInt8]] {
    let rows = try ordered.entries.map { try row($0.id, $0.location) }
    var sections = try ordered.headingSections()
    for part in [try ordered.textSections(), try ordered.valueSections(), [.rows: try table(rows, .rows)]] {
      sections.merge(part) { _, new in new }
    }
    return sections
  }
}

extension OrderedLocations {
  fileprivate func textSections() throws -> [BankSection: [UInt8]] {
    let folder = CaseFolder()
    return [
      .ids: try table(entries.map { Array($0.id.utf8) }, .ids),
      .idOrder: [UInt8](column: order { $0.id < $1.id }),
      .texts: try table(entries.map { folder.folded($0.location.searchText, .baseLetters) }, .texts),
      .titleOrder: [UInt8](column: order { $0.titleIsBelow($1) }),
    ]
  }

  fileprivate func valueSections() throws -> [BankSection: [UInt8]] {
    let (banks, bankOfRank) = positions(\.bank)
    let (zones, zoneOfRank) = positions(\.zone)
    let points = entries.map(\.location.point)
    return [
      .categories: [UInt8](column: entries.map { UInt32($0.location.kind.category.number) }),
      .banks: try table(banks, .banks), .bankOfRank: [UInt8](column: bankOfRank),
      .zones: try table(zones, .zones), .zoneOfRank: [UInt8](column: zoneOfRank),
      .hours: try table(
        entries.map { PackedHours.encode($0.location.hours, ofMachine: $0.location.kind.isMachine) }, .hours),
      .coordinates: CoordinateTable.encode(points),
      .pointTree: PointTreeBuilder.build(points),
    ]
  }

  /// The distinct values of a text, ascending, and the position of each rank's value.
  private func positions(_ text: KeyPath<BankLocation, String>) -> (values: [[UInt8]], ofRank: [UInt32]) {
    let values = entries.map { $0.location[keyPath: text] }.distinct
    let positions = Dictionary(uniqueKeysWithValues: zip(values.map { TextKey($0) }, UInt32(0)...))
    return (values.map { Array($0.utf8) }, entries.compactMap { positions[$0.location[keyPath: text]] })
  }

  fileprivate func headingSections() throws -> [BankSection: [UInt8]] {
    var countries: [[UInt8]] = []
    var regions: [[UInt8]] = []
    var spans: [UInt32] = []
    var previous: BankLocation?
    for (rank, entry) in entries.enumerated() {
      let location = entry.location
      let isNewCountry = location.country != previous?.country
      if isNewCountry { countries.append(Array(location.country.utf8)) }
      if isNewCountry || location.region != previous?.region {
        regions.append(location.region.map { [1] + Array($0.utf8) } ?? [])
        spans += [UInt32(countries.count - 1), UInt32(rank)]
      }
      previous = location
    }
    return [
      .countries: try table(countries, .countries), .regions: try table(regions, .regions),
      .regionSpans: [UInt8](column: spans),
    ]
  }
}

private func table(_ entries: [[UInt8]], _ section: BankSection) throws(BankIndexError) -> [UInt8] {
  guard let bytes = ByteTable.encode(entries) else {
    throw BankIndexError("section \(section.rawValue) would be larger than 32-bit offsets reach")
  }
  return bytes
}

/// Locations with their ids and sort keys: the first step of building an index.
struct OrderedLocations {
  /// A location with its sort keys.
  struct Entry {
    let id: String
    let location: BankLocation
    let country: AlphabeticalKey
    let region: AlphabeticalKey
    let name: AlphabeticalKey
    let address: AlphabeticalKey

    /// Order by name (without one last), then address, then id.
    func titleIsBelow(_ other: Self) -> Bool {
      if name != other.name { return name < other.name }
      if address != other.address { return address < other.address }
      return id < other.id
    }

    /// Order by country, region and title.
    func headingIsBelow(_ other: Self) -> Bool {
      if country != other.country { return country < other.country }
      if location.country != other.location.country { return location.country < other.location.country }
      if region != other.region { return region < other.region }
      return titleIsBelow(other)
    }
  }

  /// By rank.
  let entries: [Entry]

  /// Assigns ids and sorts `locations`, which are tidied.
  ///
  /// - Complexity: O(n log n).
  init(_ locations: [BankLocation]) {
    self.init(identified: Array(zip(LocationIDs.assign(to: locations), locations)))
  }

  /// Sorts locations that already have unique ids.
  ///
  /// - Complexity: O(n log n).
  init(identified locations: [(id: String, location: BankLocation)]) {
    let folder = CaseFolder()
    entries = locations.map { id, location in
      Entry(
        id: id, location: location, country: AlphabeticalKey(CountryName.name(of: location.country), folder),
        region: AlphabeticalKey(location.region, folder), name: AlphabeticalKey(location.name, folder),
        address: AlphabeticalKey(location.address, folder))
    }.sorted { $0.headingIsBelow($1) }
  }

  /// The ranks, sorted by `isBelow`.
  func order(_ isBelow: (Entry, Entry) -> Bool) -> [UInt32] {
    (0..<UInt32(entries.count)).sorted { isBelow(entries[Int($0)], entries[Int($1)]) }
  }
}

/// The sort key of names: base letters first, so that `Õ` is with `O` and `a` with `A`; then the exact spelling.
///
/// Base letters are compared by code point after folding, exact spellings by their UTF-8, independent of the locale. No
/// name comes last.
struct AlphabeticalKey: Comparable {
  /// The folded base letters.
  let base: [UInt8]
  /// The spelling.
  let exact: String?

  /// The key of a name, or of none.
  init(_ name: String?, _ folder: CaseFolder) {
    (base, exact) = (name.map { folder.folded($0, .baseLetters) } ?? [], name)
  }

  static func == (one: Self, other: Self) -> Bool { !(one < other) && !(other < one) }

  static func < (one: Self, other: Self) -> Bool {
    guard let mine = one.exact, let theirs = other.exact else { return one.exact != nil && other.exact == nil }
    if one.base != other.base { return one.base.lexicographicallyPrecedes(other.base) }
    return mine < theirs
  }
}
