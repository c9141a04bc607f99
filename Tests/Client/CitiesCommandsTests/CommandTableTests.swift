import CitiesProtocol
import Testing

@testable import CitiesCommands

/// The tables of all commands, and how words are read by them.
@Suite struct CommandTableTests {
  static let verbs = Citiesctl.verbs + Citiesctl.groups.flatMap { $0.verbs }

  @Test(
    arguments: [
      (["a", "--limit", "5"], "limit: Optional(5)"), (["--limit=5", "a"], "limit: Optional(5)"),
      (["-n", "5", "a"], "limit: Optional(5)"), (["-n5", "a"], "limit: Optional(5)"),
      (["-n=5", "a"], "limit: Optional(5)"), (["-cus", "a"], #"country: Optional("us")"#),
      (["-0n", "5", "a"], "limit: Optional(5)"), (["-0otsv", "a"], "endsRowsWithNUL: true"),
      (["--", "--limit"], #"words: ["--limit"]"#), (["a", "--", "-b", "--"], #"words: ["a", "-b", "--"]"#),
      (["a", "-", "b"], #"words: ["a", "-", "b"]"#), (["-1"], #"words: ["-1"]"#),
      (["a", "--all", "--all"], "all: true"), (["a", "--columns", "id,title"], #"columns: ["id", "title"]"#),
      (["a", "--columns", ""], #"columns: [""]"#), (["a", "--timeout", "200ms"], "timeout: 0.2 seconds"),
      (["a", "--output=jsonl"], "OutputFormat.jsonl"), ([""], #"words: [""]"#),
      (["a", "--limit", "3", "--limit", "4"], "limit: Optional(4)"), (["a", "-n4", "-n=3"], "limit: Optional(3)"),
    ] as [([String], String)])
  func `words are given to their options`(words: [String], value: String) throws {
    let verb = "\(try SearchVerb.read(words))"
    #expect(verb.contains(value), "\(verb)")
  }

  @Test(
    arguments: [
      (["a", "--limit"], "missing value for '--limit <n>'"),
      (["a", "--limit", "--all"], "missing value for '--limit <n>'"),
      (["a", "--limit", "--", "3"], "missing value for '--limit <n>'"),
      (["a", "--limit", ""], "--limit must be a whole number from 1 to 1000, not ''"),
      (["a", "--limit="], "missing value for '--limit <n>'"),
      (["a", "--limit", "-1"], "--limit must be a whole number from 1 to 1000, not '-1'"),
      (["a", "--all=yes"], "--all takes no value"),
      (["a", "--limitt", "5"], "unknown option '--limitt'; did you mean '--limit'?"),
      (["a", "-x"], "unknown option '-x'"),
      (["a", "-0x"], "unknown option '-x'"),
      (["a", "--Limit", "5"], "unknown option '--Limit'; did you mean '--limit'?"),
      (["a", "--li", "5"], "unknown option '--li'; did you mean '--limit'?"),
      (["a", "--no-such=1"], "unknown option '--no-such'"),
    ] as [([String], String)])
  func `wrong use says what is wrong`(words: [String], message: String) {
    #expect(#expect(throws: ValidationError.self) { try SearchVerb.read(words) }?.message == message)
  }

  @Test func `an argument too many or too few is named`() {
    func message(_ verb: any Verb.Type, _ words: [String]) -> String? {
      #expect(throws: ValidationError.self) { try verb.read(words) }?.message
    }
    #expect(message(ProductShowVerb.self, []) == "missing argument: '<sku>'")
    #expect(message(ProductShowVerb.self, ["a", "b"]) == "unexpected argument 'b'")
    #expect(message(CallVerb.self, ["a", "b", "c", "d"]) == "2 unexpected arguments: 'c' and 'd'")
  }

  @Test func `an option for several values may be repeated`() throws {
    let verb = "\(try BankListVerb.read(["--kind", "atm", "--kind", "bna,unknown"]))"
    #expect(["atm", "bna", "unknown"].allSatisfy { verb.contains("\"\($0)\"") }, "\(verb)")
  }

  /// The examples of the help are what people type: none is wrong use.
  @Test func `every example of the help is read`() throws {
    var examples = 0
    for verb in Self.verbs {
      for line in verb.command.discussion.split(separator: "\n") {
        let command = line.drop { $0 == " " }.prefix { !"|><".contains($0) }
        guard line.hasPrefix("  "), command.hasPrefix(verb.command.fullName) else { continue }
        examples += 1
        #expect(throws: Never.self, "\(line)") {
          try verb.read(Self.words(of: command.dropFirst(verb.command.fullName.count)))
        }
      }
    }
    #expect(examples >= 25)
  }

  /// The words of a command line as a shell makes them, as far as examples need it: blanks and single quotes.
  static func words(of line: Substring) -> [String] {
    var words: [String] = []
    for (index, part) in String(line).split(separator: Character("'"), omittingEmptySubsequences: false).enumerated() {
      if index % 2 == 1 {
        words.append(String(part))
      } else {
        words += part.split(separator: Character(" ")).map(String.init)
      }
    }
    return words
  }

  @Test func `no two options of a command have one name`() {
    for verb in Self.verbs {
      let options = ArgumentTable(of: verb).options
      let names = options.flatMap { [$0.name, $0.short].compactMap(\.self) } + ["--help", "-h"]
      #expect(Set(names).count == names.count, "\(verb.name): \(names)")
      #expect(names.allSatisfy { ArgumentTable.isOption($0) }, "\(verb.name): \(names)")
    }
  }

  @Test func `every option has a line of help`() throws {
    for verb in Self.verbs {
      let name = verb.command.fullName.split(separator: " ").dropFirst().map(String.init)
      let help = try outcome(["help"] + name).output
      let brief = try outcome(name + ["--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
      // The last line ends, too. A terminal has 24 lines at least, and most have more than 40.
      #expect(brief.count <= 41 && brief.allSatisfy { $0.count <= 80 }, "\(name): \(brief.count)")
      for option in ArgumentTable(of: verb).options {
        #expect(brief.contains { $0.contains(option.name) }, "\(name) \(option.name)")
      }
      for entry in ArgumentTable(of: verb).arguments + ArgumentTable(of: verb).options {
        #expect(help.contains("\n  \(entry.label)"), "\(verb.name) \(entry.label)")
        #expect(entry.summary.hasSuffix(".") && entry.summary.count <= 90, "\(verb.name) \(entry.label)")
      }
    }
  }

  @Test(
    arguments: [
      (["se"], ["search", "session"]), (["bank", ""], ["regions", "list", "search", "show", "near", "map"]),
      (["help", "ba"], ["bank"]), (["--v"], ["--version"]), (["search", "--col"], ["--columns", "--color"]),
      (["search", "--columns", "id", "--col"], ["--color"]), (["search", "--match", "f"], ["folded"]),
      (["search", "--columns=id", "--col"], ["--color"]), (["search", "-n5", "--lim"], []),
      (["search", "--limit=5", "--lim"], []),
      (["search", "--match", "=", "f"], ["folded"]), (["search", "--match=f"], ["--match=folded"]),
      (["search", "-s", ""], ["key", "population"]), (["call", "--", "--tr"], []),
      (["bank", "list", "--kind", "atm", "--ki"], ["--kind"]), (["watch", "b"], ["banks"]),
      (["watch", "cities", "t"], ["trade"]),
      (["product", "show", "a", ""], []), (["product", "nope", ""], []), (["session", "-o", ""], ["tsv", "jsonl"]),
    ] as [([String], [String])])
  func `a word is completed by the table`(typed: [String], candidates: [String]) throws {
    let lines = try outcome(["---complete"] + typed).output.split(separator: "\n")
    #expect(lines.first == "words" && lines.dropFirst().map { $0.prefix { $0 != "\t" } } == candidates.map { $0[...] })
  }

  @Test func `paths are left to the shell`() throws {
    #expect(try outcome(["---complete", "search", "--socket", "/t"]).output == "files\n")
  }
}
