internal import ArgumentParser

/// A message of the parser's, with what the user may have meant.
///
/// The parser suggests the name that is most like an unknown one. People who know other programs often mean something else:
/// `--csv` is not `--columns`, and a file belongs on standard input.
struct WrongUse {
  private let parsers: String
  private let verb: (any Verb.Type)?
  private let rest: [String]

  /// Takes the parser's message about `words`, which follow the name of `verb`.
  init(_ message: String, of verb: (any Verb.Type)?, _ words: [String]) {
    (parsers, self.verb, rest) = (message, verb, words)
  }

  /// The message.
  var message: String {
    if verb == nil, parsers == "unknown option '-v'" {
      return parsers + "; did you mean '-V' for the version, or '--verbose' of 'citiesctl status'?"
    }
    guard let verb, let word = Self.quoted(parsers), let advice = advice(verb, word) else { return parsers }
    let mark = "; did you mean "
    let problem = parsers.firstRange(of: mark).map { parsers[..<$0.lowerBound] } ?? parsers[...]
    return "\(problem); \(advice)"
  }

  private func advice(_ verb: any Verb.Type, _ word: String) -> String? {
    if parsers.hasPrefix("unknown option") { return format(verb, word) ?? reach(verb, word) }
    guard parsers.contains("unexpected argument") else { return nil }
    let isCurrency = word.utf8.count == 3 && word.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
    if isCurrency, QuickReader.names(verb).contains("--in") {
      return "write '--in \(word.uppercased())' for totals in that currency"
    }
    guard verb is LocateVerb.Type || verb is MatchVerb.Type else { return nil }
    return "it reads standard input: 'citiesctl \(verb._commandName) < \(shellWord(word))'"
  }

  /// For an unknown option that is a format of `verb`, as `--csv` is.
  private func format(_ verb: any Verb.Type, _ word: String) -> String? {
    let name = String(word.drop { $0 == "-" })
    guard QuickReader.names(verb).contains("--output") else { return nil }
    let draws = verb is MapVerb.Type || verb is BankMapVerb.Type
    let isFormat = draws ? MapFormat(rawValue: name) != nil : OutputFormat(rawValue: name) != nil
    return isFormat ? "did you mean '--output \(name)'?" : nil
  }

  /// For an unknown option that other programs have for the number of rows, or for a distance.
  private func reach(_ verb: any Verb.Type, _ word: String) -> String? {
    let names = QuickReader.names(verb)
    let value = value(of: word)
    if Self.distances.contains(word), names.contains("--radius") {
      return "did you mean '\((["--radius"] + value).joined(separator: " "))'?"
    }
    guard Self.counts.contains(word), names.contains("--limit") else { return nil }
    if let value = value.first, UInt64(value) != nil { return "did you mean '--limit \(value)'?" }
    return word == "--count" ? "'| wc -l' after the command counts rows" : "'--limit N' prints up to N rows"
  }

  private static let distances = ["--within", "--distance", "--range", "--around"]
  private static let counts = ["--top", "--max", "--rows", "--results", "--number", "--count", "--all"]

  /// The value that was given to an unknown option: after an equals sign, else the next word.
  private func value(of option: String) -> [String] {
    guard let index = rest.firstIndex(where: { $0 == option || $0.hasPrefix("\(option)=") }) else { return [] }
    if rest[index] != option { return [String(rest[index].dropFirst(option.count + 1))] }
    return rest[(index + 1)...].prefix(1).filter { !$0.hasPrefix("-") }
  }

  /// The first text between quotation marks.
  private static func quoted(_ message: String) -> String? {
    let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}

/// What `citiesctl` without any words prints: what people want to do, each as a command to type.
enum TaskOverview {
  /// At most 20 lines of at most 80 characters.
  static let text = """
    citiesctl looks up cities, bank branches, products and exchange rates.

      citiesctl find kyiv                     find a city by a name in any language
      citiesctl time kyiv                     show the local time there
      citiesctl near kyiv                     list the cities around it
      citiesctl search --all -o csv new       list all cities that start with "new"
      citiesctl map kyiv                      draw a map of its surroundings
      citiesctl map -o svg iceland > is.svg   draw a country, as a picture
      citiesctl bank near tallinn --open-now  find open branches and cash machines
      citiesctl product show T2006 --in USD   add up a product's transactions
      citiesctl rate convert 12.50 USD EUR    convert an amount
      citiesctl browse                        browse all of it on the full screen
      citiesctl status                        show which data there is, and its age

    'citiesctl --help' lists all commands, 'citiesctl help COMMAND' explains one.
    """
}
