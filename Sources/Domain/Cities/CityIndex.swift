import Base
public import Geodesy

/// Answers questions about cities from the sections of an index, without copying them.
///
/// It borrows the sections' memory; its owner keeps that mapped. A *rank* is a city's position in key order, where a key
/// is the folded name, byte 01 and the folded country, and equal keys follow the id; a city whose source names no country
/// has a key that ends with byte 01. Nothing is ever written, so threads
/// may share it.
///
/// # Why this representation
///
/// Every prefix of a title is a range of ranks (or, with commas, a few), so the answer to a keystroke is two numbers: how
/// many match is their difference, what they have in common is what the first and the last key share, and a page of rows is
/// one slice of bytes that were encoded when the index was made. A ``RadixTrie`` over the sorted keys finds the range.
///
/// On the 209,557 cities of the specification, 50,000 seeded prefixes of names, all in one run on a busy two-core machine
/// (`Tests/Domain/CitiesTests/Measurements.swift` has the command; an idle machine is quicker throughout):
///
/// | representation | a look-up | memory | what it lacks |
/// |---|---|---|---|
/// | this one, with range, count, common prefix | 0.22 µs | 4.1 MB, mapped, shared, ready at once | |
/// | list from JSON, scanned | 2,200 µs | 7 MB | 10,000 times slower, and worse with every city |
/// | sorted `[String]`, bisected | 1.7 µs | 7 MB | 17 comparisons far apart; made anew at every start |
/// | tree of nodes, a node a byte | 1.1 µs | 132 MB | a cache miss a byte; made anew at every start |
/// | hash of all prefixes | 0.48 µs | 61 MB | knows the count alone, no order and so no page |
///
/// The 4.1 MB are the keys (2.6), their offsets (0.8) and the trie (0.7); the trie alone answers in 0.13 to 0.16 µs. The
/// other questions share those keys: base letters take a second trie and an order, a country only a list of its ranks.
/// Everything together is 61 bytes a city beside its row, and opening reads none of it.
public struct CityIndex: @unchecked Sendable {
  /// Cities in all.
  public let count: Int

  let rows: UnsafeRawBufferPointer
  let rowOffsets: Column
  let plain: PlainKeys
  let base: BaseKeys
  let plainTrie: RadixTrie
  let baseTrie: RadixTrie
  let countries: CountryTable
  let ids: Column
  let idsHigh: Column
  let idOrder: Column
  let coordinates: CoordinateTable
  let pointTree: PointTree
  let populations: Column
  private let longest: (plain: Int, base: Int)

  /// Checks the sections' shapes; hostile contents give wrong answers at worst, never a trap.
  ///
  /// A section that is `nil` is as good as an empty one. Nothing is read but the last bytes of two sections: opening costs
  /// the same for any number of cities.
  public init(sections: (CitySection) -> UnsafeRawBufferPointer?) throws(CityIndexError) {
    let shapes = try Shapes(sections)
    count = shapes.count
    rows = shapes[.rows]
    rowOffsets = Column(shapes[.rowOffsets])
    guard let arena = Arena(shapes[.keys]) else {
      throw CityIndexError("section KEYS: expected a zero byte at its end, found \(shapes[.keys].count) bytes without")
    }
    plain = PlainKeys(arena: arena, offsets: Column(shapes[.keyOffsets]))
    base = BaseKeys(
      plain: plain, order: Column(shapes[.foldedOrder]), bits: shapes[.baseKeyBits],
      offsets: Column(shapes[.baseKeyOffsets]))
    plainTrie = RadixTrie(shapes[.plainTrie])
    baseTrie = RadixTrie(shapes[.foldedTrie])
    countries = CountryTable(
      entries: Column(shapes[.countries]), arena: arena, ranks: Column(shapes[.countryRanks]),
      positions: Column(shapes[.countryPositions]))
    ids = Column(shapes[.ids])
    idsHigh = Column(shapes[.idsHigh])
    idOrder = Column(shapes[.idOrder])
    coordinates = CoordinateTable(shapes[.coordinates], count: count)
    pointTree = PointTree(shapes[.pointTree])
    populations = Column(shapes[.populations])
    let lengths = Column(shapes[.keyLengths])
    longest = (min(lengths[0], CityRule.maximumKeyBytes), min(lengths[1], CityRule.maximumKeyBytes))
  }

  /// Bytes of the longest key in `mode`: no longer query matches anything.
  func longestKey(_ mode: CityMatchMode) -> Int { mode == .plain ? longest.plain : longest.base }

  /// Bytes of the longest folded title, which no longer text begins or is; a country's code is shorter.
  ///
  /// A title has one byte more than its key: ", " in the place of 01.
  public func longestTitle(_ mode: CityMatchMode) -> Int { longestKey(mode) + 1 }

  /// The bytes of the row of the city at `rank`; empty if out of range.
  public func row(at rank: Int) -> UnsafeRawBufferPointer {
    (0..<count).contains(rank) ? rows(in: rank..<(rank + 1)) : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The bytes of the rows at `ranks`, back to back.
  func rows(in ranks: Range<Int>) -> UnsafeRawBufferPointer {
    let start = rowOffsets[ranks.lowerBound]
    let end = rowOffsets[ranks.upperBound]
    guard start <= end, end <= rows.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: rows[start..<end])
  }

  /// The rank of the city with `id`, of several the first.
  ///
  /// - Complexity: O(log n).
  public func rank(id: UInt64) -> Int? {
    let positions = positions(id: id)
    return positions.isEmpty ? nil : rank(inOrderOfIDs: positions.lowerBound)
  }

  /// Where the cities with `id` stand in the order of ids: one as a rule, several if a source gives an id twice.
  ///
  /// - Complexity: O(log n).
  public func positions(id: UInt64) -> Range<Int> {
    guard id > 0 else { return 0..<0 }
    let start = partitionPoint(0..<count) { self.id(at: idOrder[$0]) < id }
    guard start < count, self.id(at: idOrder[start]) == id else { return start..<start }
    // Nearly always there is one, which the next entry shows.
    guard start + 1 < count, self.id(at: idOrder[start + 1]) == id else { return start..<(start + 1) }
    return start..<partitionPoint((start + 1)..<count) { self.id(at: idOrder[$0]) <= id }
  }

  /// The rank of the city at a position of the order of ids, in which equal ids follow the rank.
  public func rank(inOrderOfIDs position: Int) -> Int { idOrder[position] }

  /// The id of the city at `rank`; 0 if out of range.
  public func id(at rank: Int) -> UInt64 { UInt64(idsHigh[rank]) << 32 | UInt64(ids[rank]) }

  /// Where the city at `rank` is; (0°, 0°) if out of range.
  public func point(at rank: Int) -> GeoPoint { coordinates.point(of: rank) }

  /// The inhabitants of the city at `rank`, where known.
  public func population(at rank: Int) -> UInt64? {
    let stored = populations[rank]
    return stored == 0 ? nil : UInt64(stored - 1)
  }
}

/// Why sections are no index.
public struct CityIndexError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, with what was expected and found.
  public var message: String
  /// Makes an error.
  public init(_ message: String) { self.message = message }
  /// The message.
  public var description: String { message }
}
