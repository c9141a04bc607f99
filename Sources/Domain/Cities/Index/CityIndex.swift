public import Base
public import Geodesy

/// Answers questions about cities from the sections of an index, without copying them.
///
/// It borrows the sections' memory; its owner keeps that mapped. A *rank* is a city's position in key order, where a
/// key is the folded name, byte 01 and the folded country, and equal keys follow the id; a city whose source names no
/// country has a key that ends with byte 01. Nothing is ever written, so threads
/// may share it.
///
/// # Why this representation
///
/// Every prefix of a title is a range of ranks (or, with commas, a few), so the answer to a keystroke is two numbers:
/// how many match is their difference, what they have in common is what the first and the last key share, and a page of
/// rows is one slice of bytes that were encoded when the index was made. A ``RadixTrie`` over the sorted keys finds the
/// range.
///
/// On the 209,557 cities of the specification, 50,000 seeded prefixes of names, all in one run on a busy two-core
/// machine (`Tests/Domain/CitiesTests/Measurements.swift` has the command; an idle machine is quicker throughout):
///
/// | representation | a look-up | memory | what it lacks |
/// |---|---|---|---|
/// | this one, with range, count, common prefix | 0.22 µs | 4.1 MB, mapped, shared, ready at once | |
/// | list from JSON, scanned | 2,200 µs | 7 MB | 10,000 times slower, and worse with every city |
/// | sorted `[String]`, bisected | 1.7 µs | 7 MB | 17 comparisons far apart; rebuilt at every start |
/// | tree of nodes, one per byte | 1.1 µs | 132 MB | one cache miss per byte; rebuilt at every start |
/// | hash of all prefixes | 0.48 µs | 61 MB | knows the count alone, no order and so no page |
///
/// The 4.1 MB are the keys (2.6), their offsets (0.8) and the trie (0.7); the trie alone answers in 0.13 to 0.16 µs.
/// The other questions share those keys: base letters take a second trie and an order, a country only a list of its
/// ranks. Everything about titles is 61 bytes a city beside its row, pages by population 22 more (``PopulationOrder``);
/// the names that people use, in all languages, take most of the file (``NameTable``). Opening reads none of it.
///
/// It is a class because its views are 500 bytes of addresses and sizes, too many to copy for each question.
///
/// It is `Sendable` because its properties are constants, which borrow from bytes that are only read.
public final class CityIndex: @unchecked Sendable {
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
  /// The ranks by population, largest first.
  let populationRanks: Column
  let populations: Column
  private let byPopulation: PopulationTables
  /// All names of cities; `nil` if there are none.
  let names: NameTable?
  /// Where cities lie.
  let localities: LocalityTable
  /// Countries and regions by their names; `nil` if there are none.
  let areas: AreaTable?
  private let longest: (plain: Int, base: Int)

  /// Checks the sections' shapes; hostile contents give wrong answers at worst, never a trap.
  ///
  /// A section that is `nil` counts as an empty one. Nothing is read but the last bytes of two sections: opening costs
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
      plain: plain, order: Column(shapes[.foldedOrder]), differs: RankedBits(shapes[.baseKeyBits]),
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
    pointTree = PointTree(shapes[.pointTree], count: count)
    populationRanks = Column(shapes[.populationRanks])
    populations = Column(shapes[.populations])
    byPopulation = PopulationTables(shapes)
    names = NameTable { shapes[$0] }
    localities = LocalityTable { shapes[$0] }
    areas = AreaTable(localities) { shapes[$0] }
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

  /// The bytes of the rows at `ranks`, back to back; empty if the file says nothing sensible about them.
  ///
  /// - Precondition: `ranks` lie within the ranks of all cities.
  public func rows(in ranks: Range<Int>) -> UnsafeRawBufferPointer {
    let start = rowOffsets[ranks.lowerBound]
    let end = rowOffsets[ranks.upperBound]
    guard start <= end, end <= rows.count, let base = rows.baseAddress else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: base + start, count: end &- start)
  }

  /// Where the cities with `id` are in the order of ids: one as a rule, several if a source gives an id twice.
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

/// Why sections are not an index.
public typealias CityIndexError = SectionError

/// The sections of an index once their sizes fit each other.
struct Shapes {
  /// Cities in all.
  let count: Int
  private let sections: SectionTable<CitySection>

  /// Takes the sections, or says which has the wrong size.
  init(_ provider: (CitySection) -> UnsafeRawBufferPointer?) throws(CityIndexError) {
    sections = SectionTable(provider)
    let offsets = sections[.rowOffsets].count
    guard offsets >= 4, offsets % 4 == 0, offsets / 4 - 1 <= CityRule.maximumCities else {
      throw CityIndexError(
        "section ROFF: expected one offset of 4 bytes per city and one more, found \(offsets) bytes")
    }
    count = offsets / 4 - 1
    try check()
  }

  /// The bytes of a section; empty if there is none.
  subscript(section: CitySection) -> UnsafeRawBufferPointer { sections[section] }

  private func check() throws(CityIndexError) {
    for section in [
      CitySection.keyOffsets, .foldedOrder, .countryRanks, .countryPositions, .ids, .idOrder,
    ] {
      try sections.expect(section, [4 * count])
    }
    try sections.expect(.pointTree, [PointTree.size(of: count)])
    try sections.expect(.idsHigh, [0, 4 * count])
    try sections.expect(.populations, [0, 4 * count])
    try sections.expect(.coordinates, [CoordinateTable.fixedBytes * count, CoordinateTable.floatBytes * count])
    try sections.expect(.baseKeyBits, [RankedBits.size(of: count)])
    try sections.expect(.keyLengths, [8])
    try checkPopulationOrders()
    try checkNames()
    try sections.expect(.baseKeyOffsets, multipleOf: 4)
    try sections.expect(.countries, multipleOf: 8)
    try sections.expect(.plainTrie, multipleOf: RadixTrie.nodeBytes)
    try sections.expect(.foldedTrie, multipleOf: RadixTrie.nodeBytes)
  }

  private func checkPopulationOrders() throws(CityIndexError) {
    for section in [CitySection.populationRanks, .populationFoldedRanks] { try sections.expect(section, [4 * count]) }
    for section in [
      CitySection.populationPlain, .populationFolded, .populationCountryPlain, .populationCountryFolded,
    ] {
      try sections.expect(section, [PopulationOrder.size(of: count)])
    }
  }

  private func checkNames() throws(CityIndexError) {
    for section in [CitySection.nameKeys, .nameTexts, .areaKeys] where self[section].last != 0 {
      throw CityIndexError(
        "section \(section.rawValue): expected a zero byte at its end, found \(self[section].count) bytes without")
    }
    try sections.expect(.nameKeyOffsets, multipleOf: 4)
    let names = self[.nameKeyOffsets].count / 4
    for section in [CitySection.nameCities, .nameTextOffsets, .countryNames] {
      try sections.expect(section, [4 * names])
    }
    try sections.expect(.nameScores, [2 * names])
    try sections.expect(.nameBounds, [self[.nameTrie].count / RadixTrie.nodeBytes * NameBounds.nodeBytes])
    try checkBest(.nameTrie, .nameBestBits, .nameBestOffsets, .nameBest)
    try sections.expect(.countryNameOffsets, [self[.countries].count + 8])
    try checkBest(.countryNameTries, .countryNameBestBits, .countryNameBestOffsets, .countryNameBest)
    try sections.expect(.cityLocalities, [4 * count])
    try sections.expect(.localities, multipleOf: 4 * Locality.fields)
    _ = try sections.table(.localityTexts)
    try sections.expect(.areaKeyOffsets, multipleOf: 4)
    try sections.expect(.areas, [self[.areaKeyOffsets].count])
    try sections.expect(.areaTrie, multipleOf: RadixTrie.nodeBytes)
  }

  /// A bit for each node of a trie, an offset for each set bit and one more, and the entries up to the last offset.
  private func checkBest(
    _ trie: CitySection, _ bits: CitySection, _ offsets: CitySection, _ lists: CitySection
  ) throws(CityIndexError) {
    try sections.expect(trie, multipleOf: RadixTrie.nodeBytes)
    let nodes = self[trie].count / RadixTrie.nodeBytes
    try sections.expect(bits, [RankedBits.size(of: nodes)])
    let large = RankedBits(self[bits]).rank(self[bits].count / RankedBits.wordBytes * RankedBits.wordBits)
    try sections.expect(offsets, [4 * (large + 1)])
    try sections.expect(lists, [4 * Column(self[offsets])[large]])
  }
}

extension CityIndex {
  /// Hands out the rows of a page of `matches` in as few slices as possible: neighbours in the file are one slice, so a
  /// page in key order is one slice a run.
  ///
  /// The number of rows is ``CityMatches/rows(offset:limit:)``.
  ///
  /// - Complexity: O(1) a slice.
  public func withRows(
    _ matches: CityMatches, offset: Int, limit: Int, _ append: (UnsafeRawBufferPointer) -> Void
  ) {
    let page = matches.page(offset: offset, limit: limit)
    // What most questions are: in key order, and their matches one run.
    if matches.order == .plain, matches.runs.count == 1, !page.isEmpty {
      let first = matches.runs[0].lowerBound &+ page.lowerBound
      return append(rows(in: first..<(first &+ page.count)))
    }
    var pending = 0..<0
    matches.forEachPart(of: page) { part in
      if matches.order == .plain { return append(rows(in: part)) }
      for position in part { deliver(rank(position, matches.order), &pending, append) }
    }
    flush(pending, append)
  }

  /// Calls `body` with the ranks of the cities that a page of `matches` has by population.
  @inline(__always)
  func forEachRankByPopulation(_ matches: CityMatches, _ page: Range<Int>, _ body: (Int) -> Void) {
    let (table, ranks) = byPopulation[matches.order]
    table.forEachPlace(in: matches.runs, offset: page.lowerBound, limit: page.count) { place in
      let rank = ranks[place]
      if rank < count { body(rank) }
    }
  }

  /// The rank of the match at `index`, from 0 to the total.
  public func rank(of matches: CityMatches, at index: Int) -> Int? {
    matches.position(at: index).map { rank($0, matches.order) }
  }

  /// Joins a row to the pending ones if it follows them in the file, else hands those out.
  private func deliver(_ rank: Int, _ pending: inout Range<Int>, _ append: (UnsafeRawBufferPointer) -> Void) {
    if rank == pending.upperBound, !pending.isEmpty {
      pending = pending.lowerBound..<(rank + 1)
    } else {
      flush(pending, append)
      pending = rank..<(rank + 1)
    }
  }

  private func flush(_ pending: Range<Int>, _ append: (UnsafeRawBufferPointer) -> Void) {
    if !pending.isEmpty { append(rows(in: pending)) }
  }
}
