package import Base
package import Geodesy

/// Answers queries about locations from the sections of an index, without parsing rows.
///
/// It borrows the sections' memory, which its owner keeps mapped. A *rank* is a location's position in the order of
/// headings: country, region, title. Real lists have a few thousand locations, so filters scan all of them, at tens of
/// nanoseconds each, which needs no further indexes.
///
/// `Sendable` because its properties are constants that borrow from read-only bytes.
package struct BankIndex: @unchecked Sendable {
  /// The number of locations.
  package let count: Int
  /// The banks, ascending.
  package let banks: [String]
  /// The names of the locations' time zones, ascending, for ``LocalCalendar``.
  package let zones: [String]

  /// The banks in lower case, for comparison with filters.
  let lowercasedBanks: [String]
  let rows: ByteTable
  let ids: ByteTable
  let idOrder: Column
  let texts: ByteTable
  let titleOrder: Column
  let categories: Column
  let bankOfRank: Column
  let zoneOfRank: Column
  let hours: ByteTable
  let headings: HeadingTable
  let coordinates: CoordinateTable
  let pointTree: PointTree

  /// Checks the sections' sizes; hostile contents give wrong answers at worst, never a trap.
  ///
  /// A `nil` section counts as empty.
  ///
  /// - Throws: ``BankIndexError`` with the section, the expected and the found size.
  /// - Complexity: O(b + z + r) in the banks, zones and regions.
  package init(sections: (BankSection) -> UnsafeRawBufferPointer?) throws(BankIndexError) {
    let shapes = try BankShapes(sections)
    rows = shapes.rows
    count = rows.count
    ids = try shapes.tableByRank(.ids)
    idOrder = try shapes.columnByRank(.idOrder)
    texts = try shapes.tableByRank(.texts)
    titleOrder = try shapes.columnByRank(.titleOrder)
    categories = try shapes.columnByRank(.categories)
    banks = try shapes.texts(.banks)
    lowercasedBanks = banks.map { $0.lowercased() }
    bankOfRank = try shapes.columnByRank(.bankOfRank)
    zones = try shapes.texts(.zones)
    zoneOfRank = try shapes.columnByRank(.zoneOfRank)
    hours = try shapes.tableByRank(.hours)
    let regions = try shapes.table(.regions)
    headings = HeadingTable(
      countries: try shapes.table(.countries), regions: regions,
      spans: try shapes.column(.regionSpans, count: 2 * regions.count), count: count)
    coordinates = try shapes.coordinates()
    pointTree = try shapes.pointTree()
  }

  /// The bytes of the row of the location at `rank`; empty if out of range.
  package func row(at rank: Int) -> UnsafeRawBufferPointer { rows[rank] }

  /// The id of the location at `rank`; empty if out of range.
  package func id(at rank: Int) -> String { ids.text(at: rank) }

  /// The bank of the location at `rank`; empty if out of range.
  package func bank(at rank: Int) -> String {
    let position = bankOfRank[rank]
    return banks.indices.contains(position) ? banks[position] : ""
  }

  /// The rank of the location with `id`, which is compared byte by byte.
  ///
  /// - Complexity: O(log n).
  package func rank(id: String) -> Int? {
    guard id.utf8.count <= ids.longest else { return nil }
    let wanted = Array(id.utf8)
    let index = partitionPoint(0..<count) { ids[idOrder[$0]].lexicographicallyPrecedes(wanted) }
    let rank = idOrder[index]
    return index < count && rank < count && ids[rank].elementsEqual(wanted) ? rank : nil
  }

  /// Bytes of the longest "name address" in base letters: longer words never occur.
  package var longestText: Int { texts.longest }

  /// The position of the location at `rank`; (0°, 0°) if out of range.
  package func point(at rank: Int) -> GeoPoint { coordinates.point(of: rank) }

  /// The hours of the location at `rank`; `nil` if unknown.
  package func hours(at rank: Int) -> WeeklyHours? { PackedHours.decode(hours[rank]) }
}

/// Why sections do not form an index.
package typealias BankIndexError = SectionError

/// The sections of an index, with checks of their sizes against the number of locations.
struct BankShapes {
  /// The rows, one per location.
  let rows: ByteTable
  private let sections: SectionTable<BankSection>

  /// Reads the rows first, because the other sizes depend on their number.
  init(_ provider: (BankSection) -> UnsafeRawBufferPointer?) throws(BankIndexError) {
    sections = SectionTable(provider)
    rows = try sections.table(.rows, maximum: BankRule.maximumLocations)
  }

  /// A table of any number of entries.
  func table(_ section: BankSection) throws(BankIndexError) -> ByteTable {
    try sections.table(section, maximum: BankRule.maximumLocations)
  }

  /// A table with one entry per location.
  func tableByRank(_ section: BankSection) throws(BankIndexError) -> ByteTable {
    let table = try table(section)
    guard table.count == rows.count else {
      throw BankIndexError("section \(section.rawValue): expected \(rows.count) entries, found \(table.count)")
    }
    return table
  }

  /// The entries of a table as texts.
  func texts(_ section: BankSection) throws(BankIndexError) -> [String] {
    let table = try table(section)
    return (0..<table.count).map(table.text)
  }

  /// A column with one number per location.
  func columnByRank(_ section: BankSection) throws(BankIndexError) -> Column {
    try column(section, count: rows.count)
  }

  /// A column of `count` numbers.
  func column(_ section: BankSection, count: Int) throws(BankIndexError) -> Column {
    Column(try sections.expect(section, [4 * count]))
  }

  /// One position per location.
  func coordinates() throws(BankIndexError) -> CoordinateTable {
    let sizes = [CoordinateTable.fixedBytes * rows.count, CoordinateTable.floatBytes * rows.count]
    return CoordinateTable(try sections.expect(.coordinates, sizes), count: rows.count)
  }

  /// A tree over all locations.
  func pointTree() throws(BankIndexError) -> PointTree {
    PointTree(try sections.expect(.pointTree, [PointTree.size(of: rows.count)]), count: rows.count)
  }

}

/// The sections of an index, by the four bytes that name them in the file.
///
/// Numbers are little-endian and unsigned, 32 bits. A *rank* is a location's position in the order of headings:
/// countries by name, regions by name, locations by title; so the ranks of a country, and of a region, are consecutive.
/// A *table* is the format of `ByteTable`.
package enum BankSection: String, CaseIterable, Sendable {
  /// A table of the rows' opaque bytes by rank.
  case rows = "ROWS"
  /// A table of ids by rank.
  case ids = "IDEN"
  /// The ranks in the order of ids' bytes.
  case idOrder = "IDOR"
  /// A table of names with addresses in base letters, by rank.
  case texts = "TEXT"
  /// The ranks in the order of titles.
  case titleOrder = "TORD"
  /// By rank, the category: 0 branch, 1 ATM, 2 BNA, 3 unknown.
  case categories = "CATE"
  /// A table of banks, ascending.
  case banks = "BANK"
  /// By rank, the bank's position in `banks`.
  case bankOfRank = "BNKR"
  /// A table of time zones, ascending.
  case zones = "ZONE"
  /// By rank, the zone's position in `zones`.
  case zoneOfRank = "ZONR"
  /// A table by rank: empty if the hours are unknown, else a byte, and for each stretch its first minute of the week
  /// and its length in minutes.
  ///
  /// The byte is 1, or 3 if holidays change nothing, or 5 if the hours of holidays are known; their minutes follow the
  /// week's.
  case hours = "HOUR"
  /// A table of countries' codes, in the order of their names.
  case countries = "CTRY"
  /// A table of regions' names, country by country: each is preceded by the byte 1; empty means "without a region".
  case regions = "REGN"
  /// For each region, the position of its country in `countries` and its first rank.
  case regionSpans = "RSPN"
  /// By rank, latitude and longitude.
  case coordinates = "COOR"
  /// The k-d tree over positions.
  case pointTree = "SPAT"
}
