import TestSupport
import Testing

/// The steps of the checklists in `.github/CONTRIBUTING.md` that no other test checks; each failure names the missing
/// one.
@Suite struct ChecklistTests {
  private static let tree = SourceTree()
  private static let list = Checklist(tree: tree)

  /// A failure for each missing step, which the reader sees first, without the texts that were searched.
  private func report(_ missing: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    for step in missing { Issue.record("missing step: \(step)", sourceLocation: sourceLocation) }
  }

  @Test(arguments: list.methods) func `every method is in the documentation of the wire`(method: String) {
    report(Self.list.missingSteps(ofMethod: method))
  }

  @Test(arguments: list.publicMessages) func `every public message is sent by a client`(message: String) {
    report(Self.list.missingSteps(ofPublicMessage: message))
  }

  @Test(arguments: list.errorCodes) func `every error code is documented and has a rule and a vector`(code: String) {
    report(Self.list.missingSteps(ofErrorCode: code))
  }

  @Test(arguments: list.feeds) func `every feed is listed and belongs to a subject`(feed: String) {
    report(Self.list.missingSteps(ofFeed: feed))
  }

  @Test(arguments: list.feedsWithSamples) func `every feed is in the catalogue with a sample`(feed: String) {
    report(Self.list.missingSteps(ofSampleOf: feed))
  }

  @Test(arguments: list.feeds) func `every feed and its format are in the manual`(feed: String) {
    report(Self.list.missingSteps(ofPagesOf: feed))
  }

  @Test(arguments: list.verbs) func `every verb is in the tree of commands`(verb: String) {
    report(Self.list.missingSteps(ofVerb: verb))
  }

  @Test(arguments: list.verbNames) func `every verb is run by an example or a test`(name: String) {
    report(Self.list.missingSteps(ofVerbName: name))
  }

  @Test(arguments: list.pagedNames) func `every verb has a page with examples`(name: String) {
    report(Self.list.missingSteps(ofPage: name))
  }

  @Test(arguments: list.residentTypes) func `every resident kind is verified and tested`(type: String) {
    report(Self.list.missingSteps(ofResidentType: type))
  }

  @Test func `every event of the log is explained`() throws {
    let source = try Repository.text(Repository.path("Sources/Service/FrameService/Manager/JournalEvent.swift"))
    let catalogue = try Repository.text(Repository.path("contrib/systemd/cities.catalog"))
    let numbers = source.matches(of: /JournalEvent\(number: "([0-9a-f]{32})"\)/).map { String($0.1) }
    let explained = catalogue.matches(of: /\n-- ([0-9a-f]{32})\nSubject:/).map { String($0.1) }
    #expect(source.matches(of: /static let\b/).count == numbers.count && Set(numbers).count == numbers.count)
    report(Set(numbers).subtracting(explained).map { "a section \($0) in contrib/systemd/cities.catalog" })
    report(Set(explained).subtracting(numbers).map { "a constant of JournalEvent for \($0) of cities.catalog" })
  }

  @Test func `files and codes of resident kinds are distinct and in the manual`() {
    report(Self.list.missingStepsOfResidentKinds())
  }

  // MARK: A copy without the step

  /// A part of the tree to remove, and how the checklist names the missing step.
  struct Omission: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let missing: @Sendable () -> [String]
  }

  private static func without(
    _ part: String, from file: String, _ missing: @escaping @Sendable (Checklist) -> [String], _ step: String
  ) -> Omission {
    Omission(testDescription: step) { missing(Checklist(tree: tree.removing(part, from: file))) }
  }

  private static let verification = "Sources/Sync/FeedSync/Verification.swift"
  private static let syncPage = "contrib/man/sync.json.5"
  private static let tradeTests = "Tests/Resident/ResidentTests/ResidentTradeTests.swift"

  private static let omissions = [
    without(
      "| `city.near`", from: "Protocol/README.md", { $0.missingSteps(ofMethod: "city.near") },
      "add a row for `city.near`"),
    without(
      "error-ambiguous ", from: "Protocol/cities.cddl", { $0.missingSteps(ofErrorCode: "ambiguous") },
      "add the rule error-ambiguous"),
    without(
      "name: .rates,", from: "Sources/Sync/FeedSync/Feeds/FeedCatalogue.swift",
      { $0.missingSteps(ofSampleOf: "rates") },
      "add an entry for .rates to FeedCatalogue"),
    without(
      ".rates: .trade, ", from: "Protocol/Messages/Subject.swift", { $0.missingSteps(ofFeed: "rates") },
      "add .rates with its subject to FeedName.subjects"),
    without(
      "    \"rates\":", from: syncPage, { $0.missingSteps(ofPagesOf: "rates") }, "show \"rates\" in the example"),
    without(".It Cm rates\n", from: syncPage, { $0.missingSteps(ofPagesOf: "rates") }, "list rates below"),
    without(
      "https://ib.swedbank.lv/finder.json", from: syncPage, { $0.missingSteps(ofPagesOf: "swedbankLV") },
      "give swedbank-lv its default URL"),
    without(
      "test: finder", from: "contrib/man/cities-formats.5", { $0.missingSteps(ofPagesOf: "swedbankLV") },
      "describe the format finder"),
    without(
      "NearVerb.self, ", from: "Sources/Client/CitiesCommands/Verbs/Citiesctl.swift",
      { $0.verbs.flatMap($0.missingSteps(ofVerb:)) }, "add NearVerb.self to Citiesctl.cityVerbs"),
    without(
      "CompletionVerb.self, ", from: "Sources/Client/CitiesCommands/Verbs/Citiesctl.swift",
      { $0.verbs.flatMap($0.missingSteps(ofVerb:)) }, "add CompletionVerb.self to Citiesctl.cityVerbs"),
    Omission(testDescription: "end the description of `regions` with an example") {
      let page = "contrib/man/citiesctl-bank.1"
      return Checklist(tree: tree.removing("bank regions \\-\\-kind atm", from: page), tests: [])
        .missingSteps(ofVerbName: "regions")
    },
    without(
      "(ResidentTrade.kind, {", from: verification, { $0.missingSteps(ofResidentType: "ResidentTrade") },
      "let `citiesd-sync verify` prove files of ResidentTrade.kind"),
    without(
      "trade.resident", from: "contrib/man/citiesd.8", { $0.missingStepsOfResidentKinds() },
      "list trade.resident under FILES"),
    without(
      "\n.Sh EXAMPLES\n", from: "contrib/man/citiesctl-search.1", { $0.missingSteps(ofPage: "search") },
      "end the description of `citiesctl search` with examples"),
    Omission(testDescription: "run contrib/generate, which writes contrib/man/citiesctl-bank.1") {
      Checklist(tree: tree.removing("contrib/man/citiesctl-bank.1")).missingSteps(ofPage: "bank")
    },
    Omission(testDescription: "add ResidentTradeTests.swift below Tests/Resident") {
      Checklist(tree: tree.removing(tradeTests)).missingSteps(ofResidentType: "ResidentTrade")
    },
    Omission(testDescription: "add contrib/data/sample/rates.json") {
      Checklist(tree: tree.removing("contrib/data/sample/rates.json")).missingSteps(ofSampleOf: "rates")
    },
  ]

  @Test(arguments: omissions) func `a step that is left out is named`(omission: Omission) {
    let missing = omission.missing()
    #expect(missing.first?.hasPrefix(omission.testDescription) == true, "found \(missing)")
  }

  // MARK: Columns

  /// The columns that each file of listings declares, in order, without those of tables alone.
  ///
  /// Scripts depend on their places.
  private static let columns = Dictionary(
    list.tree.text("contrib/man/columns.tsv").split(separator: "\n").map { line in
      let fields = line.split(separator: "\t")
      return (String(fields[0]), fields[1].split(separator: " ").map(String.init))
    }
  ) { first, _ in first }

  @Test func `columns are recorded and keep their places`() {
    for file in Repository.files(under: "Sources/Client/CitiesCommands") {
      let found = firstGroups(
        #"Column(?:<[^>]+>)?\(\s*"([a-z_]+)"(?!, in: \.table)"#, in: Self.list.tree.text(file))
      let name = String(file.split(separator: "/").last ?? "")
      guard found != Self.columns[name] ?? [] else { continue }
      report([
        """
        record the columns of \(name) in contrib/man/columns.tsv (contrib/generate does it for a new verb), explain new \
        ones in the help text of the verb, and note them in contrib/docs/CHANGELOG.md. Existing ones keep their names \
        and places; a new one comes after all that tsv and csv print. Found: \(found.joined(separator: " "))
        """
      ])
    }
  }

  @Test(arguments: ["Listing.swift", "BankListing.swift"]) func `columns of rows are in the manual`(file: String) {
    let tree = Self.list.tree
    let manual = tree.files(under: "contrib/man").filter { $0.contains("/citiesctl") }.map(tree.text).joined()
    let names = Set(Self.columns[file] ?? []).sorted()
    report(
      names.filter { !manual.contains(word: $0) }.map {
        "explain the column \($0) in the help text, then run contrib/generate"
      })
  }
}
