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
    let rows = try Self.rows(below: "| Attempt | Example | Rule |").map { $0.split(separator: "|") }
    #expect(rows.map { $0[0].dropFirst().dropLast() } == SearchAttempt.allCases.map { $0.rawValue[...] })
    #expect(rows.allSatisfy { $0.count == 3 && $0[1].hasPrefix(" `") && $0[1].hasSuffix("` ") && $0[2].count > 20 })
  }

  @Test func `the documentation has the rules for addresses, in their order`() throws {
    let lines = try Repository.text(Repository.path("contrib/data/addresses.tsv")).split(separator: "\n")
    let rules = lines.map { line in
      let columns = line.split(separator: "\t")
      let pattern = String(columns[1].map { $0 == "|" ? "/" : $0 })
      let meanings = columns[2].split(separator: "|").map { "`\($0)`" }.joined(separator: ", ")
      return "| `\(pattern)` | \(meanings) | \(columns[3]) |"
    }
    #expect(try Self.rows(below: "| Pattern | Meaning | Written in |") == rules)
    let attempts = [SearchAttempt.address, .postalCode].map(\.rawValue)
    #expect(lines.allSatisfy { line in attempts.contains { line.hasPrefix("\($0)\t") } })
  }

  /// The rows of the table in the documentation of the protocol that starts with `head`.
  private static func rows(below head: String) throws -> [String] {
    let lines = try Repository.text(Repository.path("Protocol/README.md"))
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex(of: head))
    return Array(lines[(start + 2)...].prefix { $0.hasPrefix("| ") })
  }
}
