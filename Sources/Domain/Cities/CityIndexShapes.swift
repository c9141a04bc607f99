import Geodesy

/// The sections of an index once their sizes fit each other.
struct Shapes {
  /// Cities in all.
  let count: Int
  private let sections: [CitySection: UnsafeRawBufferPointer]

  /// Takes the sections, or says which has the wrong size.
  init(_ provider: (CitySection) -> UnsafeRawBufferPointer?) throws(CityIndexError) {
    var sections: [CitySection: UnsafeRawBufferPointer] = [:]
    for section in CitySection.allCases { sections[section] = provider(section) }
    self.sections = sections
    let offsets = sections[.rowOffsets]?.count ?? 0
    guard offsets >= 4, offsets % 4 == 0, offsets / 4 - 1 <= CityRule.maximumCities else {
      throw CityIndexError(
        "section ROFF: expected an offset a city and one more of 4 bytes each, found \(offsets) bytes")
    }
    count = offsets / 4 - 1
    try check()
  }

  /// The bytes of a section; empty if there is none.
  subscript(section: CitySection) -> UnsafeRawBufferPointer {
    sections[section] ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func check() throws(CityIndexError) {
    for section in [
      CitySection.keyOffsets, .foldedOrder, .countryRanks, .countryPositions, .ids, .idOrder, .pointTree,
    ] {
      try expect(section, [4 * count])
    }
    try expect(.idsHigh, [0, 4 * count])
    try expect(.populations, [0, 4 * count])
    try expect(.coordinates, [CoordinateTable.fixedBytes * count, CoordinateTable.floatBytes * count])
    try expect(.baseKeyBits, [(count + 63) / 64 * BaseKeys.wordBytes])
    try expect(.keyLengths, [8])
    try expect(.baseKeyOffsets, multipleOf: 4)
    try expect(.countries, multipleOf: 8)
    try expect(.plainTrie, multipleOf: RadixTrie.nodeBytes)
    try expect(.foldedTrie, multipleOf: RadixTrie.nodeBytes)
  }

  private func expect(_ section: CitySection, _ sizes: [Int]) throws(CityIndexError) {
    let found = self[section].count
    guard sizes.contains(found) else {
      let expected = sizes.map(String.init).joined(separator: " or ")
      throw CityIndexError(
        "section \(section.rawValue): expected \(expected) bytes for \(count) cities, found \(found)")
    }
  }

  private func expect(_ section: CitySection, multipleOf unit: Int) throws(CityIndexError) {
    let found = self[section].count
    guard found % unit == 0 else {
      throw CityIndexError("section \(section.rawValue): expected records of \(unit) bytes, found \(found) bytes")
    }
  }
}
