/// The kind of a city's name.
struct NameKind: RawRepresentable, Equatable, Sendable {
  /// The name in the title.
  static let title = Self(rawValue: 0)
  /// An alternate name that is not known to be in use.
  static let alternate = Self(rawValue: 1)
  /// A code of the city, such as an airport's: two to four capitals from A to Z.
  static let code = Self(rawValue: 2)

  /// 0 to 2 as above; for a name in use, the code's value plus its number of languages.
  let rawValue: Int

  /// The number of languages that use this alternate name; 0 if it is not in use.
  var languages: Int { max(rawValue - Self.code.rawValue, 0) }

  /// Whether it is an alternate name in use.
  var isInUse: Bool { rawValue > Self.code.rawValue }

  init(rawValue: Int) { self.rawValue = rawValue }

  /// The kind of an alternate name.
  init(ofAlternate letters: UnsafeRawBufferPointer, languages: Int) {
    guard languages == 0 else {
      self.init(rawValue: Self.code.rawValue + languages)
      return
    }
    self = (2...4).contains(letters.count) && letters.allSatisfy { (0x41...0x5A).contains($0) } ? .code : .alternate
  }
}

/// Whether a query, as typed, may be a city's code; codes match only as a whole.
public enum CodeUse: Sendable {
  /// Not a code: the query has lower-case letters from a to z, or others than from A to Z.
  case none
  /// Possibly a code: the query has neither.
  case any
  /// Three capitals from A to Z, like an airport's code: a city with this code comes first.
  case first

  /// Determines the use of codes in a query in UTF-8.
  @inlinable
  public init(_ typed: some Collection<UInt8>) {
    let isCode = typed.count == 3 && typed.allSatisfy { (0x41...0x5A).contains($0) }
    self = isCode ? .first : typed.contains { (0x61...0x7A).contains($0) || $0 >= 0x80 } ? .none : .any
  }
}

/// The score of a name for a query, in hundredths of a power of ten of inhabitants.
///
/// A place with ten times the inhabitants scores one power more. A whole name counts as much as ten times the
/// inhabitants, an alternate name as little as a tenth, and the start of an alternate name as little as a hundredth,
/// because there are many short ones. So a village with the title 北京 is not listed above Beijing, and `NY` comes before
/// the towns whose names start with it. The numbers were tuned on lists of names in 25 languages
/// (`Tests/EndToEnd/find_quality.py`).
enum NameScore {
  /// One power of ten.
  static let unit = 100
  /// Twice the inhabitants.
  static let twice = 30
  /// The bonus of a whole name over the start of a name.
  static let whole = unit
  /// The penalty of a whole alternate name that is not in use: few people know that Harare was Salisbury.
  static let alternate = 3 * unit
  /// The bonus per language in which a whole name is in use; it then has no penalty.
  static let language = 4
  /// The penalty of a whole name in use if the distance counts, which is better evidence than languages.
  static let usedNearby = unit
  /// The penalty of an alternate name that is not matched as a whole or not exactly.
  static let alternateStart = 2 * unit
  /// The bonus if other words of the query name the region or the country.
  static let qualified = unit / 2
  /// The penalty if the code of a region follows the name, and people of its country do not write such codes.
  static let unusualCode = 3 * unit
  /// The additional margin over a city with the code of its region, of one whose country has that code.
  static let writtenCode = 2 * unit
  /// The bonus of a city in the country that is called like it.
  static let ofCountry = unit
  /// The penalty if the word for the kind of place is left out.
  static let kindOfPlace = 2 * unit
  /// The advantage in score of a name with a word for the kind of place in small letters that makes it certain.
  static let writtenKind = 2 * unit
  /// The penalty per typo.
  static let edit = unit
  /// The penalty per typo in the start of a name.
  static let editOfStart = 3 * unit / 2
  /// The bonus of a short name of a city of at least 30,000, so that it precedes larger cities with longer names.
  private static let short = 3 * unit
  /// The least population of a city for the bonus of short names.
  private static let inhabitantsOfShort = 30_000
  /// The least score of a whole title of a city of 100,000 inhabitants, without its bonus.
  static let ofLargeCity = bias + 5 * unit
  /// The bonus of a code if the query is typed like one: more than any other bonus and population.
  private static let code = 20 * unit
  /// The distance in metres at which the penalty starts to grow noticeably.
  private static let nearby: UInt64 = 10_000

  /// The penalty of a distance from the preferred place: ten times the distance costs as much as a power of ten of
  /// inhabitants.
  @inline(__always)
  static func distance(_ metres: UInt32) -> Int { logarithm(nearby + UInt64(metres)) - logarithm(nearby) }

  /// Added to stored scores, so that none is negative.
  static let bias = alternateStart

  /// The stored score of a name as the start of a name; `logarithm` is that of the city's population.
  static func stored(logarithm: Int, _ kind: NameKind) -> UInt16 {
    UInt16(clamping: bias + logarithm - (kind == .title ? 0 : alternateStart))
  }

  /// The least advantage in score with which a city is certain to be meant rather than another one with that name.
  ///
  /// The penalty of names that are not in use is too high for this: it orders cities, but it is not known that nobody
  /// uses the name, in particular in other scripts. Measured on names from other sources than the list.
  static func margin(of kind: NameKind, over other: NameKind) -> Int {
    switch (kind, other) {
    case (.title, .alternate): 3 * unit / 2
    case (.title, _): unit / 2
    case (_, .title): 2 * unit
    case (.alternate, .alternate): 3 * unit / 2
    case (_, .alternate): 4 * unit
    default: unit
    }
  }

  /// The bonus of a whole name over its start.
  @inline(__always)
  static func bonusOfWhole(_ kind: NameKind, isByDistance: Bool = false) -> Int {
    if kind == .title { return whole }
    let used = isByDistance ? usedNearby : -language * kind.languages
    return whole + alternateStart - (kind.isInUse ? used : alternate)
  }

  /// The bonus of a whole title or name in use with up to four letters; `population` is in its stored form.
  @inline(__always)
  static func bonusOfShort(_ kind: NameKind, _ population: Int) -> Int {
    (kind == .title || kind.isInUse) && population > inhabitantsOfShort ? short : 0
  }

  /// The bonus of a whole name if it is a code and the query is typed like one.
  @inline(__always)
  static func bonusOfCode(_ kind: NameKind, _ use: CodeUse) -> Int { kind == .code && use == .first ? code : 0 }

  /// The decimal logarithm of `number` in hundredths, rounded down; 0 for 0.
  ///
  /// Computed by squaring, in integers: the same list gives the same bytes on every processor, which the C library's
  /// logarithm does not guarantee.
  static func logarithm(_ number: UInt64) -> Int {
    guard number > 1 else { return 0 }
    // The number divided by a power of two, at least 1 and less than 2, with 63 binary places.
    var mantissa = number << UInt64(number.leadingZeroBitCount)
    var binary = UInt64(UInt64.bitWidth - 1 - number.leadingZeroBitCount)
    for _ in 0..<fractionBits {
      let square = mantissa.multipliedFullWidth(by: mantissa).high
      // The square, from 1 to 4, has 62 binary places here.
      let isTwoOrMore = square >> 63 == 1
      binary = binary << 1 | (isTwoOrMore ? 1 : 0)
      mantissa = isTwoOrMore ? square : square << 1
    }
    let product = (binary * UInt64(unit) + error).multipliedFullWidth(by: binaryToDecimal)
    return Int(product.high >> UInt64(fractionBits + decimalBits - UInt64.bitWidth))
  }

  /// Binary places of a logarithm.
  private static let fractionBits = 40
  /// Added before rounding down, 10⁻¹⁰: the binary logarithm is truncated, and that of 1,000 must not become 2.99.
  private static let error: UInt64 = 365
  /// log10(2) with ``decimalBits`` binary places.
  private static let binaryToDecimal: UInt64 = 0x04D1_04D4_27DE_7FBC
  private static let decimalBits = 60
}

/// The names of all cities, ordered by search key.
///
/// It is a class because its views are hundreds of bytes of addresses and sizes, too many to copy for each look-up.
final class NameTable {
  /// The number of bits for the rank in an entry of ``CitySection/nameCities``.
  static let rankBits = 28
  /// The maximum number of texts in a leaf of a trie: half as many nodes as with smaller leaves, 3.5 MB less, for one
  /// more comparison.
  static let bucket = 32
  /// The offset of a spelling that equals the key, as in scripts without case and diacritics.
  static let sameAsKey = 0xFFFF_FFFF

  let keys: PlainKeys
  let cities: Column
  let scores: UnsafeRawBufferPointer
  let texts: Arena
  let textOffsets: Column
  let trie: RadixTrie
  let bounds: NameBounds
  let best: BestNames
  private let countryOffsets: Column
  private let countryEntries: Column
  private let countryTries: UnsafeRawBufferPointer
  let countryBest: BestNames

  /// A view of the sections of ``NameTableBuilder``; `nil` if they are missing.
  init?(_ section: (CitySection) -> UnsafeRawBufferPointer) {
    guard let arena = Arena(section(.nameKeys)), let texts = Arena(section(.nameTexts)) else { return nil }
    keys = PlainKeys(arena: arena, offsets: Column(section(.nameKeyOffsets)))
    self.texts = texts
    cities = Column(section(.nameCities))
    scores = section(.nameScores)
    textOffsets = Column(section(.nameTextOffsets))
    trie = RadixTrie(section(.nameTrie))
    bounds = NameBounds(section(.nameBounds))
    best = BestNames(
      nodes: section(.nameBestBits), offsets: section(.nameBestOffsets), entries: section(.nameBest))
    countryOffsets = Column(section(.countryNameOffsets))
    countryEntries = Column(section(.countryNames))
    countryTries = section(.countryNameTries)
    countryBest = BestNames(
      nodes: section(.countryNameBestBits), offsets: section(.countryNameBestOffsets),
      entries: section(.countryNameBest))
  }

  /// The names of the cities in the country with that number.
  func names(ofCountry country: Int) -> CountryNames {
    let (start, firstNode) = (countryOffsets[2 * country], countryOffsets[2 * country + 1])
    let (end, lastNode) = (countryOffsets[2 * country + 2], countryOffsets[2 * country + 3])
    let list = (start..<max(start, end)).clamped(to: 0..<countryEntries.count)
    let nodes = (firstNode..<max(firstNode, lastNode)).clamped(to: 0..<countryTries.count / RadixTrie.nodeBytes)
    let bytes = countryTries[nodes.lowerBound * RadixTrie.nodeBytes..<nodes.upperBound * RadixTrie.nodeBytes]
    return CountryNames(
      keys: ListedKeys(keys: keys, entries: countryEntries, list: list),
      trie: RadixTrie(UnsafeRawBufferPointer(rebasing: bytes)), firstNode: firstNode)
  }

  /// The rank of an entry's city, which may be out of range in a corrupt file, and the kind of the name.
  @inline(__always)
  func city(of entry: Int) -> (rank: Int, kind: NameKind) {
    let stored = cities[entry]
    return (stored & (1 << Self.rankBits - 1), NameKind(rawValue: stored >> Self.rankBits))
  }

  /// The entries at the start of `entries`, which is not empty, that have the key of the first one.
  ///
  /// Equal keys are stored once.
  ///
  /// - Complexity: O(log n), or O(1) if the next entry has another key.
  @inline(__always)
  func entriesOfKey(at entries: Range<Int>) -> Range<Int> {
    let (start, next) = (entries.lowerBound, entries.lowerBound &+ 1)
    let offset = keys.offsets[start]
    guard next < entries.upperBound, keys.offsets[next] == offset else { return start..<next }
    return start..<partitionPoint(next..<entries.upperBound) { keys.offsets[$0] == offset }
  }

  /// The score of an entry as the start of a name, including ``NameScore/bias``.
  @inline(__always)
  func score(of entry: Int) -> Int {
    guard UInt(bitPattern: entry) < UInt(bitPattern: scores.count / 2) else { return 0 }
    return Int(scores.load(littleEndian: UInt16.self, at: entry &* 2))
  }

  /// Prefetches the spelling of an entry.
  @inline(__always)
  func prefetchText(of entry: Int) {
    let offset = textOffsets[entry]
    if offset != Self.sameAsKey { texts.prefetch(offset) }
  }

  /// The spelling of an entry; empty for a title.
  func text(of entry: Int) -> UnsafeRawBufferPointer {
    let offset = textOffsets[entry]
    let text = offset == Self.sameAsKey ? keys.key(at: entry) : texts[offset]
    return text.bytes(min(text.count, CityRule.maximumAlternateBytes))
  }
}

/// A subset of the names, ordered by search key.
struct ListedKeys: KeyTable {
  let keys: PlainKeys
  let entries: Column
  /// The range in `entries` of these names.
  let list: Range<Int>

  var count: Int { list.count }

  @inline(__always)
  func key(at position: Int) -> ArenaText { keys.key(at: entry(at: position)) }

  @inline(__always)
  func entry(at position: Int) -> Int { entries[list.lowerBound &+ position] }
}

/// The names of the cities of one country.
struct CountryNames {
  let keys: ListedKeys
  let trie: RadixTrie
  /// The number of the trie's root among the nodes of all countries' tries.
  let firstNode: Int
}

/// The best names below each large node of a trie, one per city: the precomputed answer to a short prefix.
///
/// A node with up to ``smallest`` names has no list; its names are scanned. So the cost of a prefix does not depend on
/// the number of names that start with it.
struct BestNames {
  /// The largest number of names of a node without a list.
  static let smallest = 128
  /// The maximum number of names in a list; no request asks for more rows.
  static let length = 100

  private let nodes: RankedBits
  private let offsets: Column
  private let entries: Column

  init(nodes: UnsafeRawBufferPointer, offsets: UnsafeRawBufferPointer, entries: UnsafeRawBufferPointer) {
    self.nodes = RankedBits(nodes)
    self.offsets = Column(offsets)
    self.entries = Column(entries)
  }

  /// The position of the list of a node; `nil` if it has none.
  func list(of node: Int) -> Range<Int>? {
    guard let index = nodes.rank(ifSet: node) else { return nil }
    let (start, end) = (offsets[index], offsets[index + 1])
    return start <= end && end <= entries.count ? start..<min(end, start + Self.length) : nil
  }

  /// The entry at a position in the lists.
  subscript(index: Int) -> Int { entries[index] }
}
