public import Geodesy

/// Answers queries about cities directly from the sections of an index, without copying them.
///
/// It borrows the sections' memory, which its owner keeps mapped. A *rank* is a city's position in key order. A key is
/// the folded name, byte 01 and the folded country; equal keys are ordered by id. Without a country, the key ends with
/// byte 01. The memory is never written to, so threads can share the index.
///
/// # Why this representation
///
/// Every prefix of a title is a range of ranks (or, with commas, a few), so the answer to a keystroke is two numbers:
/// their difference is the number of matches, the first and the last key determine the common prefix, and a page of
/// rows is one slice of bytes that were encoded when the index was built. A ``RadixTrie`` over the sorted keys finds
/// the range.
///
/// Measured on the 209,557 cities of the specification with 50,000 seeded prefixes of names, all in one run on a busy
/// two-core machine (`Tests/Domain/CitiesTests/Measurements.swift` has the command; an idle machine is faster
/// throughout):
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
/// The other queries share those keys: base letters need a second trie and an order, a country only a list of its
/// ranks. Everything about titles takes 61 bytes per city besides its row, pages by population another 22
/// (``PopulationOrder``); the names that people use, in all languages, take most of the file (``NameTable``). Opening
/// reads none of it.
///
/// It is a class because its views are 500 bytes of addresses and sizes, too many to copy for each query.
///
/// It is `Sendable` because its properties are constants that refer to read-only bytes.
public final class CityIndex: @unchecked Sendable {
  /// The number of cities.
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
  /// All names of cities; `nil` without a table of names.
  let names: NameTable?
  /// The localities of the cities.
  let localities: LocalityTable
  /// Countries and regions by name; `nil` without a table of areas.
  let areas: AreaTable?
  private let longest: (plain: Int, base: Int)

  /// Checks the sizes of the sections; corrupt contents give wrong answers at worst, never a trap.
  ///
  /// A section that is `nil` counts as empty. Only the last bytes of two sections are read, so opening takes the same
  /// time for any number of cities.
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
    areas = AreaTable(localities, countries) { shapes[$0] }
    let lengths = Column(shapes[.keyLengths])
    longest = (min(lengths[0], CityRule.maximumKeyBytes), min(lengths[1], CityRule.maximumKeyBytes))
  }

  /// Bytes of the longest key in `mode`; a longer query matches nothing.
  func longestKey(_ mode: CityMatchMode) -> Int { mode == .plain ? longest.plain : longest.base }

  /// Bytes of the longest folded title: no longer text is a title or a prefix of one.
  ///
  /// Country codes are shorter. A title is one byte longer than its key: ", " replaces 01.
  public func longestTitle(_ mode: CityMatchMode) -> Int { longestKey(mode) + 1 }

  /// The bytes of the row of the city at `rank`; empty if out of range.
  public func row(at rank: Int) -> UnsafeRawBufferPointer {
    (0..<count).contains(rank) ? rows(in: rank..<(rank + 1)) : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The bytes of the rows at `ranks`, back to back; empty if the file's offsets are invalid.
  ///
  /// - Precondition: `ranks` lies within the ranks of all cities.
  public func rows(in ranks: Range<Int>) -> UnsafeRawBufferPointer {
    let start = rowOffsets[ranks.lowerBound]
    let end = rowOffsets[ranks.upperBound]
    guard start <= end, end <= rows.count, let base = rows.baseAddress else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: base + start, count: end &- start)
  }

  /// The positions of the cities with `id` in the order of ids: usually one, several if a source repeats an id.
  ///
  /// - Complexity: O(log n).
  public func positions(id: UInt64) -> Range<Int> {
    guard id > 0 else { return 0..<0 }
    let start = partitionPoint(0..<count) { self.id(at: idOrder[$0]) < id }
    guard start < count, self.id(at: idOrder[start]) == id else { return start..<start }
    // There is nearly always one, which the next entry shows.
    guard start + 1 < count, self.id(at: idOrder[start + 1]) == id else { return start..<(start + 1) }
    return start..<partitionPoint((start + 1)..<count) { self.id(at: idOrder[$0]) <= id }
  }

  /// The rank of the city at a position in the order of ids, where equal ids are ordered by rank.
  public func rank(inOrderOfIDs position: Int) -> Int { idOrder[position] }

  /// The id of the city at `rank`; 0 if out of range.
  public func id(at rank: Int) -> UInt64 { UInt64(idsHigh[rank]) << 32 | UInt64(ids[rank]) }

  /// The position of the city at `rank`; (0°, 0°) if out of range.
  public func point(at rank: Int) -> GeoPoint { coordinates.point(of: rank) }

  /// The population of the city at `rank`, if known.
  public func population(at rank: Int) -> UInt64? {
    let stored = populations[rank]
    return stored == 0 ? nil : UInt64(stored - 1)
  }
}

/// The reason why sections do not form an index.
public typealias CityIndexError = SectionError

/// The sections of an index, after a check that their sizes are consistent.
struct Shapes {
  let count: Int
  private let sections: SectionTable<CitySection>

  /// Checks the sections; the error names the one with the wrong size.
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

  /// Checks for one bit per node of a trie, one offset per set bit and one more, and the entries up to the last offset.
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
  /// Passes the rows of a page of `matches` to `append` in as few slices as possible: neighbours in the file form one
  /// slice, so a page in key order has one slice per run.
  ///
  /// The number of rows is ``CityMatches/rows(offset:limit:)``.
  ///
  /// - Complexity: O(1) per slice.
  public func withRows(
    _ matches: CityMatches, offset: Int, limit: Int, _ append: (UnsafeRawBufferPointer) -> Void
  ) {
    let page = matches.page(offset: offset, limit: limit)
    // The most common case: in key order, with all matches in one run.
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

  /// Calls `body` with the rank of each city on a page of `matches`, ordered by population.
  @inline(__always)
  func forEachRankByPopulation(_ matches: CityMatches, _ page: Range<Int>, _ body: (Int) -> Void) {
    let (table, ranks) = byPopulation[matches.order]
    table.forEachPlace(in: matches.runs, offset: page.lowerBound, limit: page.count) { place in
      let rank = ranks[place]
      if rank < count { body(rank) }
    }
  }

  /// The rank of the match at `index`; `nil` unless 0 ≤ `index` < the total.
  public func rank(of matches: CityMatches, at index: Int) -> Int? {
    matches.position(at: index).map { rank($0, matches.order) }
  }

  /// Joins a row to the pending ones if it follows them in the file, or else flushes those first.
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
