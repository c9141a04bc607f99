import TestSupport

/// The checklists of `.github/CONTRIBUTING.md` over a tree of sources: which of their steps are missing.
///
/// Each method returns the missing steps of one item, as sentences that say what to do.
struct Checklist {
  let tree: SourceTree
  /// The files of the tests that run commands.
  private let tests: [String]

  init(tree: SourceTree, tests: [String]? = nil) {
    self.tree = tree
    self.tests = tests ?? ["Tests/Client", "Tests/EndToEnd"].flatMap(tree.files(under:))
  }

  // MARK: Messages and error codes

  var messages: [String] { tree.declarations(#"struct (\w+): (?:\w+, )*RequestMessage\b"#, under: "Protocol") }
  var methods: [String] { tree.declarations(#"static let method = "([a-z.]+)""#, under: "Protocol") }
  var errorCodes: [String] { tree.declarations(#"ErrorCode\(rawValue: "([a-z-]+)"\)"#, under: "Protocol") }

  /// Those between the two servers are left out: no user sends them.
  var publicMessages: [String] {
    let registered = between("`public`: [any RequestMessage.Type] = [", "]", of: tree.text(Self.registry)) ?? ""
    return messages.filter { registered.contains(word: $0) }
  }

  private static let registry = "Protocol/Envelope/MessageRegistry.swift"

  func missingSteps(ofMethod method: String) -> [String] {
    steps {
      $0(
        hasTableRow(for: method, in: tree.text("Protocol/README.md")),
        "add a row for `\(method)` to the table of methods in Protocol/README.md")
    }
  }

  func missingSteps(ofPublicMessage message: String) -> [String] {
    steps {
      $0(
        tree.files(under: "Sources/Client").contains { tree.text($0).contains(word: message) },
        "give \(message) a verb below Sources/Client/CitiesCommands/Verbs: users reach it by `citiesctl call` alone")
    }
  }

  func missingSteps(ofErrorCode code: String) -> [String] {
    steps {
      $0(
        hasTableRow(for: code, in: tree.text("Protocol/README.md")),
        "add a row for `\(code)` to the table of errors in Protocol/README.md")
      $0(
        tree.text("Protocol/cities.cddl").split(separator: "\n").contains { $0.hasPrefix("error-\(code) ") },
        "add the rule error-\(code) to Protocol/cities.cddl")
      $0(
        tree.files(under: "Protocol/vectors").contains { $0.hasPrefix("Protocol/vectors/error.\(code).") },
        "add Protocol/vectors/error.\(code).hex, and the code to GoldenVectorTests.codes")
    }
  }

  // MARK: Feeds

  var feeds: [String] { tree.declarations(#"static let (\w+) = FeedName\(rawValue:"#, under: "Protocol") }
  private static let subjects = "Protocol/Messages/Subject.swift"

  func missingSteps(ofFeed feed: String) -> [String] {
    let listed = between("let subjects: KeyValuePairs<FeedName, Subject> = [", "]", of: tree.text(Self.subjects)) ?? ""
    return steps {
      $0(
        listed.contains(".\(feed): ."),
        "add .\(feed) with its subject to FeedName.subjects, in the place that it shall have in reports")
    }
  }

  private func name(of feed: String) -> String {
    between("static let \(feed) = FeedName(rawValue: \"", "\"", of: tree.text(Self.subjects)) ?? feed
  }

  func missingSteps(ofPagesOf feed: String) -> [String] {
    let name = name(of: feed)
    let manual = tree.text("contrib/man/sync.json.5")
    let formats = tree.text("contrib/man/cities-formats.5")
    let item = between("\n.It Cm \(name)\n", " .\n.", of: manual)
    let format = item.flatMap { between("\nFormat\n.Cm ", "\n", of: $0 + "\n") } ?? name
    let url = between("url: \"", "\"", of: entry(of: feed) ?? "") ?? ""
    return steps {
      $0(
        manual.contains("\n    \"\(name)\":"), "show \"\(name)\" in the example of contrib/man/sync.json.5")
      $0(
        item?.contains("\nFormat\n.Cm ") == true,
        "list \(name) below \"Feeds\" in contrib/man/sync.json.5; its item ends with Format and .Cm FORMAT")
      $0(
        url.isEmpty || manual.ranges(of: url).count > 1,
        "give \(name) its default URL \(url) twice in contrib/man/sync.json.5")
      $0(
        formats.contains("\n.Ss \(format)\n") && formats.contains("\n.\\\" test: \(format)\n"),
        "describe the format \(format) in contrib/man/cities-formats.5, with an example after .\\\" test: \(format)")
    }
  }

  private func entry(of feed: String) -> String? {
    between("name: .\(feed),", "Entry(", of: tree.text("Sources/Sync/FeedSync/Feeds/FeedCatalogue.swift") + "Entry(")
  }

  /// The list of cities has a catalogue entry of its own: it ships with the program.
  var feedsWithSamples: [String] { feeds.filter { $0 != "cities" } }

  func missingSteps(ofSampleOf feed: String) -> [String] { steps { sampleSteps(of: feed, &$0) } }

  private func sampleSteps(of feed: String, _ steps: inout MissingSteps) {
    guard let entry = entry(of: feed) else {
      return steps(false, "add an entry for .\(feed) to FeedCatalogue: its URL, headers and sample")
    }
    guard let sample = between("sample: \"", "\"", of: entry) else {
      return steps(false, "name a sample in the entry of .\(feed) in FeedCatalogue")
    }
    steps(
      tree.files(under: "contrib/data/sample").contains("contrib/data/sample/\(sample)"),
      "add contrib/data/sample/\(sample), made up, in the format of the source")
  }

  // MARK: Verbs

  private static let commands = "Sources/Client/CitiesCommands"
  var verbs: [String] { tree.declarations(#"struct (\w+): (?:\w+, )*\w*Verb\b"#, under: Self.commands) }
  var verbNames: [String] { Set(tree.declarations(#"CommandText\(\s*"([a-z]+)""#, under: Self.commands)).sorted() }

  func missingSteps(ofVerb verb: String) -> [String] {
    let lists = ["[any Verb.Type] = [", "= VerbGroup("]
    let trees = tree.files(under: Self.commands).map(tree.text).filter { text in lists.contains { text.contains($0) } }
    return steps {
      $0(
        trees.contains { $0.contains(word: "\(verb).self") },
        "add \(verb).self to Citiesctl.cityVerbs, serverVerbs or the verbs of its group; then run contrib/generate")
    }
  }

  /// The verbs that do not belong to a subject, and the subjects: each has a page of its own.
  var pagedNames: [String] {
    Set(tree.declarations(#"= (?:CommandText|VerbGroup)\(\s*"([a-z]+)",(?! in:)"#, under: Self.commands)).sorted()
  }

  func missingSteps(ofPage name: String) -> [String] {
    let page = "contrib/man/citiesctl-\(name).1"
    let text = tree.text(page)
    return steps {
      $0(!text.isEmpty, "run contrib/generate, which writes \(page), and commit the page")
      $0(
        text.isEmpty || text.contains("\n.Sh EXAMPLES\n"),
        "end the description of `citiesctl \(name)` with examples, each after a line \"# What it does\"")
      $0(
        tree.text("contrib/man/citiesctl.1").contains("Xr citiesctl-\(name) 1"),
        "run contrib/generate: citiesctl(1) does not list citiesctl-\(name)(1)")
    }
  }

  func missingSteps(ofVerbName name: String) -> [String] {
    let pages = tree.files(under: "contrib/man").filter { $0.contains("/citiesctl") }.map(tree.text)
    let examples = pages.flatMap { $0.split(separator: "\n").filter { $0.hasPrefix("citiesctl ") } }
    return steps {
      $0(
        examples.contains { $0.split(separator: " ").prefix(3).contains { $0 == name } }
          || tests.contains { tree.text($0).contains("\"\(name)\"") },
        "end the description of `\(name)` with an example, which Tests/EndToEnd/test_manual.py runs, or add a test")
    }
  }

  // MARK: Resident kinds

  /// The types with a kind, which have a file each.
  var residentTypes: [String] {
    tree.files(under: "Sources/Resident").filter { tree.text($0).contains("static let kind = ResidentKind(") }
      .map { String($0.split(separator: "/").last?.prefix { $0 != "." && $0 != "+" } ?? "") }
  }

  func missingSteps(ofResidentType type: String) -> [String] {
    let verification = tree.text("Sources/Sync/FeedSync/Verification.swift")
    let checks = between("static let checks: [Check] = [", "\n  ]", of: verification) ?? ""
    let tests = tree.files(under: "Tests/Resident").filter { $0.hasSuffix("/\(type)Tests.swift") }
      .map(tree.text).joined()
    return steps {
      $0(
        checks.contains("(\(type).kind, {"),
        "let `citiesd-sync verify` prove files of \(type).kind: add it to Verification.checks")
      $0(
        tests.contains("@Test") && tests.contains(word: type),
        "add \(type)Tests.swift below Tests/Resident: what \(type) writes and reads")
      $0(
        tests.contains("throws: ResidentError.self"),
        "test in \(type)Tests.swift which files \(type) refuses")
    }
  }

  func missingStepsOfResidentKinds() -> [String] {
    let names = tree.declarations(#"fileName: "([a-z.]+)""#, under: "Sources/Resident")
    let codes = tree.declarations(#"ResidentKind\(\s*code: (?:FourBytes\()?"?(\w+)"#, under: "Sources/Resident")
    let manual = tree.text("contrib/man/citiesd.8")
    return steps {
      $0(
        names.count == residentTypes.count && Set(names).count == names.count,
        "give every ResidentKind a file name of its own; there are \(names)")
      $0(
        codes.count == names.count && Set(codes).count == codes.count,
        "give every ResidentKind four bytes of its own; there are \(codes)")
      for name in names { $0(manual.contains(name), "list \(name) under FILES in contrib/man/citiesd.8") }
    }
  }

  private func steps(_ body: (inout MissingSteps) -> Void) -> [String] {
    var missing = MissingSteps()
    body(&missing)
    return missing.all
  }
}

/// The steps that were found missing, in order.
private struct MissingSteps {
  private(set) var all: [String] = []

  mutating func callAsFunction(_ isDone: Bool, _ step: String) {
    if !isDone { all.append(step) }
  }
}

/// The files of the repository, of which some may be changed or left out in memory.
struct SourceTree: Sendable {
  private var changed: [String: String] = [:]
  private var absent: Set<String> = []

  /// The same tree without `part` in the text of `file`; `part` must be there.
  func removing(_ part: String, from file: String) -> SourceTree {
    var copy = self
    let whole = text(file)
    guard let found = whole.firstRange(of: part) else { preconditionFailure("\(file) has no \"\(part)\"") }
    copy.changed[file] = String(whole[..<found.lowerBound] + whole[found.upperBound...])
    return copy
  }

  /// The same tree without `file`.
  func removing(_ file: String) -> SourceTree {
    precondition(Repository.exists(Repository.path(file)), "there is no \(file)")
    var copy = self
    copy.absent.insert(file)
    return copy
  }

  /// The text of a file; empty if there is none.
  func text(_ file: String) -> String {
    if absent.contains(file) { return "" }
    return changed[file] ?? (try? Repository.text(Repository.path(file))) ?? ""
  }

  /// All files below a folder.
  func files(under folder: String) -> [String] {
    Repository.files(under: folder).filter { !absent.contains($0) }
  }

  /// The first groups of all matches of `pattern` in the Swift files below `folder`, in order of path.
  func declarations(_ pattern: String, under folder: String) -> [String] {
    files(under: folder).filter { $0.hasSuffix(".swift") }.flatMap { firstGroups(pattern, in: text($0)) }
  }
}

/// The first groups of all matches of `pattern` in `text`.
func firstGroups(_ pattern: String, in text: String) -> [String] {
  guard let expression = try? Regex(pattern) else { return [] }
  return text.matches(of: expression).compactMap { $0.output[1].substring.map(String.init) }
}

/// What stands between the first `start` and the next `end`; `nil` if either is missing.
private func between(_ start: String, _ end: String, of text: String) -> String? {
  guard let first = text.firstRange(of: start) else { return nil }
  let rest = text[first.upperBound...]
  guard let last = rest.firstRange(of: end) else { return nil }
  return String(rest[..<last.lowerBound])
}

/// Whether a table of the Markdown text has a row whose first cell is `name` as code, or a list with it.
private func hasTableRow(for name: String, in text: String) -> Bool {
  text.split(separator: "\n").contains { line in
    let names = line.dropFirst(2).prefix { $0 != "|" }
    // A row such as "`limit` of `city.near`, `city.find`" is about a parameter of methods, not about a method.
    return line.hasPrefix("| `") && !names.contains("` of `")
      && names.split(separator: ",").contains { $0.split(separator: " ") == ["`\(name)`"] }
  }
}

extension StringProtocol {
  /// Whether `word` occurs without letters, digits or low lines next to it.
  func contains(word: String) -> Bool {
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
