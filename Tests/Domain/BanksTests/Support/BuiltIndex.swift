import Banks
import CivilTime
import Coroutines
import Geodesy
import TestSupport

/// An index together with the memory that it borrows; the row of a location is its id.
///
/// The memory is given back on demand alone: a test may let go of this and still ask the index.
final class BuiltIndex: Sendable {
  let index: BankIndex
  /// The locations by id, as they were kept.
  let locations: [String: BankLocation]
  private nonisolated(unsafe) let memory: [BankSection: UnsafeMutableRawBufferPointer]

  convenience init(_ locations: [BankLocation]) throws {
    let (sections, kept) = try Self.sections(locations)
    try self.init(sections: sections, kept)
  }

  init(sections: [BankSection: [UInt8]], _ locations: [String: BankLocation] = [:]) throws {
    self.locations = locations
    let memory = sections.mapValues { bytes in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
      copy.copyBytes(from: bytes)
      return copy
    }
    self.memory = memory
    do {
      index = try BankIndex { memory[$0].map { UnsafeRawBufferPointer($0) } }
    } catch {
      for copy in memory.values { copy.deallocate() }
      throw error
    }
  }

  /// Gives the memory back; the index must not be asked any more.
  func giveBack() { for copy in memory.values { copy.deallocate() } }

  static func sections(
    _ locations: [BankLocation]
  ) throws -> (sections: [BankSection: [UInt8]], kept: [String: BankLocation]) {
    var builder = BankIndexBuilder()
    for location in locations { try builder.add(location) }
    var kept: [String: BankLocation] = [:]
    let sections = try builder.build { id, location in
      kept[id] = location
      return Array(id.utf8)
    }
    return (sections, kept)
  }

  /// The ids that the rows at `ranks` hold.
  func ids(_ ranks: [Int]) -> [String] { ranks.map { String(decoding: index.row(at: $0), as: UTF8.self) } }

  /// The titles of the locations at `ranks`.
  func titles(_ ranks: [Int]) -> [String] { ids(ranks).map { locations[$0]?.title ?? "?" } }

  func search(_ words: String, _ filter: BankFilter = BankFilter()) throws -> [String] {
    ids(try index.search(KeywordQuery(words), filter))
  }

  /// (metres, id) of the nearest.
  func near(
    _ place: GeoPoint, _ limit: Int, _ radius: Double = .infinity, _ filter: BankFilter = BankFilter()
  ) throws -> [(UInt32, String)] {
    let neighbours = try index.near(place, limit: limit, radius: radius, filter).neighbours
    return (0..<neighbours.count).map { (neighbours[$0].metres, index.id(at: neighbours[$0].item)) }
  }
}

/// Rules for the zones of made-up locations, without a file.
enum MadeUpZones {
  /// Two hours east of UTC in winter, three in summer, as in Tallinn, Riga and Vilnius today.
  static let baltic = rules("EET-2EEST,M3.5.0/3,M10.5.0/4")
  /// One hour east of UTC in winter, two in summer, as in Sarajevo today.
  static let central = rules("CET-1CEST,M3.5.0,M10.5.0/3")

  static func named(_ name: String) -> ZoneRules? {
    ["Europe/Tallinn": baltic, "Europe/Riga": baltic, "Europe/Vilnius": baltic, "Europe/Sarajevo": central][name]
      .flatMap(\.self)
  }

  /// A file of version 2 that has nothing but one offset and a footer.
  private static func rules(_ footer: String) -> ZoneRules? {
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    let block = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts + [UInt8](repeating: 0, count: 7)
    return try? ZoneRules(tzif: block + block + Array("\n\(footer)\n".utf8))
  }
}

extension BankIndex {
  /// Finds the `limit` locations of `filter` nearest to `place`, at most `radius` whole metres away.
  func near(
    _ place: GeoPoint, limit: Int, radius: Double = .infinity, _ filter: BankFilter = BankFilter()
  ) throws -> NearestBanks {
    let selection = try selection(filter)
    return try Coroutine.complete { budget in
      try await self.nearest(to: place, selection, limit: limit, radius: radius, budget)
    }
  }
}
