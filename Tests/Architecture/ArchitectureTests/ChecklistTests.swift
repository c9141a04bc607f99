import TestSupport
import Testing

/// The steps of the checklists in `.github/CONTRIBUTING.md` that no other test checks; each failure names the missing one.
@Suite struct ChecklistTests {
  // MARK: Messages and error codes

  private static let messages = declarations(#"struct (\w+): (?:\w+, )*RequestMessage\b"#, under: "Protocol")
  private static let methods = declarations(#"static let method = "([a-z.]+)""#, under: "Protocol")
  private static let errorCodes = declarations(#"ErrorCode\(rawValue: "([a-z-]+)"\)"#, under: "Protocol")

  @Test(arguments: messages) func everyMessageIsRegistered(message: String) throws {
    #expect(
      try text("Protocol/Envelope/MessageRegistry.swift").contains("\(message).self"),
      "add \(message).self to MessageRegistry; vectors, schema and handlers are checked for what stands there")
  }

  @Test(arguments: methods) func everyMethodIsInTheDocumentationOfTheWire(method: String) throws {
    #expect(
      try hasTableRow(for: method, in: "Protocol/README.md"),
      "add a row for `\(method)` to the table of methods in Protocol/README.md")
  }

  /// Those between the two servers are left out: no user sends them.
  private static let publicMessages = messages.filter { message in
    let registry = (try? text("Protocol/Envelope/MessageRegistry.swift")) ?? ""
    return between("`public`: [any RequestMessage.Type] = [", "]", of: registry)?.contains(word: message) ?? false
  }

  @Test(arguments: publicMessages) func everyPublicMessageIsSentByAClient(message: String) throws {
    #expect(
      try Repository.files(under: "Sources/Client").contains { try text($0).contains(word: message) },
      "give \(message) a verb below Sources/Client/CitiesCommands/Verbs: users reach it by `citiesctl call` alone")
  }

  @Test(arguments: errorCodes) func everyErrorCodeIsDocumentedAndHasARuleAndAVector(code: String) throws {
    #expect(
      try hasTableRow(for: code, in: "Protocol/README.md"),
      "add a row for `\(code)` to the table of errors in Protocol/README.md")
    #expect(
      try text("Protocol/cities.cddl").split(separator: "\n").contains { $0.hasPrefix("error-\(code) ") },
      "add the rule error-\(code) to Protocol/cities.cddl")
    #expect(
      Repository.names(in: Repository.path("Protocol/vectors")).contains { $0.hasPrefix("error.\(code).") },
      "add Protocol/vectors/error.\(code).hex, and the code to GoldenVectorTests.codes")
  }

  // MARK: Feeds

  private static let feeds = declarations(#"static let (\w+) = FeedName\(rawValue:"#, under: "Protocol")
  private static let webFeeds = declarations(
    #"name: \.(\w+),\s+url: ""#, under: "Sources/Sync/FeedSync/Feeds")

  @Test(arguments: feeds) func everyFeedIsListedAndBelongsToASubject(feed: String) throws {
    let source = try text("Protocol/Messages/Subject.swift")
    let all = try #require(between("all: [FeedName] = [", "]", of: source))
    let subjects = try #require(between("var subject: Subject? {", "default:", of: source))
    #expect(all.contains(word: feed), "add .\(feed) to FeedName.all, in the place that it shall have in reports")
    #expect(subjects.contains(word: feed), "say in FeedName.subject which subject is made of .\(feed)")
  }

  /// The list of cities has a catalogue entry of its own: it ships with the program.
  @Test(arguments: feeds.filter { $0 != "cities" }) func everyFeedIsInTheCatalogueWithASample(feed: String) throws {
    let catalogue = try text("Sources/Sync/FeedSync/Feeds/FeedCatalogue.swift")
    let entry = try #require(
      between("name: .\(feed),", "Entry(", of: catalogue + "Entry("),
      "add an entry for .\(feed) to FeedCatalogue: its URL, headers and sample")
    let sample = try #require(between("sample: \"", "\"", of: entry), "the entry of .\(feed) names no sample")
    #expect(
      Repository.exists(Repository.path("contrib/data/sample/\(sample)")),
      "add contrib/data/sample/\(sample), made up, in the format of the source")
    #expect(try text("contrib/data/README").contains(sample), "say in contrib/data/README where \(sample) comes from")
  }

  @Test(arguments: webFeeds) func theQuickstartAsksNoSource(feed: String) throws {
    let name = try #require(
      between("static let \(feed) = FeedName(rawValue: \"", "\"", of: text("Protocol/Messages/Subject.swift")))
    let variable = name.uppercased().split(separator: "-").joined(separator: "_")
    #expect(
      try text("contrib/quickstart").contains(word: variable),
      "add \(variable) to the feeds that contrib/quickstart takes the sources of")
  }

  // MARK: Verbs

  private static let verbs = declarations(#"struct (\w+): (?:Helper)?Verb\b"#, under: "Sources/Client/CitiesCommands")
  private static let verbNames = declarations(#"\.verb\(\s*"([a-z]+)""#, under: "Sources/Client/CitiesCommands")

  @Test(arguments: verbs) func everyVerbIsInTheTreeOfCommands(verb: String) throws {
    let trees = try Repository.files(under: "Sources/Client/CitiesCommands").map(text(_:))
      .filter { $0.contains("verbs: [any Verb.Type]") }
    #expect(
      trees.contains { $0.contains("\(verb).self") },
      "add \(verb).self to Citiesctl.verbs or to the verbs of its group; then run contrib/generate")
  }

  @Test(arguments: Set(verbNames).sorted()) func everyVerbIsInTheReadmeAndInATest(name: String) throws {
    let lines = try text("README.md").split(separator: "\n").filter { $0.contains("citiesctl") || $0.hasPrefix("|") }
    #expect(lines.contains { $0.contains(word: name) }, "show `citiesctl \(name)` in README.md")
    let tests = Repository.files(under: "Tests/Client") + Repository.files(under: "Tests/EndToEnd")
    #expect(
      try tests.contains { try text($0).contains("\"\(name)\"") },
      "no test below Tests/Client or Tests/EndToEnd runs \"\(name)\"")
  }

  // MARK: Resident kinds

  /// The types with a kind, which have a file each.
  private static let residentTypes = Repository.files(under: "Sources/Resident").filter { file in
    (try? text(file))?.contains("static let kind = ResidentKind(") ?? false
  }.map { String($0.split(separator: "/").last?.prefix { $0 != "." && $0 != "+" } ?? "") }

  @Test(arguments: residentTypes) func everyResidentKindIsVerifiedAndTested(type: String) throws {
    let verifiers = try Repository.files(under: "Sources/Sync/FeedSync").filter { $0.contains("Verif") }.map(text(_:))
    #expect(
      verifiers.contains { $0.contains("\(type).kind") },
      "let `citiesd-sync verify` prove files of \(type).kind (Verification.swift)")
    #expect(
      try Repository.files(under: "Tests/Resident").contains { try text($0).contains(word: type) },
      "add tests of \(type) below Tests/Resident: what it writes, reads and refuses")
  }

  @Test func filesAndCodesOfResidentKindsAreDistinctAndInTheManual() throws {
    let names = declarations(#"fileName: "([a-z.]+)""#, under: "Sources/Resident")
    let codes = declarations(#"ResidentKind\(\s*code: (?:FourBytes\()?"?(\w+)"#, under: "Sources/Resident")
    #expect(names.count == Self.residentTypes.count && Set(names).count == names.count)
    #expect(codes.count == names.count && Set(codes).count == codes.count)
    let manual = try text("contrib/man/citiesd.8")
    for name in names { #expect(manual.contains(name), "list \(name) under FILES in contrib/man/citiesd.8") }
  }

  // MARK: Columns

  /// The columns that each file of listings declares, in order; scripts depend on their places. Those of tables alone are
  /// left out.
  private static let columns = [
    "Listing.swift": "distance title lat lon id country name population",
    "BankListing.swift": """
    distance title open lat lon id bank kind country country_name region name address phone email website no_cash \
    coin_station availability info hours zone code country country_name region count
    """,
    "TradeListing.swift": """
    sku count totals partial amount currency converted to path reason steps trace amount currency sku \
    partial remainders from to rate derived path rounded steps result to amount from rate derived path rounding \
    steps trace
    """,
    "StatusVerb.swift": "kind name ready records generation as_of problem",
    "RefreshVerb.swift": "feed outcome records skipped age as_of error",
    "WatchVerb.swift": "event subject generation at message",
    "CallVerb.swift": "method",
    "RowRenderer.swift": "sample",
  ]

  @Test func columnsAreRecordedAndKeepTheirPlaces() throws {
    for file in Repository.files(under: "Sources/Client/CitiesCommands") {
      let found = declarations(#"Column(?:<[^>]+>)?\(\s*"([a-z_]+)"(?!, in: \.table)"#, in: try text(file)).joined(
        separator: " ")
      let name = String(file.split(separator: "/").last ?? "")
      #expect(
        found == Self.columns[name] ?? "",
        """
        the columns of \(name) have changed. Existing ones keep their names and places; a new one comes after all that \
        tsv and csv print. Then record it here, explain it in the help text of its verb, and note it in \
        contrib/docs/CHANGELOG.md
        """)
    }
  }

  @Test(arguments: ["Listing.swift", "BankListing.swift"]) func columnsOfRowsAreInTheManual(file: String) throws {
    let manual = try text("contrib/man/citiesctl.1")
    for name in Set((Self.columns[file] ?? "").split(separator: " ")).sorted() {
      #expect(
        manual.contains(word: String(name)), "explain the column \(name) in the help text, then run contrib/generate")
    }
  }
}

/// The first groups of all matches of `pattern` in the Swift files below `folder`, in order of path.
private func declarations(_ pattern: String, under folder: String) -> [String] {
  Repository.files(under: folder).filter { $0.hasSuffix(".swift") }.flatMap { file in
    declarations(pattern, in: (try? text(file)) ?? "")
  }
}

/// The first groups of all matches of `pattern` in `text`.
private func declarations(_ pattern: String, in text: String) -> [String] {
  guard let expression = try? Regex(pattern) else { return [] }
  return text.matches(of: expression).compactMap { $0.output[1].substring.map(String.init) }
}

private func text(_ file: String) throws -> String { try Repository.text(Repository.path(file)) }

/// What stands between the first `start` and the next `end`; `nil` if either is missing.
private func between(_ start: String, _ end: String, of text: String) -> String? {
  guard let first = text.firstRange(of: start) else { return nil }
  let rest = text[first.upperBound...]
  guard let last = rest.firstRange(of: end) else { return nil }
  return String(rest[..<last.lowerBound])
}

/// Whether a table of the Markdown file has a row whose first cell holds `name` as code.
private func hasTableRow(for name: String, in file: String) throws -> Bool {
  try text(file).split(separator: "\n").contains { line in
    line.hasPrefix("| `") && line.dropFirst().prefix { $0 != "|" }.contains("`\(name)`")
  }
}

extension StringProtocol {
  /// Whether `word` occurs without letters, digits or low lines next to it.
  fileprivate func contains(word: String) -> Bool {
    var rest = self[...]
    while let found = rest.firstRange(of: word) {
      let before = self[..<found.lowerBound].last
      let after = rest[found.upperBound...].first
      if !isPartOfWord(before) && !isPartOfWord(after) { return true }
      rest = rest[found.upperBound...]
    }
    return false
  }

  private func isPartOfWord(_ character: Character?) -> Bool {
    character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
  }
}
