import Base

/// Where a name of a city comes from.
struct NameKind: RawRepresentable, Equatable, Sendable {
  /// The name in the title.
  static let title = Self(rawValue: 0)
  /// Another name, or the name in another language.
  static let alternate = Self(rawValue: 1)
  /// Letters that stand for the city, such as an airport's code: two to four capitals from A to Z.
  static let code = Self(rawValue: 2)
  /// More languages than these are not counted: a kind has four bits in the index.
  static let maximumLanguages = 13

  /// Above that of a code, the kind of a name in use: the number of its languages more.
  let rawValue: Int

  /// Languages that use another name than the title's for the city; 0 for a name that is not in use.
  var languages: Int { max(rawValue - Self.code.rawValue, 0) }

  /// Whether it is another name than the title's and in use.
  var isInUse: Bool { rawValue > Self.code.rawValue }

  init(rawValue: Int) { self.rawValue = rawValue }

  /// The kind of another name.
  init(ofAlternate letters: UnsafeRawBufferPointer, languages: Int) {
    guard languages == 0 else {
      self.init(rawValue: Self.code.rawValue + languages)
      return
    }
    self = (2...4).contains(letters.count) && letters.allSatisfy { (0x41...0x5A).contains($0) } ? .code : .alternate
  }
}

/// Whether a query, as it is typed, may mean a city by its code; codes count only as whole names.
public enum CodeUse: Sendable {
  /// It has small letters from a to z.
  case none
  /// It has none.
  case any
  /// It is three capitals from A to Z, as the codes of airports are: a city with this code comes first.
  case first

  /// The use of codes in a query in UTF-8.
  public init(_ typed: some Collection<UInt8>) {
    let isCode = typed.count == 3 && typed.allSatisfy { (0x41...0x5A).contains($0) }
    self = isCode ? .first : typed.contains { (0x61...0x7A).contains($0) } ? .none : .any
  }
}

/// How well a name answers a query, in hundredths of a power of ten of inhabitants.
///
/// A place with ten times the inhabitants is one better. Being the whole name counts as much as ten times the
/// inhabitants, being another name than the title's as little as a tenth, and the start of such a name as little as a
/// hundredth: there are many short ones. So a village whose title is 北京 is not listed above Beijing, and `NY` comes
/// before the towns whose names start with it. The numbers were tuned on lists of names in 25 languages
/// (`Tests/EndToEnd/find_quality.py`).
enum NameScore {
  /// One power of ten.
  static let unit = 100
  /// The query is the name and not its start alone.
  static let whole = unit
  /// The whole name is not the title's.
  static let alternate = unit
  /// Each language in which the whole name is in use; it counts like the title's then.
  static let language = 4
  /// The name that the query is the start of, or a misspelling of, is not the title's.
  static let alternateStart = 2 * unit
  /// Other words of the query name the region or the country.
  static let qualified = unit / 2
  /// A typing error.
  static let edit = unit
  /// A typing error in the start of a name.
  static let editOfStart = 3 * unit / 2
  /// What a city of 30,000 inhabitants gets, at least, so that it comes before larger cities with longer names.
  private static let short = 3 * unit
  /// Inhabitants of a city that a short name means.
  private static let inhabitantsOfShort = 30_000
  /// The least score of a whole name of a city of 100,000 inhabitants.
  static let ofLargeCity = bias + 5 * unit
  /// A code that the query is typed like: more than any city can have by its inhabitants and its name.
  private static let code = 20 * unit
  /// Metres from which on a city counts as distant.
  private static let nearby: UInt64 = 10_000

  /// What a distance from the place that is preferred costs: one power of ten of inhabitants for ten times the
  /// distance.
  @inline(__always)
  static func distance(_ metres: UInt32) -> Int { logarithm(nearby + UInt64(metres)) - logarithm(nearby) }

  /// Added to what is stored, so that no score is below zero.
  static let bias = alternateStart

  /// The stored score of a name: that of its start; `logarithm` is that of the city's inhabitants.
  static func stored(logarithm: Int, _ kind: NameKind) -> UInt16 {
    UInt16(clamping: bias + logarithm - (kind == .title ? 0 : alternateStart))
  }

  /// What a whole name scores more than its start.
  @inline(__always)
  static func bonusOfWhole(_ kind: NameKind) -> Int {
    if kind == .title { return whole }
    return whole + alternateStart - (kind.isInUse ? -language * kind.languages : alternate)
  }

  /// The bonus of a whole title or name in use of up to four letters; `population` as it is stored.
  @inline(__always)
  static func bonusOfShort(_ kind: NameKind, _ population: Int) -> Int {
    (kind == .title || kind.isInUse) && population > inhabitantsOfShort ? short : 0
  }

  /// The bonus of a whole name if it is a code and the query is typed like one.
  @inline(__always)
  static func bonusOfCode(_ kind: NameKind, _ use: CodeUse) -> Int { kind == .code && use == .first ? code : 0 }

  /// The decimal logarithm of `number` in hundredths, rounded down; 0 for 0.
  ///
  /// By squaring, in whole numbers: the same list gives the same bytes on every processor, which the C library's
  /// logarithm does not promise.
  static func logarithm(_ number: UInt64) -> Int {
    guard number > 1 else { return 0 }
    // The number divided by a power of two, from 1 to 2, with 63 binary places.
    var mantissa = number << UInt64(number.leadingZeroBitCount)
    var binary = UInt64(UInt64.bitWidth - 1 - number.leadingZeroBitCount)
    for _ in 0..<fractionBits {
      let square = mantissa.multipliedFullWidth(by: mantissa).high
      // The square, from 1 to 4, has 62 places here.
      let isTwoOrMore = square >> 63 == 1
      binary = binary << 1 | (isTwoOrMore ? 1 : 0)
      mantissa = isTwoOrMore ? square : square << 1
    }
    let product = (binary * UInt64(unit) + error).multipliedFullWidth(by: binaryToDecimal)
    return Int(product.high >> UInt64(fractionBits + decimalBits - UInt64.bitWidth))
  }

  /// Binary places of a logarithm.
  private static let fractionBits = 40
  /// Added before rounding down, 10⁻¹⁰: the binary logarithm of 1,000 is cut, and 1,000 must not become 2.99.
  private static let error: UInt64 = 365
  /// log10(2) with ``decimalBits`` binary places.
  private static let binaryToDecimal: UInt64 = 0x04D1_04D4_27DE_7FBC
  private static let decimalBits = 60
}

/// The names of all cities in the order of their search keys.
///
/// It is a class because its views are hundreds of bytes of addresses and sizes, too many to copy for each look at a
/// name.
final class NameTable {
  /// Bits of an entry of ``CitySection/nameCities`` that hold the rank.
  static let rankBits = 28
  /// Texts in a leaf of a trie: half the nodes of smaller leaves, 3.5 MB in all, for one comparison more.
  static let bucket = 32
  /// The offset of a spelling that is the key itself, as it is in scripts without case and accents.
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

  /// A view of what ``NameTableBuilder`` wrote; `nil` if there is none.
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

  /// The names of the cities of the country with that number.
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

  /// The rank of the city that an entry names, which may be out of range in a damaged file, and the kind of name.
  @inline(__always)
  func city(of entry: Int) -> (rank: Int, kind: NameKind) {
    let stored = cities[entry]
    return (stored & (1 << Self.rankBits - 1), NameKind(rawValue: stored >> Self.rankBits))
  }

  /// Those of some entries that have the key of the first one; there is one.
  ///
  /// Equal keys are in the file once.
  ///
  /// - Complexity: O(log n), O(1) where the next entry has another key.
  @inline(__always)
  func entriesOfKey(at entries: Range<Int>) -> Range<Int> {
    let (start, next) = (entries.lowerBound, entries.lowerBound &+ 1)
    let offset = keys.offsets[start]
    guard next < entries.upperBound, keys.offsets[next] == offset else { return start..<next }
    return start..<partitionPoint(next..<entries.upperBound) { keys.offsets[$0] == offset }
  }

  /// The score of an entry as the start of a name, ``NameScore/bias`` included.
  @inline(__always)
  func score(of entry: Int) -> Int {
    guard UInt(bitPattern: entry) < UInt(bitPattern: scores.count / 2) else { return 0 }
    return Int(scores.load(littleEndian: UInt16.self, at: entry &* 2))
  }

  /// Has the spelling of an entry loaded.
  @inline(__always)
  func prefetchText(of entry: Int) {
    let offset = textOffsets[entry]
    if offset != Self.sameAsKey { texts.prefetch(offset) }
  }

  /// The spelling of an entry; empty for a title's.
  func text(of entry: Int) -> UnsafeRawBufferPointer {
    let offset = textOffsets[entry]
    let text = offset == Self.sameAsKey ? keys.key(at: entry) : texts[offset]
    return text.bytes(min(text.count, CityRule.maximumAlternateBytes))
  }
}

/// Some of the names, in the order of their search keys.
struct ListedKeys: KeyTable {
  let keys: PlainKeys
  let entries: Column
  /// Where the entries of these names are in `entries`.
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

/// For each large node of a trie the best of its names, one per city: the answer to a short prefix, made in advance.
///
/// Below ``smallest`` names a node has no list; its names are scanned. So a prefix costs the same however many names
/// begin with it.
struct BestNames {
  /// Names of the smallest node that has a list.
  static let smallest = 128
  /// Names on a list; no question asks for more rows.
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

  /// The entry at a place of a list.
  subscript(index: Int) -> Int { entries[index] }
}
