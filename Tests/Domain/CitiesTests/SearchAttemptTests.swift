import Glibc
import TestSupport
import Testing

@testable import Cities

@Suite("the attempts of a search")
struct SearchAttemptTests {
  /// The table of attempts as the documentation has it.
  private static var table: [String] {
    let rows = SearchAttempt.table.map { "| \($0.key.rawValue) | `\($0.value.example)` | \($0.value.rule) |" }
    return ["| Attempt | Example | Rule |", "|---|---|---|"] + rows
  }

  @Test func `the table has each attempt once, in order`() {
    #expect(SearchAttempt.table.map(\.key) == SearchAttempt.allCases)
    #expect(SearchAttempt.allCases.compactMap(\.next) == Array(SearchAttempt.allCases.dropFirst()))
    let corrections = SearchAttempt.allCases.drop { !$0.isCorrection }
    #expect(corrections.count == 9 && corrections.allSatisfy { $0.isCorrection })
  }

  @Test func `the documentation has this table`() throws {
    let path = Repository.path("Protocol/README.md")
    var lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex(of: Self.table[0]))
    let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
    if getenv("CITIES_WRITE_FORMS") != nil, let file = fopen(path, "we") {
      lines.replaceSubrange(start..<end, with: Self.table)
      fputs(lines.joined(separator: "\n"), file)
      fclose(file)
    } else {
      #expect(
        Array(lines[start..<end]) == Self.table,
        """
        SearchAttempt.table has changed; write it again with \
        CITIES_WRITE_FORMS=1 swift test --skip-build --disable-xctest --filter SearchAttemptTests
        """)
    }
  }
}
