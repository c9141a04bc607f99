import Base

/// The locations that a filter selects and in whose "name address" every word occurs, found a few at a time in the order
/// of titles.
///
/// Case and accents do not matter, and a word may stand anywhere, within another too. No words find all.
package struct KeywordScan {
  /// Bytes of texts that one step compares, or locations that it looks at in units of ``bytesPerLocation``.
  private static let bytesPerStep = 4_096
  private static let bytesPerLocation = 64

  private let index: BankIndex
  private let query: KeywordQuery
  private let selection: BankIndex.Selection
  private var position = 0
  private var passed = 0

  fileprivate init(_ index: BankIndex, _ query: KeywordQuery, _ selection: BankIndex.Selection) {
    (self.index, self.query, self.selection) = (index, query, selection)
  }

  /// How many locations a filter by hours has left out so far because their hours are not known; `nil` without one.
  package var unknownHours: Int? { selection.clocks == nil ? nil : passed }

  /// Looks at the next few locations, and hands out the ranks of those that are found.
  ///
  /// - Returns: whether there are more to look at.
  /// - Complexity: O(w) for w words and texts of common length.
  package mutating func step(_ found: (_ rank: Int) -> Void) -> Bool {
    if query.isHopeless { return false }
    var left = Self.bytesPerStep
    while left > 0, position < index.count {
      let rank = index.titleOrder[position]
      position += 1
      left -= Self.bytesPerLocation
      guard rank < index.count, selection.hasRegion(of: rank) else { continue }
      let text = index.texts[rank]
      let isFound = query.words.allSatisfy { word in
        left -= text.count
        return word.occurs(in: text)
      }
      if isFound, index.isSelected(rank, selection, unknownHours: &passed) { found(rank) }
    }
    return position < index.count
  }
}

extension BankIndex {
  /// Starts a keyword search.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(r) in the regions.
  package func keywordScan(
    _ query: KeywordQuery, _ filter: BankFilter = BankFilter()
  ) throws(BankFilterProblem) -> KeywordScan {
    KeywordScan(self, query, try selection(filter))
  }

  /// The ranks of all locations that a ``KeywordScan`` finds.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(n · w) in the bytes of all texts and the number of words.
  package func search(_ query: KeywordQuery, _ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> [Int] {
    var scan = try keywordScan(query, filter)
    var ranks: [Int] = []
    while scan.step({ ranks.append($0) }) {}
    return ranks
  }
}
