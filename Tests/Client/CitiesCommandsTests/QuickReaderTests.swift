import ArgumentParser
import Testing

@testable import CitiesCommands

/// The two readers of a verb's declaration must agree wherever the quick one does not decline.
@Suite struct QuickReaderTests {
  static let verbs = Citiesctl.verbs + Citiesctl.groups.flatMap { $0.verbs }

  /// Words after a verb's name, plain and odd, right and wrong.
  static let lines: [[String]] = [
    [], ["a"], [""], ["a", "b"], ["a", "b", "c"], ["--limit", "5"], ["a", "--limit", "5"], ["--limit=5", "a"],
    ["a", "-n", "5"], ["-n5", "a"], ["a", "-s", "population"], ["a", "-v"], ["-v"],
    ["a", "b", "-c", "us"],
    ["a", "--limit", "0"], ["a", "--limit", "x"], ["a", "--limit"], ["a", "--limit="], ["a", "--limit", ""],
    ["a", "--limit", "3", "--limit", "4"], ["a", "--offset", "2"], ["a", "--all"], ["a", "--all", "--all"],
    ["a", "--all=yes"], ["a", "--count"], ["a", "--all", "--count"], ["a", "-o", "json"], ["a", "-ojson"],
    ["a", "-o=json"], ["a", "--output=jsonl"], ["a", "--output", "xml"], ["a", "-0"], ["a", "--null"],
    ["a", "-0o", "tsv"],
    ["a", "--columns", "id,title"], ["a", "--color", "never"], ["a", "--color", "blue"], ["a", "--no-pager"],
    ["a", "--socket", "/x"], ["a", "--socket", ""], ["a", "--timeout", "200ms"], ["a", "--timeout", "0"],
    ["a", "--wait", "0", "--timing"], ["a", "--country", "de", "--match", "folded", "--sort", "population"],
    ["a", "--match", "fuzzy"], ["--", "a"], ["a", "--", "-b"], ["--", "-a"], ["a", "-"], ["-"], ["a", "--no-such"],
    ["a", "-x"], ["--help"], ["a", "-h"], ["a", "--version"], ["\0-33.9,18.4"], ["a", "--radius", "2km"],
    ["1,2", "--limit", "3"], ["a", "--near", "\0-1,2"], ["a", "--near", "91,0"], ["--forget"], ["a", "--forget"],
    ["--methods"], ["--trace", "a"], ["a", "{}", "--trace"], ["--latest", "--limit", "0"], ["cities", "--force"],
    ["a", "--kind", "atm", "--kind", "branch"], ["a", "--kind", "cash machine,branch"], ["a", "--kind", "x"],
    ["a", "--open-now", "--kind", "atm", "--bank", "x"], ["--country", "Lithuania", "--region", "Alytus"],
    ["--region", ""], ["a", "--at", "2026-03-01T12:00:00Z"], ["a", "--at", "noon"], ["--in", "EUR,USD"],
    ["a", "--in", "eur", "--explain", "--rounding", "step"], ["--rounding", "up"], ["1", "USD", "EUR"],
    ["\0-12.50", "USD", "EUR", "--explain"], ["2,5", "USD", "EUR"], ["--base", "EUR"], ["a", "--total"],
    ["--noPager"], ["a", "--limitWord", "5"], ["a", "--limit-word", "5"], ["a", "--col", "x"], ["a", "--Limit", "5"],
  ]

  @Test func whatTheQuickReaderReadsTheParserReadsAlike() throws {
    var read = 0
    for verb in Self.verbs {
      for words in Self.lines {
        guard let quick = verb.read(words) else { continue }
        read += 1
        let parsed = try verb.parseAsRoot(words)
        #expect("\(quick)" == "\(parsed)", "\(verb._commandName) \(words)")
      }
    }
    #expect(read > 100)
  }

  @Test(arguments: [
    ["alb"], ["new", "york"], ["alb", "--limit", "5"], ["alb", "-n", "5", "-c", "us", "-m", "folded", "-s", "key"],
    ["alb", "-o", "json", "--all"], ["--count", "--country", "de", ""], ["--", "-x"],
    ["alb", "--match=folded", "--columns", "title", "-0"], ["alb", "--socket", "/x", "--timeout", "1", "--wait", "0"],
  ])
  func plainUsageNeedsNoParser(words: [String]) {
    #expect(SearchVerb.read(words) != nil)
  }

  /// The examples of the help are what people type: each costs the quick reader's price, and none is wrong use.
  @Test func everyExampleOfTheHelpIsPlainUsage() throws {
    var examples = 0
    for verb in Self.verbs {
      let program = "\(verb.configuration._superCommandName ?? "citiesctl") \(verb._commandName)"
      for line in verb.configuration.discussion.split(separator: "\n") {
        let command = line.drop { $0 == " " }.prefix { !"|><".contains($0) }
        guard line.hasPrefix("  "), command.hasPrefix(program) else { continue }
        let words = Self.words(of: command.dropFirst(program.count))
        examples += 1
        #expect(verb.read(ArgumentRewriter.marked(words)) != nil, "\(line)")
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

  @Test(arguments: [
    ["--help"], ["a", "-h"], [], ["a", "--limit", "0"], ["a", "--no-such"], ["a", "--limit"],
  ])
  func whatNeedsAWordOfExplanationIsDeclined(words: [String]) {
    #expect(SearchVerb.read(words) == nil)
  }

  @Test func namesAreThoseThatTheParserKnows() throws {
    for verb in Self.verbs {
      let decoder = WordDecoder()
      _ = try verb.init(from: decoder)
      let help = verb.helpMessage(includeHidden: true)
      for item in decoder.items where !item.kind.isArgument {
        #expect(help.contains("\(item.name) ") || help.contains("\(item.name)\n"), "\(verb._commandName) \(item.name)")
      }
    }
  }
}
