/// The countries of an index, with a list of each country's cities in each order.
///
/// A country needs no trie of its own: its list ascends by position in the complete order, so the part of a range that
/// lies in the country is a range of the list, found by bisection.
struct CountryTable {
  private let entries: Column
  private let arena: Arena
  /// The ranks, grouped by country.
  let ranks: Column
  /// The folded positions, grouped by country.
  let positions: Column

  /// A view of the sections.
  init(entries: Column, arena: Arena, ranks: Column, positions: Column) {
    (self.entries, self.arena, self.ranks, self.positions) = (entries, arena, ranks, positions)
  }

  var count: Int { entries.count / 2 }

  /// The range in both lists of the cities of the country with a folded code; empty if there is no such country.
  ///
  /// - Complexity: O(log c) in the number of countries.
  func list(of code: UnsafeRawBufferPointer) -> Range<Int> { number(of: code).map(list(at:)) ?? 0..<0 }

  /// The number of the country with a folded code; `nil` if there is none.
  ///
  /// - Complexity: O(log c) in the number of countries.
  func number(of code: UnsafeRawBufferPointer) -> Int? {
    guard !code.contains(0) else { return nil }
    let index = partitionPoint(0..<count) { compare($0, code) < 0 }
    return index < count && compare(index, code) == 0 ? index : nil
  }

  /// The folded code of a country; empty if the number is invalid.
  func code(at index: Int) -> UnsafeRawBufferPointer {
    let text = arena[entries[2 * index]]
    return text.bytes(index < count ? min(text.count, CityRule.maximumKeyBytes) : 0)
  }

  /// Whether some cities have no country; the empty code sorts first, so one comparison suffices.
  var hasNameless: Bool { count > 0 && arena[entries[0]][0] == 0 }

  /// The range in both lists of a country's cities; countries are in the order of their codes.
  func list(at index: Int) -> Range<Int> {
    let start = entries[2 * index + 1]
    let end = index + 1 < count ? entries[2 * index + 3] : ranks.count
    return (start..<max(start, end)).clamped(to: 0..<ranks.count)
  }

  private func compare(_ index: Int, _ code: UnsafeRawBufferPointer) -> Int {
    let text = arena[entries[2 * index]]
    let order = text.compare(toPrefix: code)
    return order == 0 && text[code.count] != 0 ? 1 : order
  }
}
