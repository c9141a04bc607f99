import Base
import Text

/// Makes the sections of the names of cities, which are given in key order.
///
/// The same cities give the same bytes; so do the cities with no other names than those that are kept of them.
struct NameTableBuilder {
  /// A name on its way into the order of keys.
  private struct Entry {
    /// The first eight bytes of the key as a number, which decides for most pairs.
    var head: UInt64
    var key: Range<UInt32>
    var city: UInt32
    var text: UInt32
    var score: UInt16
    var kind: NameKind

    /// Its order among those with the same key: what it scores as a whole name, then the city's place by population.
    func isBetter(than other: Self, _ places: [UInt32]) -> Bool {
      let (mine, others) = (
        Int(score) + NameScore.bonusOfWhole(kind), Int(other.score) + NameScore.bonusOfWhole(other.kind)
      )
      return mine != others ? mine > others : places[Int(city)] < places[Int(other.city)]
    }
  }

  private let folder = CaseFolder()
  /// The keys of all entries, each with its zero byte.
  private var keys: [UInt8] = []
  private var entries: [Entry] = []
  private var texts: [UInt8] = [0]
  private var spellings: [Spelling] = []
  private var scratch: [UInt8] = []

  /// Takes the names of `cities`; `places` are their places by population, by rank.
  ///
  /// - Throws: ``CityIndexError`` if their bytes outgrow 32-bit offsets.
  /// - Complexity: O(n log n) for n names.
  init(_ cities: [City], places: [UInt32]) throws(CityIndexError) {
    keys.reserveCapacity(cities.count * 64)
    entries.reserveCapacity(cities.count * 5)
    for (rank, city) in cities.enumerated() { try add(city, UInt32(rank)) }
    sort(places)
  }

  /// A name of the city that is being read.
  private struct Spelling {
    /// Where its key is in `scratch`.
    var key: Range<Int>
    /// Its index among the alternates; −1 for the title's.
    var index: Int
    var kind: NameKind
    /// Bytes that are not ASCII, and all bytes.
    var foreign, bytes: Int

    /// Whether it is kept rather than another spelling with the same key: the title's, else a code, else the one that keeps
    /// the most accents, else the shortest, else the first.
    func isBetter(than other: Self) -> Bool {
      if kind != other.kind { return kind == .title || kind == .code && other.kind != .title }
      if foreign != other.foreign { return foreign > other.foreign }
      return (bytes, index) < (other.bytes, other.index)
    }
  }

  private mutating func add(_ city: City, _ rank: UInt32) throws(CityIndexError) {
    scratch.removeAll(keepingCapacity: true)
    spellings.removeAll(keepingCapacity: true)
    read(city.name, -1, .title)
    for (index, name) in city.alternates.enumerated() { read(name, index, NameKind(ofAlternate: name)) }
    keepBestSpellings()
    for spelling in spellings {
      let text = spelling.kind == .title ? 0 : try store(city.alternates[spelling.index], scratch[spelling.key])
      let start = try offset(keys.count, in: .nameKeys)
      keys += scratch[spelling.key]
      let score = NameScore.stored(population: city.population, spelling.kind)
      entries.append(
        Entry(
          head: head(scratch[spelling.key]), key: start..<(try offset(keys.count, in: .nameKeys)), city: rank,
          text: text, score: score, kind: spelling.kind))
    }
  }

  /// Stores a spelling unless it is its key, and returns where it stands.
  private mutating func store(_ name: String, _ key: ArraySlice<UInt8>) throws(CityIndexError) -> UInt32 {
    if key.dropLast().elementsEqual(name.utf8) { return UInt32(NameTable.sameAsKey) }
    let start = try offset(texts.count, in: .nameTexts)
    texts += name.utf8
    texts.append(0)
    return start
  }

  /// Folds a name; what has neither letters nor digits is left out.
  private mutating func read(_ name: String, _ index: Int, _ kind: NameKind) {
    var name = name
    let start = scratch.count
    let foreign = name.withUTF8 { bytes in
      if let folded = folder.fold(UnsafeRawBufferPointer(bytes), .words) { scratch.append(contentsOf: folded) }
      return bytes.count { $0 >= 0x80 }
    }
    guard scratch.count > start else { return }
    scratch.append(0)
    spellings.append(
      Spelling(key: start..<scratch.count, index: index, kind: kind, foreign: foreign, bytes: name.utf8.count))
  }

  /// Keeps one spelling per key, in the order of the keys.
  private mutating func keepBestSpellings() {
    guard spellings.count > 1 else { return }
    var kept: [Spelling] = []
    scratch.withUnsafeBufferPointer { keys in
      spellings.sort { isBelow(keys[$0.key], keys[$1.key]) ?? $0.isBetter(than: $1) }
      for spelling in spellings {
        if let last = kept.last, isBelow(keys[last.key], keys[spelling.key]) == nil { continue }
        kept.append(spelling)
      }
    }
    spellings = kept
  }

  private func head(_ key: ArraySlice<UInt8>) -> UInt64 {
    var (head, shift): (UInt64, UInt64) = (0, 64)
    for byte in key.prefix(8) {
      shift -= 8
      head |= UInt64(byte) << shift
    }
    return head
  }

  private mutating func sort(_ places: [UInt32]) {
    keys.withUnsafeBufferPointer { keys in
      entries.sort { one, other in
        if one.head != other.head { return one.head < other.head }
        // A head that ends with a zero byte holds the whole key.
        if one.head & 0xFF != 0, let isBelow = isBelow(keys[one.key.asInts], keys[other.key.asInts]) { return isBelow }
        return one.isBetter(than: other, places)
      }
    }
  }
}

extension NameTableBuilder {
  /// Where each city stands that names are made for.
  struct Order {
    /// By rank, the city's place by population: no two are equal.
    let places: [UInt32]
    /// By rank, the number of its country.
    let countries: [UInt32]
    /// Countries in all.
    let countryCount: Int
  }

  /// The sections of names.
  ///
  /// - Throws: ``CityIndexError`` if a section would outgrow its 32-bit offsets.
  consuming func sections(_ order: Order) throws(CityIndexError) -> [CitySection: [UInt8]] {
    var sections = try columns()
    let items = entries.enumerated().map { position, entry in
      BestNamesBuilder.Item(
        score: entry.score, place: order.places[Int(entry.city)], rank: entry.city, position: UInt32(position))
    }
    let lists = countryLists(order)
    sections[.countryNames] = [UInt8](column: lists.entries)
    entries = []
    let tables = withViews(of: [.nameKeys, .nameKeyOffsets, .countryNames].map { sections[$0] ?? [] }) { views in
      guard let arena = Arena(views[0]) else { return [CitySection: [UInt8]]() }
      let keys = PlainKeys(arena: arena, offsets: Column(views[1]))
      let tables = Self.trie(keys, items, cities: order.places.count)
      return tables.merging(
        Self.tries(keys, Column(views[2]), lists.starts, items, cities: order.places.count)
      ) { $1 }
    }
    sections.merge(tables) { $1 }
    return sections
  }

  /// The content of the file for each entry, and the keys, each once.
  private mutating func columns() throws(CityIndexError) -> [CitySection: [UInt8]] {
    var arena: [UInt8] = [0]
    var offsets: [UInt32] = []
    var scores: [UInt8] = []
    arena.reserveCapacity(keys.count)
    offsets.reserveCapacity(entries.count)
    scores.reserveCapacity(2 * entries.count)
    var previous: Range<Int>?
    for entry in entries {
      let key = entry.key.asInts
      if let previous, let last = offsets.last, keys[previous] == keys[key] {
        offsets.append(last)
      } else {
        offsets.append(try offset(arena.count, in: .nameKeys))
        arena += keys[key]
      }
      previous = key
      scores.append(littleEndian: entry.score)
    }
    keys = []
    return [
      .nameKeys: arena, .nameKeyOffsets: [UInt8](column: offsets), .nameScores: scores, .nameTexts: texts,
      .nameCities: [UInt8](column: entries.map { $0.city | UInt32($0.kind.rawValue) << UInt32(NameTable.rankBits) }),
      .nameTextOffsets: [UInt8](column: entries.map(\.text)),
    ]
  }

  /// The entries country by country, and where each country's begin.
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
    trie.withUnsafeBytes { best.add(RadixTrie($0), count: keys.count) { items[$0] } }
    return [
      .nameTrie: trie, .nameBestBits: RankedBits.encode(best.nodes),
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
          items[listed.entry(at: position)].moved(to: UInt32(position))
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

extension Range<UInt32> {
  fileprivate var asInts: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}

/// Whether one key is below another; `nil` if they are equal.
///
/// Both end with a zero byte, so neither is the start of the other.
private func isBelow(_ one: Slice<UnsafeBufferPointer<UInt8>>, _ other: Slice<UnsafeBufferPointer<UInt8>>) -> Bool? {
  for (left, right) in zip(one, other) where left != right { return left < right }
  return nil
}
