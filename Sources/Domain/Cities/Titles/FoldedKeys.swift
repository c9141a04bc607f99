import Text

/// The keys of cities in input order, each with its zero byte.
struct FoldedKeys {
  private var arena: [UInt8] = []
  /// By city, the start and the end of its plain key; its base key follows up to the next start, if it differs.
  private var bounds: [UInt32] = []

  /// Folds the names and countries of `cities`.
  ///
  /// - Throws: ``CityIndexError`` if the keys together exceed 32-bit offsets.
  /// - Complexity: O(n) in the bytes of names.
  init(_ cities: CityStore) throws(CityIndexError) {
    let folder = CaseFolder()
    let countries = cities.surroundings.map { around in
      (plain: folder.folded(around.country, .plain), base: folder.folded(around.country, .baseLetters))
    }
    arena.reserveCapacity(cities.count * 20)
    bounds.reserveCapacity(cities.count * 2 + 1)
    try cities.withTexts { (texts) throws(CityIndexError) in
      for city in 0..<cities.count {
        try append(texts.name(city), countries[Int(cities.places[city])], folder)
      }
    }
    bounds.append(try offset(arena.count, in: .keys))
  }

  private mutating func append(
    _ name: UnsafeRawBufferPointer, _ country: (plain: [UInt8], base: [UInt8]), _ folder: CaseFolder
  ) throws(CityIndexError) {
    let start = arena.count
    bounds.append(try offset(start, in: .keys))
    append(name, .plain, country.plain, folder)
    let end = arena.count
    bounds.append(try offset(end, in: .keys))
    // ASCII has no diacritics to remove.
    if country.plain == country.base, name.allSatisfy({ $0 < 0x80 }) { return }
    append(name, .baseLetters, country.base, folder)
    if arena[start..<end] == arena[end...] { arena.removeLast(arena.count - end) }
  }

  private mutating func append(
    _ name: UnsafeRawBufferPointer, _ mode: FoldMode, _ country: [UInt8], _ folder: CaseFolder
  ) {
    if let folded = folder.fold(name, mode) { arena.append(contentsOf: folded) }
    arena.append(keySeparator)
    arena += country
    arena.append(0)
  }

  /// The plain key of the city at `index`.
  func plain(_ index: Int) -> ArraySlice<UInt8> { arena[Int(bounds[2 * index])..<Int(bounds[2 * index + 1])] }

  /// Whether the base key of the city at `index` differs from its plain key.
  func hasBase(_ index: Int) -> Bool { bounds[2 * index + 1] < bounds[2 * index + 2] }

  /// The base key of the city at `index`.
  func base(_ index: Int) -> ArraySlice<UInt8> {
    hasBase(index) ? arena[Int(bounds[2 * index + 1])..<Int(bounds[2 * index + 2])] : plain(index)
  }

  /// The indices of all cities by plain key, equal keys by `isBelow`.
  func sortedByPlain(_ isBelow: (Int, Int) -> Bool) -> [UInt32] {
    sorted((0..<bounds.count / 2).map { bounds[2 * $0] }, isBelow)
  }

  /// For cities in key order, their ranks by base key, equal keys by rank.
  func sortedByBase(ranks order: [UInt32]) -> [UInt32] {
    sorted(order.map { bounds[2 * Int($0) + (hasBase(Int($0)) ? 1 : 0)] }, <)
  }

  /// A key to sort.
  private struct Item {
    /// The first eight bytes as a number, the first one highest: it decides most comparisons.
    let head: UInt64
    let start: UInt32
    let index: UInt32
  }

  /// The order of the keys that start at `starts`.
  private func sorted(_ starts: [UInt32], _ isBelow: (Int, Int) -> Bool) -> [UInt32] {
    arena.withUnsafeBytes { arena in
      var items = starts.enumerated().map { index, start in
        Item(head: keyHead(arena, Int(start)), start: start, index: UInt32(index))
      }
      items.sort { one, other in
        if one.head != other.head { return one.head < other.head }
        let order = compareKeys(arena, Int(one.start), Int(other.start), head: one.head)
        return order == 0 ? isBelow(Int(one.index), Int(other.index)) : order < 0
      }
      return items.map(\.index)
    }
  }
}

/// The first eight bytes of the key that starts at `start`, as a number in the same order, padded with zeros.
@inline(__always)
func keyHead(_ arena: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
  var (head, shift): (UInt64, UInt64) = (0, 64)
  var index = start
  while shift > 0, arena[index] != 0 {
    shift -= 8
    head |= UInt64(arena[index]) << shift
    index += 1
  }
  return head
}

/// Compares two keys with the same `head`: negative, 0 or positive.
@inline(__always)
func compareKeys(_ arena: UnsafeRawBufferPointer, _ one: Int, _ other: Int, head: UInt64) -> Int {
  // A head that ends with a zero byte contains the whole key.
  head & 0xFF == 0 ? 0 : compareKeys(arena, one + 8, other + 8)
}

/// Compares the keys that start at two offsets: negative, 0 or positive.
///
/// No key is a prefix of another: all end with their only zero byte.
@inline(__always)
func compareKeys(_ arena: UnsafeRawBufferPointer, _ one: Int, _ other: Int) -> Int {
  var (left, right) = (one, other)
  while true {
    let (mine, theirs) = (arena[left], arena[right])
    if mine != theirs { return Int(mine) - Int(theirs) }
    if mine == 0 { return 0 }
    (left, right) = (left + 1, right + 1)
  }
}
