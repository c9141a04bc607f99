import TestSupport
import Testing

/// What stands where, so that a newcomer finds it without asking.
@Suite struct LayoutTests {
  @Test func `the top level holds the agreed entries alone`() {
    let agreed: Set = ["Package.swift", "Package.resolved", "Sources", "Tests", "Protocol", "contrib", "README.md"]
    let others = Repository.names(in: Repository.root).filter { !$0.hasPrefix(".") && !agreed.contains($0) }
    #expect(others.isEmpty, "\(others) stand at the top level: licence, logs, notes and packaging live below contrib")
  }

  @Test(arguments: Modules.libraryFolders) func `every library has tests at the same place`(folder: String) throws {
    let tests = Modules.testFolder(of: folder)
    let holdsTest = try Repository.files(under: tests).filter { $0.hasSuffix(".swift") }
      .contains { try Repository.text(Repository.path($0)).contains("@Test") }
    #expect(holdsTest, "\(tests) holds no test: \(folder) would change unwatched")
  }

  @Test func `tests mirror what exists`() {
    let known = Set(Modules.libraryFolders.map(Modules.testFolder(of:)))
    let others = Repository.files(under: "Tests").filter { $0.hasSuffix(".swift") }
      .filter { file in !known.contains { file.hasPrefix("\($0)/") } }
      .filter { file in
        !["Architecture", "Support", "Fuzzing", "Simulation"].contains { file.hasPrefix("Tests/\($0)/") }
      }
    #expect(others.isEmpty, "\(others) test no module that exists")
  }

  @Test func `no test uses the old framework`() throws {
    for file in Repository.files(under: "Tests") where file.hasSuffix(".swift") {
      let imports = ImportScanner.imports(in: try Repository.text(Repository.path(file))).map(\.module)
      #expect(!imports.contains("XCTest"), "\(file): one framework, Swift Testing, says what a failing case was given")
    }
  }

  @Test func `every test has a sentence for its name`() throws {
    for file in Repository.files(under: "Tests") where file.hasSuffix(".swift") {
      let lines = try Repository.text(Repository.path(file)).split(separator: "\n").map { $0.drop { $0 == " " } }
      for (place, line) in lines.enumerated() where line.hasPrefix("@Test") {
        // Traits and arguments may come between, on lines of their own.
        let function = lines[place...].first { $0.hasPrefix("func ") || $0.contains(#/^@Test.* func |\) func /#) }
        #expect(function?.contains("func `") == true && !line.hasPrefix("@Test(\""), "\(file): \(line)")
      }
    }
  }

  @Test func `no header sets a feature test macro`() throws {
    for file in Repository.files(under: "Sources") where file.hasSuffix(".h") {
      let text = try Repository.text(Repository.path(file))
      #expect(
        !text.contains("#define _GNU_SOURCE") && !text.contains("#define _DEFAULT_SOURCE"),
        "\(file): a feature-test macro in one imported header breaks builds that import a second module of C")
    }
  }

  @Test func `nothing changes the umask`() throws {
    for file in ["Sources", "Tests"].flatMap(Repository.files(under:))
    where [".swift", ".h", ".c"].contains(where: file.hasSuffix) {
      #expect(
        !(try Repository.text(Repository.path(file))).contains("umask" + "("),
        "\(file): the umask is the whole process's, and another thread may make a file meanwhile")
    }
  }

  @Test func `no test shares a mutable value with others`() throws {
    let lasting = try Regex("^ *(?:[a-z()]+ +)*static +(?:var +[^{]*(?:=|$)|let +.*[ =](?:Box|Mutex|Atomic)[<(])")
    let global = try Regex("^(?:[a-z()]+ +)*(?:var +[^{]*(?:=|$)|let +.*[ =](?:Box|Mutex|Atomic)[<(])")
    for file in Repository.files(under: "Tests") where file.hasSuffix(".swift") {
      for (number, line) in lines(try Repository.text(Repository.path(file)))
      where line.contains("static ") || !line.hasPrefix(" ") {
        #expect(
          !line.contains(lasting) && !line.contains(global),
          "\(file):\(number): tests run in parallel, and one would count the work of another; keep the value in the test"
        )
      }
    }
  }

  @Test func `every type that the compiler does not check says why it is sendable`() throws {
    for file in ["Sources", "Protocol", "Tests"].flatMap(Repository.files(under:)) where file.hasSuffix(".swift") {
      let lines = lines(try Repository.text(Repository.path(file)))
      for (number, line) in lines where line.contains("@unchecked" + " Sendable") {
        let comment = lines[..<(number - 1)].reversed().prefix { $0.line.drop { $0 == " " }.hasPrefix("//") }
        #expect(
          comment.contains { $0.line.contains("`Sendable` because ") },
          "\(file):\(number): say '`Sendable` because …' above it; without a reason nobody knows what a change may break"
        )
      }
    }
  }

  @Test func `no function has more than 40 lines`() throws {
    let most = 40
    let words = "public|package|private|fileprivate|static|mutating|borrowing|consuming|override|final|nonisolated"
    let start = try Regex("^ *(?:@[A-Za-z_]+(?:\\([^)]*\\))? +)*(?:(?:\(words)) +)*(?:func|init|subscript)\\b")
    for file in ["Sources", "Protocol"].flatMap(Repository.files(under:)) where file.hasSuffix(".swift") {
      let lines = lines(try Repository.text(Repository.path(file)))
      for (number, line) in lines where line.contains(start) {
        let end = line.prefix { $0 == " " } + "}"
        let length = lines[(number - 1)...].prefix { !$0.line.hasPrefix(end) }.count + 1
        let isOpen = lines[(number - 1)...].first { $0.line.hasSuffix("{") || $0.line.hasSuffix("}") }
        #expect(
          length <= most || isOpen?.line.hasSuffix("{") != true, "\(file):\(number): \(length) lines, at most \(most)")
      }
    }
  }

  @Test func `no name is that of two types that other modules see`() throws {
    let declaration = try Regex(
      "^(?:@[A-Za-z_]+(?:\\([^)]*\\))? +)*(?:public|package) (?:final |indirect )*(?:struct|class|enum|protocol) (\\w+)",
      as: (Substring, Substring).self)
    var files: [Substring: String] = [:]
    for file in ["Sources", "Protocol"].flatMap(Repository.files(under:)) where file.hasSuffix(".swift") {
      for (number, line) in lines(try Repository.text(Repository.path(file))) {
        guard let name = line.firstMatch(of: declaration)?.output.1 else { continue }
        let other = files.updateValue(file, forKey: name)
        #expect(other == nil, "\(file):\(number): \(other ?? "") has a type \(name), too")
      }
    }
  }

  @Test func `no clock is read that is late`() throws {
    let call = try Regex("\\btime" + "\\((?:nil|NULL)\\)")
    for file in ["Sources", "Tests"].flatMap(Repository.files(under:))
    where [".swift", ".h", ".c"].contains(where: file.hasSuffix) {
      #expect(
        !(try Repository.text(Repository.path(file))).contains(call),
        "\(file): time(2) may be a few milliseconds older than clock_gettime(2); read `SystemClock`")
    }
  }

  /// The lines of `text`, numbered from 1.
  private func lines(_ text: String) -> [(number: Int, line: Substring)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0 + 1, $1) }
  }

  /// Records of data cannot be wrapped, and completions are generated.
  @Test func `no script has a line of more than 120 columns`() throws {
    let columns = 120
    for file in ["Tests", "contrib", ".ci"].flatMap(Repository.files(under:)) where !file.contains("/completions/") {
      let bytes = try Repository.bytes(Repository.path(file))
      guard file.hasSuffix(".py") || bytes.starts(with: "#!".utf8) else { continue }
      for (number, line) in lines(String(decoding: bytes, as: UTF8.self)) where line.utf8.count > columns {
        let isWide = line.unicodeScalars.count > columns && !line.contains("\\t")
        #expect(!isWide, "\(file):\(number): a line of \(line.unicodeScalars.count) columns, at most \(columns)")
      }
    }
  }

  /// The formatter wraps code but not comments; rows of tables cannot be wrapped.
  @Test func `no comment has more than 120 columns`() throws {
    let columns = 120
    for file in ["Sources", "Tests", "Protocol"].flatMap(Repository.files(under:))
    where file.hasSuffix(".swift") || file.hasSuffix(".h") {
      for (number, line) in lines(try Repository.text(Repository.path(file))) where line.count > columns {
        let isProse = line.drop { $0 == " " }.hasPrefix("//") && !line.contains(" | ")
        #expect(!isProse, "\(file):\(number): a comment of \(line.count) columns, at most \(columns)")
      }
    }
  }

  /// Rows of tables cannot be wrapped, and indented lines are examples.
  @Test func `no document has a line of more than 128 columns`() throws {
    let columns = 128
    let pages = ["contrib", "Protocol", ".github"].flatMap(Repository.files(under:)) + ["README.md"]
    for file in pages where file.hasSuffix(".md") {
      for (number, line) in lines(try Repository.text(Repository.path(file)))
      where line.count > columns && !line.drop(while: { $0 == " " }).hasPrefix("|") && !line.hasPrefix("    ") {
        Issue.record("\(file):\(number): a line of \(line.count) columns, at most \(columns)")
      }
    }
  }

  @Test func `no page holds a control character`() throws {
    let pages = ["contrib", "Protocol"].flatMap(Repository.files(under:)) + ["README.md"]
    for file in pages where [".md", ".txt", ".cddl"].contains(where: { file.hasSuffix($0) }) {
      let found = try Repository.text(Repository.path(file)).unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
      }
      #expect(found.isEmpty, "\(file): \(found.map(\.value)), which terminals hide and searches do not pass over")
    }
  }

  @Test func `no file names a folder of somebody's machine`() throws {
    let foreign = ["/wor" + "k/", "/roo" + "t/", "/home" + "/", "/Users" + "/"]
    for file in ["Sources", "Tests", "Protocol", "contrib"].flatMap(Repository.files(under:)) + ["README.md"] {
      let path = Repository.path(file)
      guard ![".gz", ".zip"].contains(where: file.hasSuffix), !file.contains("__pycache__"), Repository.exists(path)
      else { continue }
      let text = try Repository.text(path)
      let found = foreign.filter { begins(with: $0, in: text) }
      #expect(found.isEmpty, "\(file) names \(found): it would work on one machine alone")
    }
  }

  /// Whether a path in `text` begins with `folder`; `$base/x/` does not begin with `/x/`.
  private func begins(with folder: String, in text: String) -> Bool {
    text.split(separator: folder, omittingEmptySubsequences: false).dropLast()
      .contains { !($0.last?.isLetter ?? false) }
  }
}
