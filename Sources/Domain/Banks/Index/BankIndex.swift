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
    let sections = SectionTable(sections)
    rows = try sections.table(.rows)
    count = rows.count
    ids = try sections.table(.ids, count: count)
    idOrder = try sections.column(.idOrder, count: count)
    texts = try sections.table(.texts, count: count)
    titleOrder = try sections.column(.titleOrder, count: count)
    categories = try sections.column(.categories, count: count)
    banks = try sections.texts(.banks)
    lowercasedBanks = banks.map { $0.lowercased() }
    bankOfRank = try sections.column(.bankOfRank, count: count)
    zones = try sections.texts(.zones)
    zoneOfRank = try sections.column(.zoneOfRank, count: count)
    hours = try sections.table(.hours, count: count)
    let regions = try sections.table(.regions)
    headings = HeadingTable(
      countries: try sections.table(.countries), regions: regions,
      spans: try sections.column(.regionSpans, count: 2 * regions.count), count: count)
    let sizes = [CoordinateTable.fixedBytes * count, CoordinateTable.floatBytes * count]
    coordinates = CoordinateTable(try sections.expect(.coordinates, sizes), count: count)
    pointTree = PointTree(try sections.expect(.pointTree, [PointTree.size(of: count)]), count: count)
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

extension SectionTable<BankSection> {
  /// A table of any number of entries.
  fileprivate func table(_ section: BankSection) throws(BankIndexError) -> ByteTable {
    try table(section, maximum: BankRule.maximumLocations)
  }

  /// A table of `count` entries.
  fileprivate func table(_ section: BankSection, count: Int) throws(BankIndexError) -> ByteTable {
    let table = try table(section)
    guard table.count == count else {
      throw BankIndexError("section \(section.rawValue): expected \(count) entries, found \(table.count)")
    }
    return table
  }

  /// The entries of a table as texts.
  fileprivate func texts(_ section: BankSection) throws(BankIndexError) -> [String] {
    let table = try table(section)
    return (0..<table.count).map(table.text)
  }

  /// A column of `count` numbers.
  fileprivate func column(_ section: BankSection, count: Int) throws(BankIndexError) -> Column {
    Column(try expect(section, [4 * count]))
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
  /// A table by rank: empty if the hours are unknown, else a byte, for each date on which it is closed 2³¹ plus its
  /// digits and 0, and for each stretch its first minute of the week and its length in minutes.
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
