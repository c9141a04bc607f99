import Base
import Text

/// The keys of cities, folded and put in order: the first step of making an index.
struct OrderedKeys {
  /// By rank, the index of the city among those given.
  private(set) var order: [UInt32]
  private var arena: [UInt8] = [0]
  private var plainOffsets: [UInt32] = []
  private var differs: [Bool] = []
  private var baseOffsets: [UInt32] = []
  private var foldedOrder: [UInt32] = []
  private var longest: (plain: Int, base: Int) = (0, 0)

  /// Folds and sorts `cities`.
  ///
  /// - Throws: ``CityIndexError`` if the keys together outgrow 32-bit offsets.
  /// - Complexity: O(n log n).
  init(_ cities: [City]) throws(CityIndexError) {
    let folded = FoldedKeys(cities)
    order = folded.sortedByPlain { cities[$0].identity < cities[$1].identity }
    try lay(folded)
    foldedOrder = folded.sortedByBase(ranks: order)
  }

  /// Writes the keys in key order, each once.
  private mutating func lay(_ folded: FoldedKeys) throws(CityIndexError) {
    var previous: ArraySlice<UInt8>?
    for city in order {
      let (plain, base) = (folded.plain(Int(city)), folded.base(Int(city)))
      let isNew = plain != previous
      if isNew {
        plainOffsets.append(try append(plain))
      } else {
        plainOffsets.append(plainOffsets[plainOffsets.count - 1])
      }
      differs.append(plain != base)
      if plain != base {
        baseOffsets.append(isNew ? try append(base) : baseOffsets[baseOffsets.count - 1])
      }
      longest = (max(longest.plain, plain.count - 1), max(longest.base, base.count - 1))
      previous = plain
    }
  }

  private mutating func append(_ key: ArraySlice<UInt8>) throws(CityIndexError) -> UInt32 {
    let start = try offset(arena.count, in: .keys)
    arena += key
    return start
  }

  /// The sections that keys, their orders and their tries are.
  func sections() -> [CitySection: [UInt8]] {
    var sections: [CitySection: [UInt8]] = [
      .keys: arena,
      .keyOffsets: [UInt8](column: plainOffsets),
      .baseKeyBits: BaseKeys.encode(differs),
      .baseKeyOffsets: [UInt8](column: baseOffsets),
      .keyLengths: [UInt8](column: [UInt32(longest.plain), UInt32(longest.base)]),
      .foldedOrder: [UInt8](column: foldedOrder),
    ]
    (sections[.plainTrie], sections[.foldedTrie]) = tries(sections)
    return sections
  }

  private func tries(_ sections: [CitySection: [UInt8]]) -> ([UInt8], [UInt8]) {
    withViews(
      of: [.keys, .keyOffsets, .baseKeyBits, .baseKeyOffsets, .foldedOrder].map { sections[$0] ?? [] }
    ) { views in
      guard let arena = Arena(views[0]) else { return ([], []) }
      let plain = PlainKeys(arena: arena, offsets: Column(views[1]))
      let base = BaseKeys(plain: plain, order: Column(views[4]), bits: views[2], offsets: Column(views[3]))
      return (RadixTrieBuilder.build(plain), RadixTrieBuilder.build(base))
    }
  }

  /// The sections that list each country's cities; `cities` stand in key order.
  func countrySections(_ cities: [City]) -> [CitySection: [UInt8]] {
    var countries: [Country] = []
    var indices: [String: Int] = [:]
    var countryOfRank: [Int] = []
    for (rank, city) in cities.enumerated() {
      let index = indices[city.country] ?? register(rank, in: &countries)
      indices[city.country] = index
      countries[index].ranks.append(UInt32(rank))
      countryOfRank.append(index)
    }
    for (position, rank) in foldedOrder.enumerated() {
      countries[countryOfRank[Int(rank)]].positions.append(UInt32(position))
    }
    countries.sort { $0.code.lexicographicallyPrecedes($1.code) }
    return encoded(countries)
  }

  private struct Country {
    var code: ArraySlice<UInt8>
    var ranks: [UInt32] = []
    var positions: [UInt32] = []
  }

  /// The country of a city; two spellings that fold to the same code are one country.
  private func register(_ rank: Int, in countries: inout [Country]) -> Int {
    let key = arena[Int(plainOffsets[rank])...].prefix { $0 != 0 }
    let code = key.drop { $0 != keySeparator }.dropFirst()
    if let index = countries.firstIndex(where: { $0.code == code }) { return index }
    countries.append(Country(code: code))
    return countries.count - 1
  }

  private func encoded(_ countries: [Country]) -> [CitySection: [UInt8]] {
    var entries: [UInt32] = []
    var start: UInt32 = 0
    for country in countries {
      // The code needs no bytes of its own: it is the end of a key.
      entries += [UInt32(country.code.startIndex), start]
      start += UInt32(country.ranks.count)
    }
    return [
      .countries: [UInt8](column: entries),
      .countryRanks: [UInt8](column: countries.flatMap(\.ranks)),
      .countryPositions: [UInt8](column: countries.flatMap(\.positions)),
    ]
  }
}

/// Calls `body` with views of several byte arrays at once.
private func withViews<Result>(
  of arrays: [[UInt8]], _ views: [UnsafeRawBufferPointer] = [], _ body: ([UnsafeRawBufferPointer]) -> Result
) -> Result {
  guard views.count < arrays.count else { return body(views) }
  return arrays[views.count].withUnsafeBytes { withViews(of: arrays, views + [$0], body) }
}
