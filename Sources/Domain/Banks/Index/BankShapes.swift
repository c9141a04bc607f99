import Base
import Geodesy

/// The sections of an index, each taken once its size fits the number of locations.
struct BankShapes {
  /// The rows, whose number is that of the locations.
  let rows: ByteTable
  private let sections: [BankSection: UnsafeRawBufferPointer]

  /// Takes the sections; without rows nothing else can be judged.
  init(_ provider: (BankSection) -> UnsafeRawBufferPointer?) throws(BankIndexError) {
    var sections: [BankSection: UnsafeRawBufferPointer] = [:]
    for section in BankSection.allCases { sections[section] = provider(section) }
    self.sections = sections
    rows = try Self.table(.rows, sections)
  }

  /// A table of any number of entries.
  func table(_ section: BankSection) throws(BankIndexError) -> ByteTable { try Self.table(section, sections) }

  /// A table with an entry a location.
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

  /// A number a location.
  func columnByRank(_ section: BankSection) throws(BankIndexError) -> Column {
    try column(section, count: rows.count)
  }

  /// So many numbers.
  func column(_ section: BankSection, count: Int) throws(BankIndexError) -> Column {
    Column(try bytes(section, [4 * count]))
  }

  /// A position a location.
  func coordinates() throws(BankIndexError) -> CoordinateTable {
    let sizes = [CoordinateTable.fixedBytes * rows.count, CoordinateTable.floatBytes * rows.count]
    return CoordinateTable(try bytes(.coordinates, sizes), count: rows.count)
  }

  /// A k-d tree over all locations.
  func pointTree() throws(BankIndexError) -> PointTree { PointTree(try bytes(.pointTree, [4 * rows.count])) }

  /// A section that has one of `sizes` bytes.
  private func bytes(_ section: BankSection, _ sizes: [Int]) throws(BankIndexError) -> UnsafeRawBufferPointer {
    let bytes = Self.bytes(section, sections)
    guard sizes.contains(bytes.count) else {
      let expected = sizes.map(String.init).joined(separator: " or ")
      throw BankIndexError("section \(section.rawValue): expected \(expected) bytes, found \(bytes.count)")
    }
    return bytes
  }

  private static func table(
    _ section: BankSection, _ sections: [BankSection: UnsafeRawBufferPointer]
  ) throws(BankIndexError) -> ByteTable {
    let bytes = bytes(section, sections)
    guard let table = ByteTable(bytes), table.count <= BankRule.maximumLocations else {
      throw BankIndexError("section \(section.rawValue): expected a table, found \(bytes.count) bytes that are none")
    }
    return table
  }

  private static func bytes(
    _ section: BankSection, _ sections: [BankSection: UnsafeRawBufferPointer]
  ) -> UnsafeRawBufferPointer {
    sections[section] ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
