import Text

/// Builds the sections of the names of cities, which are given in key order.
///
/// The same cities give the same bytes. Names that are dropped do not affect the result.
struct NameTableBuilder {
  /// A name to sort.
  private struct Entry {
    /// The first eight bytes of the key as a number, which decides most comparisons.
    var head: UInt64
    /// The start of the key in `keys`.
    var key: UInt32
    var city: UInt32
    /// ``NameTable/sameAsKey``, 0 for a title, or where the spelling is: in `cities`, later in its section.
    var text: UInt32
    var score: UInt16
    var kind: NameKind

    /// Orders entries with the same key: by score as a whole name, then by the city's place by population.
    func isBetter(than other: Self, _ places: [UInt32]) -> Bool {
      let (mine, others) = (
        Int(score) + NameScore.bonusOfWhole(kind), Int(other.score) + NameScore.bonusOfWhole(other.kind)
      )
      return mine != others ? mine > others : places[Int(city)] < places[Int(other.city)]
    }
  }

  private let folder = CaseFolder()
  private let sortedAtOnce: Int
  /// The keys of all entries, each with its zero byte.
  private var keys: [UInt8] = []
  private var entries: [Entry] = []
  private var cities: CityStore
  private var spellings: [Spelling] = []
  private var scratch: [UInt8] = []

  /// Reads the names of `cities`, which are in key order.
  ///
  /// - Throws: ``CityIndexError`` if their bytes exceed 32-bit offsets.
  /// - Complexity: O(n) in the bytes of names.
  init(_ cities: CityStore, sortedAtOnce: Int) throws(CityIndexError) {
    (self.cities, self.sortedAtOnce) = (cities, sortedAtOnce)
    // Reserves addresses, not memory, until written: growing an array holds its content twice for a while.
    keys.reserveCapacity(cities.count * 64)
    entries.reserveCapacity(cities.count * 5)
    try cities.withTexts { (all) throws(CityIndexError) in
      for rank in 0..<cities.count { try add(all, rank, cities.population(rank)) }
    }
  }

  /// A spelling of the current city's names.
  private struct Spelling {
    /// The range of its key in `scratch`.
    var key: Range<Int>
    /// Its index among the alternate names; −1 for the title.
    var index: Int
    var kind: NameKind
    /// Its bytes, and the number of non-ASCII bytes among them.
    var text: UnsafeRawBufferPointer
    var foreign: Int

    /// Decides between spellings with the same key: first the title, then the name used in most languages, then a code,
    /// then the spelling with the most non-ASCII bytes, then the shortest, then the first.
    func isBetter(than other: Self) -> Bool {
      if kind != other.kind { return kind == .title || other.kind != .title && kind.rawValue > other.kind.rawValue }
      if foreign != other.foreign { return foreign > other.foreign }
      return (text.count, index) < (other.text.count, other.index)
    }
  }

  private mutating func add(
    _ cities: CityStore.Texts, _ rank: Int, _ population: UInt64?
  ) throws(CityIndexError) {
    scratch.removeAll(keepingCapacity: true)
    spellings.removeAll(keepingCapacity: true)
    read(cities.name(rank), -1, .title)
    cities.forEachAlternate(rank) { name, index, languages in
      read(name, index, NameKind(ofAlternate: name, languages: languages))
    }
    keepBestSpellings()
    let logarithm = NameScore.logarithm(population ?? 0)
    for spelling in spellings {
      let text = spelling.kind == .title ? 0 : try place(of: spelling, in: cities)
      let start = try offset(keys.count, in: .nameKeys)
      keys += scratch[spelling.key]
      let head = scratch.withUnsafeBytes { keyHead($0, spelling.key.lowerBound) }
      let score = NameScore.stored(logarithm: logarithm, spelling.kind)
      entries.append(
        Entry(head: head, key: start, city: UInt32(rank), text: text, score: score, kind: spelling.kind))
    }
  }

  private func place(of spelling: Spelling, in cities: CityStore.Texts) throws(CityIndexError) -> UInt32 {
    if scratch[spelling.key].dropLast().elementsEqual(spelling.text) { return UInt32(NameTable.sameAsKey) }
    return try offset(cities.offset(of: spelling.text), in: .nameTexts)
  }

  /// Folds a name; names without letters and digits are skipped.
  private mutating func read(_ name: UnsafeRawBufferPointer, _ index: Int, _ kind: NameKind) {
    let start = scratch.count
    if let folded = folder.fold(name, .words) { scratch.append(contentsOf: folded) }
    guard scratch.count > start else { return }
    scratch.append(0)
    let foreign = name.count { $0 >= 0x80 }
    spellings.append(
      Spelling(key: start..<scratch.count, index: index, kind: kind, text: name, foreign: foreign))
  }

  /// Keeps one spelling per key, in the order of the keys.
  private mutating func keepBestSpellings() {
    guard spellings.count > 1 else { return }
    var kept = 1
    scratch.withUnsafeBytes { keys in
      spellings.sort { one, other in
        let order = compareKeys(keys, one.key.lowerBound, other.key.lowerBound)
        return order == 0 ? one.isBetter(than: other) : order < 0
      }
      for index in 1..<spellings.count {
        let (last, next) = (spellings[kept - 1].key, spellings[index].key)
        if compareKeys(keys, last.lowerBound, next.lowerBound) == 0 { continue }
        spellings[kept] = spellings[index]
        kept += 1
      }
    }
    spellings.removeSubrange(kept...)
  }

  private mutating func sort(_ places: [UInt32]) {
    keys.withUnsafeBytes { keys in
      let limit = sortedAtOnce
      entries.withUnsafeMutableBufferPointer { entries in
        Self.forEachPart(of: entries, atMost: limit) { part in
          var part = part
          part.sort { one, other in
            if one.head != other.head { return one.head < other.head }
            let order = compareKeys(keys, Int(one.key), Int(other.key), head: one.head)
            return order == 0 ? one.isBetter(than: other, places) : order < 0
          }
        }
      }
    }
  }

  /// Divides `entries` by their heads, from `bit` down, into parts of at most `limit`, and passes them on in order.
  private static func forEachPart(
    of entries: UnsafeMutableBufferPointer<Entry>, atMost limit: Int, bit: Int = UInt64.bitWidth - 1,
    _ body: (UnsafeMutableBufferPointer<Entry>) -> Void
  ) {
    guard entries.count > limit, bit >= 0 else { return body(entries) }
    var entries = entries
    let half = entries.partition { $0.head >> UInt64(bit) & 1 == 1 }
    for part in [entries[..<half], entries[half...]] {
      forEachPart(of: UnsafeMutableBufferPointer(rebasing: part), atMost: limit, bit: bit - 1, body)
    }
  }
}

extension NameTableBuilder {
  /// The places and countries of the cities.
  struct Order {
    /// By rank, the city's place by population; places are unique.
    let places: [UInt32]
    /// By rank, the number of the city's country.
    let countries: [UInt32]
    let countryCount: Int
  }

  /// Sorts the names and passes their sections to `take`.
  ///
  /// - Throws: ``CityIndexError`` if a section would exceed its 32-bit offsets, and the errors of `take`.
  /// - Complexity: O(n log n) for n names.
  mutating func build(_ order: Order, into take: (CitySection, [UInt8]) throws -> Void) throws {
    sort(order.places)
    try orderTexts(take)
    let (arena, offsets) = try orderedKeys()
    try takeColumns(take)
    let items = entries.enumerated().map { position, entry in
      // Codes do not match by their start.
      BestNamesBuilder.Item(
        score: entry.score, place: order.places[Int(entry.city)], rank: entry.city,
        position: entry.kind == .code ? .max : UInt32(position))
    }
    let lists = countryLists(order)
    entries = []
    let listed = [UInt8](column: lists.entries)
    let tables = withViews(of: [arena, offsets, listed]) { views in
      guard let arena = Arena(views[0]) else { return [CitySection: [UInt8]]() }
      let keys = PlainKeys(arena: arena, offsets: Column(views[1]))
      let tables = Self.trie(keys, items, cities: order.places.count)
      return tables.merging(
        Self.tries(keys, Column(views[2]), lists.starts, items, cities: order.places.count)
      ) { $1 }
    }
    for (section, bytes) in tables { try take(section, bytes) }
    try take(.nameKeys, arena)
    try take(.nameKeyOffsets, offsets)
    try take(.countryNames, listed)
  }

  /// The keys, each once, and the start of each entry's key; frees the original keys.
  private mutating func orderedKeys() throws -> (arena: [UInt8], offsets: [UInt8]) {
    var arena: [UInt8] = [0]
    var offsets: [UInt32] = []
    arena.reserveCapacity(keys.count)
    offsets.reserveCapacity(entries.count)
    var previous: Entry?
    try keys.withUnsafeBytes { keys in
      for entry in entries {
        if let previous, let last = offsets.last, previous.head == entry.head,
          compareKeys(keys, Int(previous.key), Int(entry.key), head: entry.head) == 0
        {
          offsets.append(last)
        } else {
          offsets.append(try offset(arena.count, in: .nameKeys))
          let start = Int(entry.key)
          let end = keys[start...].firstIndex(of: 0) ?? start
          arena.append(contentsOf: UnsafeRawBufferPointer(rebasing: keys[start...end]))
        }
        previous = entry
      }
    }
    keys = []
    return (arena, [UInt8](column: offsets))
  }

  /// Passes on the spellings in the order of entries: neighbours are similar and offsets ascend, so the file compresses
  /// better.
  private mutating func orderTexts(_ take: (CitySection, [UInt8]) throws -> Void) throws {
    var (piece, start): ([UInt8], Int) = ([0], 0)
    try cities.withTexts { texts in
      for index in entries.indices where entries[index].text != 0 && entries[index].text != UInt32(NameTable.sameAsKey)
      {
        let text = texts.text(at: Int(entries[index].text))
        entries[index].text = UInt32(start + piece.count)
        piece.append(contentsOf: text)
        piece.append(0)
        guard piece.count >= CityIndexBuilder.pieceBytes else { continue }
        try take(.nameTexts, piece)
        start += piece.count
        piece.removeAll(keepingCapacity: true)
      }
    }
    try take(.nameTexts, piece)
    cities = CityStore()
  }

  /// Passes the remaining columns of the entries to `take`.
  private func takeColumns(_ take: (CitySection, [UInt8]) throws -> Void) throws {
    var scores: [UInt8] = []
    scores.reserveCapacity(2 * entries.count)
    for entry in entries { scores.append(littleEndian: entry.score) }
    try take(.nameScores, scores)
    let cities = entries.map { $0.city | UInt32($0.kind.rawValue) << UInt32(NameTable.rankBits) }
    try take(.nameCities, [UInt8](column: cities))
    try take(.nameTextOffsets, [UInt8](column: entries.map(\.text)))
  }

  /// The entries grouped by country, and the start of each country's group.
  private func countryLists(_ order: Order) -> (entries: [UInt32], starts: [Int]) {
    var starts = [Int](repeating: 0, count: order.countryCount + 1)
    for entry in entries { starts[Int(order.countries[Int(entry.city)]) + 1] += 1 }
    for country in 1..<max(starts.count, 1) { starts[country] += starts[country - 1] }
    var next = starts
    var listed = [UInt32](repeating: 0, count: entries.count)
    for (position, entry) in entries.enumerated() {
      let country = Int(order.countries[Int(entry.city)])
      listed[next[country]] = UInt32(position)
      next[country] += 1
    }
    return (listed, starts)
  }

  private static func trie(
    _ keys: PlainKeys, _ items: [BestNamesBuilder.Item], cities: Int
  ) -> [CitySection: [UInt8]] {
    let trie = RadixTrieBuilder.build(keys, bucket: NameTable.bucket)
    var best = BestNamesBuilder(cities: cities)
    let bounds = trie.withUnsafeBytes { bytes in
      best.add(RadixTrie(bytes), count: keys.count) { items[$0].listed }
      return NameBounds.encode(RadixTrie(bytes), keys) { items[$0].listed?.score }
    }
    return [
      .nameTrie: trie, .nameBounds: bounds, .nameBestBits: RankedBits.encode(best.nodes),
      .nameBestOffsets: [UInt8](column: best.offsets), .nameBest: [UInt8](column: best.entries),
    ]
  }

  private static func tries(
    _ keys: PlainKeys, _ entries: Column, _ starts: [Int], _ items: [BestNamesBuilder.Item], cities: Int
  ) -> [CitySection: [UInt8]] {
    var tries: [UInt8] = []
    var offsets: [UInt32] = []
    var best = BestNamesBuilder(cities: cities)
    for country in 0..<max(starts.count - 1, 0) {
      offsets += [UInt32(starts[country]), UInt32(tries.count / RadixTrie.nodeBytes)]
      let listed = ListedKeys(keys: keys, entries: entries, list: starts[country]..<starts[country + 1])
      let trie = RadixTrieBuilder.build(listed, bucket: NameTable.bucket)
      trie.withUnsafeBytes { bytes in
        best.add(RadixTrie(bytes), count: listed.count) { position in
          items[listed.entry(at: position)].listed?.moved(to: UInt32(position))
        }
      }
      tries += trie
    }
    offsets += [UInt32(starts.last ?? 0), UInt32(tries.count / RadixTrie.nodeBytes)]
    return [
      .countryNameOffsets: [UInt8](column: offsets), .countryNameTries: tries,
      .countryNameBestBits: RankedBits.encode(best.nodes), .countryNameBestOffsets: [UInt8](column: best.offsets),
      .countryNameBest: [UInt8](column: best.entries),
    ]
  }
}
