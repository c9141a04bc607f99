import Banks
import Base
import CivilTime
import Geodesy
import TestSupport
import Testing

@Suite("sections that are damaged")
struct HostileIndexTests {
  private let sections: [BankSection: [UInt8]]

  init() throws { sections = try BuiltIndex.sections(MadeUpLocations.make(12, seed: 6)).sections }

  @Test(arguments: BankSection.allCases)
  func `a section that is missing or has a byte too few is refused by name`(section: BankSection) {
    for bytes in [nil, sections[section].map { Array($0.dropLast()) }] {
      var spoilt = sections
      spoilt[section] = bytes
      let error = #expect(throws: BankIndexError.self) { try BuiltIndex(sections: spoilt) }
      #expect(error?.message.contains("section \(section.rawValue): expected") ?? false, "\(error?.message ?? "")")
    }
  }

  @Test func `no rank is under two headings for any spans`() throws {
    var spoilt = sections
    for index in stride(from: 4, to: sections[.regionSpans]?.count ?? 0, by: 8) { spoilt[.regionSpans]?[index] = 0 }
    let list = try BuiltIndex(sections: spoilt).index.list()
    #expect(Set(list).count == list.count && list.count <= 12)
  }

  @Test(arguments: BankSection.allCases)
  func `any flipped bit is refused or answered, without a trap`(section: BankSection) throws {
    let bytes = try #require(sections[section])
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      var spoilt = sections
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
        spoilt[section]?[bit / 8] ^= 1 << UInt8(bit % 8)
      }
      try askEverything(spoilt)
    }
  }

  @Test(arguments: BankSection.allCases)
  func `noise in the place of a section is refused or answered, without a trap`(section: BankSection) throws {
    let bytes = try #require(sections[section])
    for seed in UInt64(0)..<50 {
      var random = SeededGenerator(seed: seed)
      var spoilt = sections
      spoilt[section] = bytes.map { _ in
        seed % 2 == 0 ? .random(in: 0...255, using: &random) : .random(in: 0...12, using: &random)
      }
      try askEverything(spoilt)
    }
  }

  private func askEverything(_ sections: [BankSection: [UInt8]]) throws {
    guard let built = try? BuiltIndex(sections: sections) else { return }
    defer { built.giveBack() }
    let index = built.index
    let calendar = LocalCalendar(for: index, rules: MadeUpZones.named)
    // New Year's Day of 2026.
    let moment = calendar.moment(.instant(1_767_225_600))
    let open = BankFilter(open: moment)
    for filter in [
      BankFilter(), open, BankFilter(country: "EE", region: ""), BankFilter(categories: [.atm], bank: "swedbank"),
    ] {
      _ = try? index.regions(filter)
      for rank in (try? index.list(filter)) ?? [] {
        _ = (index.row(at: rank), index.hours(at: rank), index.point(at: rank))
      }
      for words in ["", "kesk"] { _ = try? built.search(words, filter) }
      _ = try? built.near(GeoPoint(latitude: 59, longitude: 24), 5, .infinity, filter)
    }
    for rank in -1...index.count {
      _ = (index.openState(at: rank, moment), index.holiday(at: rank, moment))
      _ = index.rank(id: index.id(at: rank))
    }
  }
}
