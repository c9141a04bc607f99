import Base
import Geodesy

@testable import Cities

extension CityIndex {
  /// Checks that orders are orders, and that look-ups find every city where it is.
  ///
  /// - Throws: ``CityIndexError`` with the section and the position of the first contradiction.
  /// - Complexity: O(n log n), about a quarter of a second for 235,000 cities; n bytes.
  func verify() throws(CityIndexError) {
    try verifyRows()
    try verifyPermutation(base.order, .foldedOrder)
    try verifyPermutation(idOrder, .idOrder)
    try verifyPermutation(countries.ranks, .countryRanks)
    try verifyPermutation(countries.positions, .countryPositions)
    try verifyPermutation(.pointTree) { pointTree.item(at: $0) }
    try verifyAscending(.keyOffsets) { (plain.key(at: $0), id(at: $0)) }
    try verifyAscending(.foldedOrder) { (base.key(at: $0), UInt64(base.order[$0])) }
    for position in 1..<max(count, 1) {
      let (one, other) = (idOrder[position - 1], idOrder[position])
      guard (id(at: one), one) < (id(at: other), other) else {
        throw contradiction(.idOrder, position, "ids do not ascend")
      }
    }
    try verifyTrie(plainTrie, plain, .plainTrie)
    try verifyTrie(baseTrie, base, .foldedTrie)
    try verifyCountries()
  }

  private func verifyRows() throws(CityIndexError) {
    for rank in 0..<count where rowOffsets[rank] > rowOffsets[rank + 1] {
      throw contradiction(.rowOffsets, rank, "a row ends before it begins")
    }
    guard rowOffsets[0] == 0, rowOffsets[count] == rows.count else {
      throw CityIndexError(
        "section ROFF: expected rows from 0 to \(rows.count), found them end at \(rowOffsets[count])")
    }
  }

  private func verifyPermutation(_ column: Column, _ section: CitySection) throws(CityIndexError) {
    try verifyPermutation(section) { column[$0] }
  }

  private func verifyPermutation(_ section: CitySection, _ entry: (Int) -> Int) throws(CityIndexError) {
    var seen = [Bool](repeating: false, count: count)
    for position in 0..<count {
      let item = entry(position)
      guard item < count, !seen[item] else {
        throw contradiction(section, position, "\(item) is not a city, or is there twice")
      }
      seen[item] = true
    }
  }

  private func verifyAscending(
    _ section: CitySection, _ key: (Int) -> (ArenaText, UInt64)
  ) throws(CityIndexError) {
    for position in 1..<max(count, 1) {
      let (one, other) = (key(position - 1), key(position))
      let shared = one.0.commonPrefix(with: other.0)
      // Equal keys may have equal ids: cities that a source gives one id.
      let isAbove = one.0[shared] == other.0[shared] ? one.1 <= other.1 : one.0[shared] < other.0[shared]
      guard isAbove else { throw contradiction(section, position, "keys do not ascend") }
    }
  }

  private func verifyTrie(
    _ trie: RadixTrie, _ keys: some KeyTable, _ section: CitySection
  ) throws(CityIndexError) {
    for position in 0..<count {
      let key = keys.key(at: position)
      guard trie.range(of: key.bytes(key.count + 1), in: keys).contains(position) else {
        throw contradiction(section, position, "the key there is not found")
      }
    }
  }

  private func verifyCountries() throws(CityIndexError) {
    for country in 0..<countries.count {
      let list = countries.list(at: country)
      for index in list.dropFirst() {
        guard countries.ranks[index - 1] < countries.ranks[index] else {
          throw contradiction(.countryRanks, index, "ranks do not ascend")
        }
        guard countries.positions[index - 1] < countries.positions[index] else {
          throw contradiction(.countryPositions, index, "positions do not ascend")
        }
      }
    }
  }

  private func contradiction(_ section: CitySection, _ position: Int, _ what: String) -> CityIndexError {
    CityIndexError("section \(section.rawValue), entry \(position): \(what)")
  }
}
