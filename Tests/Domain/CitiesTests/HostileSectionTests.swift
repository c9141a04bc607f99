import Base
import Cities
import Geodesy
import TestSupport
import Testing
import Text

@Suite("sections that are no index, or a hostile one")
struct HostileSectionTests {
  @Test(arguments: CitySection.allCases) func `every section of a wrong size is refused`(section: CitySection) throws {
    let good = try BuiltIndex.sections(MadeUpCities.make(20, seed: 1))
    for change: ([UInt8]) -> [UInt8] in [{ $0 + [0] }, { Array($0.dropLast()) }, { $0 + $0 + [7] }] {
      var sections = good
      sections[section] = change(good[section] ?? [])
      // Rows may have any size, keys and spellings any that ends with a zero byte, texts any that holds them; an empty
      // section stays as it is.
      let isLonger = (sections[section]?.count ?? 0) > (good[section]?.count ?? 0)
      guard sections[section] != good[section], section != .rows, section != .localityTexts || !isLonger,
        sections[section]?.last != 0 || ![.keys, .nameKeys, .nameTexts, .areaKeys].contains(section)
      else { continue }
      #expect(throws: CityIndexError.self) { try BuiltIndex(sections: sections) }
    }
  }

  @Test func `no sections at all are refused`() {
    #expect(throws: CityIndexError.self) { try CityIndex { _ in nil } }
  }

  @Test func `every bit of a small index flipped: every question is answered`() throws {
    let good = try BuiltIndex.sections(
      MadeUpCities.make(4, seed: 5) + MadeUpPlaces.make(2, seed: 5).map(\.shifted), MadeUpPlaces.areas)
    for section in CitySection.allCases {
      for bit in 0..<(good[section]?.count ?? 0) * 8 {
        var sections = good
        sections[section]?[bit / 8] ^= 1 << UInt8(bit % 8)
        ask(sections, forNames: Self.namesSections.contains(section), turn: bit)
      }
    }
  }

  @Test(arguments: Mutations.parts(of: .sections))
  func `seeded damage to an index of forty: every question is answered`(part: Mutations) throws {
    let good = try BuiltIndex.sections(
      MadeUpCities.make(20, seed: 6) + MadeUpPlaces.make(20, seed: 6).map(\.shifted), MadeUpPlaces.areas)
    try part.run { mutator in
      var sections = good
      for _ in 0...mutator.below(3) {
        let section = mutator.pick(CitySection.allCases)
        let bytes = sections[section, default: []]
        // Only these sections may have any size.
        let isFree =
          [.rows, .keys, .nameKeys, .nameTexts, .areaKeys].contains(section) || mutator.below(16) == 0
        sections[section] = isFree ? mutator.mutated(bytes) : mutator.damaged(bytes)
      }
      BuiltIndex.lend(sections) { index in
        var asker = HostileAsker(index)
        asker.askSomething(&mutator)
      }
    }
  }

  @Test(arguments: [0, 1, 2, 16, 17, 40, 500]) func `verify passes what the builder wrote`(size: Int) throws {
    try BuiltIndex(MadeUpCities.make(size, seed: UInt64(size))).index.verify()
  }

  @Test(
    arguments: [
      CitySection.rowOffsets, .keyOffsets, .foldedOrder, .plainTrie, .foldedTrie, .countryRanks, .countryPositions,
      .idOrder, .pointTree,
    ])
  func `verify names the section that contradicts the others`(section: CitySection) throws {
    var sections = try BuiltIndex.sections(MadeUpCities.make(40, seed: 8))
    let size = sections[section]?.count ?? 0
    // A trie of zeros is a true one: a single leaf.
    let ones: [CitySection] = [.rowOffsets, .plainTrie, .foldedTrie]
    sections[section] = [UInt8](repeating: ones.contains(section) ? 0xFF : 0, count: size)
    let built = try BuiltIndex(sections: sections)
    let error = #expect(throws: CityIndexError.self) { try built.index.verify() }
    #expect(error?.message.hasPrefix("section \(section.rawValue)") ?? false)
  }

  /// The sections that only questions for names read.
  private static let namesSections = CitySection.allCases.drop { $0 != .nameKeys }

  /// Asks whatever reads the sections; that it returns, with answers within the index, is the test.
  private func ask(_ sections: [CitySection: [UInt8]], forNames: Bool, turn: Int) {
    BuiltIndex.lend(sections) { index in
      var asker = HostileAsker(index)
      if forNames { asker.askForNames(turn: turn) } else { asker.askForCities() }
    }
  }
}

extension City {
  /// The city with an id that no other list has.
  fileprivate var shifted: City {
    var city = self
    city.id += 1 << 50
    return city
  }
}
