import Geodesy

extension CityIndex {
  /// A fault at `positions` that could corrupt a reply.
  ///
  /// It is an order's entry that is not a rank, a row that ends before it starts, or a key that is not text or is too
  /// long. The names of regions and zones are split into as many parts as there are positions, and checked to be text.
  ///
  /// If no position has a fault, every reply has as many rows as it announces, and consists of text. Only rebuilding
  /// the index from its rows proves that the orders are right.
  ///
  /// - Complexity: O(k) in the bytes of the keys at `positions`, which are bounded.
  public func problem(at positions: Range<Int>) -> CityIndexError? {
    for position in positions.clamped(to: 0..<count) {
      if let section = sectionWithoutRank(at: position) {
        return contradiction(section, position, "it is not the rank of a city")
      }
      if rowOffsets[position] > rowOffsets[position + 1] {
        return contradiction(.rowOffsets, position, "a row ends before it starts")
      }
      guard plain.key(at: position).isBoundedText, base.key(of: position).isBoundedText else {
        return contradiction(.keyOffsets, position, "the key there is not text, or too long")
      }
    }
    let positions = positions.clamped(to: 0..<count)
    if !localities.hasOnlyText(in: positions, of: count) {
      return contradiction(.localityTexts, positions.lowerBound, "a region or zone is not text")
    }
    return nil
  }

  private func sectionWithoutRank(at position: Int) -> CitySection? {
    if base.order[position] >= count { return .foldedOrder }
    if idOrder[position] >= count { return .idOrder }
    if countries.ranks[position] >= count { return .countryRanks }
    if countries.positions[position] >= count { return .countryPositions }
    if pointTree.item(at: position) >= count { return .pointTree }
    return populationRanks[position] >= count ? .populationRanks : nil
  }

  private func contradiction(_ section: CitySection, _ position: Int, _ what: String) -> CityIndexError {
    CityIndexError("section \(section.rawValue), entry \(position): \(what)")
  }
}

extension ArenaText {
  /// Whether it is UTF-8 of at most ``CityRule/maximumKeyBytes`` bytes.
  fileprivate var isBoundedText: Bool {
    let longest = bytes(CityRule.maximumKeyBytes + 1)
    guard let end = longest.firstIndex(of: 0) else { return false }
    let text = UnsafeRawBufferPointer(rebasing: longest[..<end])
    return text.allSatisfy { $0 < 0x80 } || String(validating: text, as: UTF8.self) != nil
  }
}
