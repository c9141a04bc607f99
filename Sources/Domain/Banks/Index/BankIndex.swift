import Base
package import Geodesy

/// Answers questions about locations from the sections of an index, without reading their rows.
///
/// It borrows the sections' memory; its owner keeps that mapped. A *rank* is a location's position in the order of
/// headings: country, region, title. Real lists have a few thousand locations, so questions that filter look at each of
/// them: some tens of nanoseconds apiece, and nothing to keep in step.
package struct BankIndex: @unchecked Sendable {
  /// Locations in all.
  package let count: Int
  /// The banks, ascending.
  package let banks: [String]
  /// The names of the time zones that locations have, ascending: what ``ZoneTable`` is made from.
  package let zones: [String]

  /// The banks in lower case, as filters are compared with them.
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

  /// Checks the sections' shapes; hostile contents give wrong answers at worst, never a trap.
  ///
  /// A section that is `nil` is as good as an empty one.
  ///
  /// - Throws: ``BankIndexError`` with the section, and what was expected and found.
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

  /// Bytes of the longest name with its address in base letters: no longer word occurs in any.
  package var longestText: Int { texts.longest }

  /// Where the location at `rank` is; (0°, 0°) if out of range.
  package func point(at rank: Int) -> GeoPoint { coordinates.point(of: rank) }

  /// When the location at `rank` is open; `nil` if that is unknown.
  package func hours(at rank: Int) -> WeeklyHours? { PackedHours.decode(hours[rank]) }

  /// Whether the location at `rank` is open at a moment, on the clock of its own zone.
  package func openState(at rank: Int, moment: Int64, zones: ZoneTable) -> OpenState {
    openState(at: rank, clocks: zones.minutesOfWeek(at: moment))
  }

  /// Whether the location at `rank` is open when the clocks of the zones show these minutes of the week.
  func openState(at rank: Int, clocks: [Int?]) -> OpenState {
    let zone = zoneOfRank[rank]
    guard clocks.indices.contains(zone), let minute = clocks[zone] else { return .unknown }
    return PackedHours.openState(hours[rank], minuteOfWeek: minute)
  }
}

/// Why sections are no index.
package struct BankIndexError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, with what was expected and found.
  package let message: String
  /// Makes an error.
  init(_ message: String) { self.message = message }
  /// The message.
  package var description: String { message }
}
