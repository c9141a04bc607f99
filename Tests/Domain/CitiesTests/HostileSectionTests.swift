import Cities
import TestSupport
import Testing
import Text

@Suite("sections that are no index, or a hostile one")
struct HostileSectionTests {
  @Test("every section of a wrong size is refused", arguments: CitySection.allCases)
  func wrongSize(section: CitySection) throws {
    let good = try BuiltIndex.sections(MadeUpCities.make(20, seed: 1))
    for change: ([UInt8]) -> [UInt8] in [{ $0 + [0] }, { Array($0.dropLast()) }, { $0 + $0 + [7] }] {
      var sections = good
      sections[section] = change(good[section] ?? [])
      // Rows may have any size, keys any that ends with a zero byte; an empty section stays as it is.
      guard sections[section] != good[section], section != .rows, sections[section]?.last != 0 || section != .keys
      else { continue }
      #expect(throws: CityIndexError.self) { try BuiltIndex(sections: sections) }
    }
  }

  @Test("no sections at all are refused")
  func missing() {
    #expect(throws: CityIndexError.self) { try CityIndex { _ in nil } }
  }

  @Test("every bit of a small index flipped: every question is answered")
  func everyBit() throws {
    let good = try BuiltIndex.sections(MadeUpCities.make(6, seed: 5))
    for section in CitySection.allCases {
      for bit in 0..<(good[section]?.count ?? 0) * 8 {
        var sections = good
        sections[section]?[bit / 8] ^= 1 << UInt8(bit % 8)
        askEverything(sections)
      }
    }
  }

  @Test("seeded damage to an index of forty: every question is answered", arguments: 0..<8)
  func seededDamage(seed: UInt64) throws {
    let good = try BuiltIndex.sections(MadeUpCities.make(40, seed: 6))
    var random = SeededGenerator(seed: seed)
    for _ in 0..<150 {
      var sections = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        guard let section = CitySection.allCases.randomElement(using: &random) else { continue }
        damage(&sections[section, default: []], &random)
      }
      askEverything(sections)
    }
  }

  @Test("verify passes what the builder wrote", arguments: [0, 1, 2, 16, 17, 40, 500])
  func verifyPasses(size: Int) throws {
    try BuiltIndex(MadeUpCities.make(size, seed: UInt64(size))).index.verify()
  }

  @Test(
    "verify names the section that contradicts the others",
    arguments: [
      CitySection.rowOffsets, .keyOffsets, .foldedOrder, .plainTrie, .foldedTrie, .countryRanks, .countryPositions,
      .idOrder,
      .pointTree,
    ])
  func verifyNames(section: CitySection) throws {
    var sections = try BuiltIndex.sections(MadeUpCities.make(40, seed: 8))
    let size = sections[section]?.count ?? 0
    // A trie of zeros is a true one: a single leaf.
    let ones: [CitySection] = [.rowOffsets, .plainTrie, .foldedTrie]
    sections[section] = [UInt8](repeating: ones.contains(section) ? 0xFF : 0, count: size)
    let built = try BuiltIndex(sections: sections)
    let error = #expect(throws: CityIndexError.self) { try built.index.verify() }
    #expect(error?.message.hasPrefix("section \(section.rawValue)") ?? false)
  }

  /// Zeroes, ones, or a number at the edge of what a 32-bit field may hold.
  private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard bytes.count >= 4 else { return }
    let start = Int.random(in: 0...bytes.count - 4, using: &random)
    let values: [UInt32] = [
      0, 1, .max, .max - 1, 1 << 31, 1 << 30, UInt32(bytes.count), UInt32(bytes.count / 4), random.next(),
    ]
    let value = values.randomElement(using: &random) ?? 0
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
  }

  /// Asks every kind of question; that it returns, with answers within the index, is the test.
  private func askEverything(_ sections: [CitySection: [UInt8]]) {
    guard let built = try? BuiltIndex(sections: sections) else { return }
    let index = built.index
    var matches = CityMatches()
    for mode in CityMatchMode.allCases {
      for country in [nil, "us", "é", "us\u{0}"] {
        for query in ["", "a", "san", "b,", ", ", "a, b", "são", "!", "lor", ",,,,"] {
          index.search(Array(query.utf8), mode, country: country, into: &matches)
          #expect(matches.total >= 0 && matches.total <= index.count)
          _ = index.ids(matches, offset: 1, limit: 20)
          _ = index.idsByPopulation(&matches, offset: 0, limit: 3)
          _ = index.onePlace(matches)
          _ = index.nearest(matches, to: GeoPoint(latitude: 1, longitude: 1))
        }
      }
    }
    for title in ["a", "san, us", "B, us"].map({ Array($0.utf8) }) {
      title.withUnsafeBytes { index.cities(titled: $0, base: $0, into: &matches) }
    }
    var neighbours = Neighbours()
    index.near(GeoPoint(latitude: 10, longitude: 20), limit: 5, into: &neighbours)
    for place in 0..<neighbours.count { _ = index.row(at: neighbours[place].item) }
    for id in [1, 8, 15, 1 << 40] as [UInt64] { _ = index.rank(id: id).map(index.row(at:)) }
    try? index.verify()
  }
}
