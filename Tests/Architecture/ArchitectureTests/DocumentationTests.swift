import TestSupport
import Testing

/// What the pages for contributors refer to exists.
@Suite struct DocumentationTests {
  private static let contributing = ".github/CONTRIBUTING.md"
  private static let security = ".github/SECURITY.md"
  private static let decisions = "contrib/docs/TechnicalDecisions.txt"
  private static let pages =
    ["README.md", "Protocol/README.md", contributing, security]
    + Repository.files(under: "contrib/docs").filter { $0.hasSuffix(".md") }

  @Test(arguments: pages) func `every relative link leads somewhere`(page: String) throws {
    let folder = page.split(separator: "/").dropLast().joined(separator: "/")
    for match in try text(page).matches(of: /\]\(([^)#\s]+)/) where !match.1.contains(":") {
      let target = Repository.path(folder.isEmpty ? String(match.1) : "\(folder)/\(match.1)")
      #expect(Repository.exists(target), "\(page) links to \(match.1), which does not exist")
    }
  }

  /// A checklist that names a test which is gone enforces nothing.
  @Test func `every test that the checklists name exists`() throws {
    let tests = try Repository.files(under: "Tests").filter { $0.hasSuffix(".swift") }.map { file in
      try Repository.text(Repository.path(file))
    }
    let named = try text(Self.contributing).replacing(/\s+/, with: " ").matches(of: /`(\w+Tests)` "([^"]+)"/)
    #expect(!named.isEmpty, "\(Self.contributing) names no test")
    for match in named {
      #expect(
        tests.contains { $0.contains("struct \(match.1)") && $0.contains("func `\(match.2)`(") },
        "\(Self.contributing) names \(match.1) \"\(match.2)\", which does not exist")
    }
  }

  @Test(arguments: [contributing, security, decisions])
  func `every file that a page names exists`(page: String) throws {
    for match in try text(page).matches(of: /\b((?:Sources|Tests|Protocol|contrib)\/[\w.\/-]*\w)/)
    where !["NAME", "VERB"].contains(where: match.1.contains) {
      #expect(Repository.exists(Repository.path(String(match.1))), "\(page) names \(match.1), which does not exist")
    }
  }

  @Test(arguments: [contributing, decisions]) func `every identifier that a page names exists`(page: String) throws {
    let (text, others) = (try text(page), ["FoundationEssentials", "PostgreSQL", "SwiftNIO"])
    let inCode = text.matches(of: /`(\w+)(?:\.(\w+))?(?:\([\w:]*\))?`/).flatMap { [$0.1, $0.2].compactMap(\.self) }
    let types = text.matches(of: /\b[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+\b/).map(\.output)
    let files = ["Sources", "Protocol", "Tests"].flatMap(Repository.files(under:))
    var words: Set<Substring> = Set(others.map { $0[...] })
    for file in files where [".swift", ".py", ".cddl"].contains(where: file.hasSuffix) {
      words.formUnion(try self.text(file).split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }
    #expect(types.count > 10)
    for name in Set(inCode + types).sorted() {
      #expect(words.contains(name) || isFolder(name), "\(page) names \(name), which no source has")
    }
  }

  /// Whether a folder of sources has the name.
  private func isFolder(_ name: Substring) -> Bool {
    ["Tests", "Sources"].contains { folder in
      Repository.files(under: folder).contains { $0.contains("/\(name)/") }
    }
  }

  @Test func `every suite that the threat model names exists`() throws {
    let files = Repository.files(under: "Tests")
    for match in try text(Self.security).matches(of: /`(\w+Tests)`/) {
      let exists = files.contains { $0.contains("/\(match.1)/") || $0.hasSuffix("/\(match.1).swift") }
      #expect(exists, "\(Self.security) names \(match.1), which does not exist")
    }
  }

  private func text(_ file: String) throws -> String { try Repository.text(Repository.path(file)) }
}
