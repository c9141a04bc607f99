import Text

/// The keys of cities in the order in which the cities are given, each with its zero byte.
struct FoldedKeys {
  private var arena: [UInt8] = []
  private var spans: [(plain: Range<Int>, base: Range<Int>)] = []

  /// Folds the names and countries of `cities`.
  init(_ cities: [City]) {
    let folder = Folder()
    arena.reserveCapacity(cities.count * 20)
    spans.reserveCapacity(cities.count)
    for city in cities {
      let plain = append(city, .plain, folder)
      var base = append(city, .baseLetters, folder)
      if arena[plain] == arena[base] {
        arena.removeLast(base.count)
        base = plain
      }
      spans.append((plain, base))
    }
  }

  private mutating func append(_ city: City, _ mode: FoldMode, _ folder: Folder) -> Range<Int> {
    let start = arena.count
    arena += folder.folded(city.name, mode)
    arena.append(keySeparator)
    arena += folder.folded(city.country, mode)
    arena.append(0)
    return start..<arena.count
  }

  /// The plain key of the city at `index`.
  func plain(_ index: Int) -> ArraySlice<UInt8> { arena[spans[index].plain] }

  /// The base key of the city at `index`.
  func base(_ index: Int) -> ArraySlice<UInt8> { arena[spans[index].base] }

  /// The indices of all cities by plain key, equal keys by `isBelow`.
  func sortedByPlain(_ isBelow: (Int, Int) -> Bool) -> [UInt32] {
    sort(spans.map(\.plain), isBelow)
  }

  /// For cities in key order, their ranks by base key, equal keys by rank.
  func sortedByBase(ranks order: [UInt32]) -> [UInt32] {
    sort(order.map { spans[Int($0)].base }, <)
  }

  /// The order of keys; the first eight bytes, compared as one number, decide for most.
  private func sort(_ keys: [Range<Int>], _ isBelow: (Int, Int) -> Bool) -> [UInt32] {
    arena.withUnsafeBufferPointer { arena in
      let heads = keys.map { key in
        (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64($1 < key.count ? arena[key.lowerBound + $1] : 0) }
      }
      return (0..<UInt32(keys.count)).sorted {
        let (left, right) = (Int($0), Int($1))
        if heads[left] != heads[right] { return heads[left] < heads[right] }
        return keyIsBelow(keys[left], keys[right], arena) ?? isBelow(left, right)
      }
    }
  }
}

/// Whether one key is below another; `nil` if they are equal.
///
/// No key is a prefix of another: all end with a zero byte.
private func keyIsBelow(_ left: Range<Int>, _ right: Range<Int>, _ arena: UnsafeBufferPointer<UInt8>) -> Bool? {
  for (one, other) in zip(left, right) where arena[one] != arena[other] { return arena[one] < arena[other] }
  return nil
}
