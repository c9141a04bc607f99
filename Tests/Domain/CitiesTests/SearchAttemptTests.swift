import TestSupport
import Testing

@testable import Cities

@Suite("the attempts of a search")
struct SearchAttemptTests {
  @Test func `attempts follow each other, and corrections come last`() {
    #expect(SearchAttempt.allCases.compactMap(\.next) == Array(SearchAttempt.allCases.dropFirst()))
    let corrections = SearchAttempt.allCases.drop { !$0.isCorrection }
    #expect(corrections.count == 9 && corrections.allSatisfy { $0.isCorrection })
  }

  @Test func `the documentation has an example and the rule of each attempt, in their order`() throws {
    let lines = try Repository.text(Repository.path("Protocol/README.md"))
      .split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == "| Attempt | Example | Rule |" })
    let rows = lines[(start + 2)...].prefix { $0.hasPrefix("| ") }.map { $0.split(separator: "|") }
    #expect(rows.map { $0[0].dropFirst().dropLast() } == SearchAttempt.allCases.map { $0.rawValue[...] })
    #expect(rows.allSatisfy { $0.count == 3 && $0[1].hasPrefix(" `") && $0[1].hasSuffix("` ") && $0[2].count > 20 })
  }
}
