/// Suggestions for invalid words of a command line.
///
/// Users of other programs often mean something else than the most similar name: `--csv` is not `--columns`, and a file
/// belongs on standard input.
struct Advice {
  private let table: ArgumentTable
  private let verb: any Verb.Type

  /// Creates suggestions for `verb`, which has the options of `table`.
  init(_ table: ArgumentTable, _ verb: any Verb.Type) { (self.table, self.verb) = (table, verb) }

  /// The end of a message about an unexpected argument.
  func onArgument(_ word: String) -> String {
    let isCurrency = word.utf8.count == 3 && word.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
    if isCurrency, table.has("--in") { return "; write '--in \(word.uppercased())' for totals in that currency" }
    guard verb is LocateVerb.Type || verb is MatchVerb.Type else { return "" }
    return "; it reads standard input: 'citiesctl \(verb.name) < \(quotedForShell(word))'"
  }

  /// The end of a message about an unknown option, which may have a value.
  func onOption(_ name: String, _ value: String?) -> String {
    if let advice = format(name) ?? reach(name, value) ?? removal(name) { return "; \(advice)" }
    let names = table.options.map(\.name) + ["--help"]
    let word = String(name.drop { $0.is("-") })
    let nearest = NearestName.of(word, among: names.map { String($0.dropFirst(2)) })
    return word.count < 2 ? "" : nearest.map { "; did you mean '--\($0)'?" } ?? ""
  }

  /// The suggestion for an unknown option that is a format of the verb, such as `--csv`.
  private func format(_ option: String) -> String? {
    guard case .choices(let formats)? = table.named("--output")?.completion else { return nil }
    let name = option == "-j" ? "json" : String(option.drop { $0.is("-") })
    return formats().contains(name) ? "did you mean '--output \(name)'?" : nil
  }

  /// The suggestion for an unknown option of `here` that other programs use for removing.
  private func removal(_ option: String) -> String? {
    let names = ["--clear", "--delete", "--remove", "--reset", "--unset"]
    return verb is HereVerb.Type && names.contains(option) ? "did you mean 'citiesctl here --forget'?" : nil
  }

  /// The suggestion for an unknown option that other programs use for the number of rows, or for a distance.
  private func reach(_ option: String, _ value: String?) -> String? {
    if Self.distances.contains(option), table.has("--radius") {
      return "did you mean '--radius\(value.map { " \($0)" } ?? "")'?"
    }
    guard Self.counts.contains(option), table.has("--limit") else { return nil }
    if let value, UInt64(value) != nil { return "did you mean '--limit \(value)'?" }
    return option == "--count" ? "'| wc -l' after the command counts rows" : "'--limit N' prints up to N rows"
  }

  private static let distances = ["--within", "--distance", "--range", "--around"]
  private static let counts = ["--top", "--max", "--rows", "--results", "--number", "--count", "--all"]
}

// Words that are not a command.
extension Advice {
  /// The end of a message about an unknown command, with a suggestion made of its name and the words after it.
  ///
  /// `citiesctl kyiv` is about a place, `convert 12.50 usd eur` lacks the group, and `kyiv time` has the command last.
  /// For several other words there is no suggestion: a command made of them would be nonsense.
  static func onCommand(_ words: [String]) -> String {
    let groups = Citiesctl.groups.filter { $0.verbs.contains { $0.name == words[0] } }
    if groups.count > 1 {
      return "; did you mean \(Choice.listed(groups.map { "'\($0.name) \(words[0])'" }))?"
    }
    guard let meant = groups.first.map({ [$0.name] + words }) ?? later(words) ?? place(words) else {
      return "; 'citiesctl --help' lists all commands; 'citiesctl find WORDS' looks up a place"
    }
    return question(meant)
  }

  /// What to type instead of words that people guess for a command, none of which is a well-known city.
  static let guesses: [TextKey: String] = {
    let sentences: [(words: String, sentence: String)] = [
      ("version", "'citiesctl --version' prints the version"),
      ("update upgrade sync download fetch reload", "'citiesctl refresh' fetches new data"),
      ("reverse nearest closest nearby around surroundings", "'citiesctl near LAT,LON' finds the cities there"),
      ("geocode lookup query get info city cities ls", "'citiesctl find NAME' looks up a place"),
      ("weather forecast temperature", "no weather is known here; 'citiesctl show PLACE' shows what is"),
      ("timezone timezones zone tz clock now", "'citiesctl time PLACE' shows the local time and the time zone"),
      ("capital currency population countries", "'citiesctl country NAME' shows a country"),
      ("route directions bearing", "'citiesctl distance PLACE PLACE' measures a distance"),
      ("banks branch branches atm atms", "'citiesctl bank near PLACE' lists bank branches and cash machines"),
      ("exchange rates currencies", "'citiesctl rate' lists exchange rates and converts money"),
      ("config configure settings sources feeds", "'citiesctl feed list' lists the sources of the data"),
      ("start stop restart serve server daemon", "'citiesctl status' shows the state of the server"),
      ("check diagnose debug", "'citiesctl doctor' finds faults of the installation"),
      ("tui gui ui interactive", "'citiesctl browse' is the full screen"),
      ("me home whereami location position", "'citiesctl here PLACE' saves your position"),
      ("man manual usage commands about examples", "'citiesctl help' explains all commands"),
    ]
    return sentences.reduce(into: [:]) { guesses, entry in
      for word in entry.words.split(separator: " ") { guesses[TextKey(String(word))] = entry.sentence }
    }
  }()

  /// The command that interactive users mean by words that name none, such as `find munich` for `munich`; `nil` if they
  /// may mean something else.
  static func implied(_ words: [String]) -> [String]? {
    let isOfGroup = Citiesctl.groups.contains { $0.verbs.contains { $0.name == words[0] } }
    guard !isOfGroup, later(words) == nil else { return nil }
    return words.count > 1 ? [FindVerb.name] + words : place(words)
  }

  /// The suggestion `; did you mean 'citiesctl find kyiv'?`.
  static func question(_ meant: [String]) -> String {
    "; did you mean 'citiesctl \(meant.map(quotedForShell).joined(separator: " "))'?"
  }

  /// A later word as the command: its arguments are the words after it, or those before it if it is the last.
  static func later(_ words: some RandomAccessCollection<String>) -> [String]? {
    let words = Array(words)
    for index in words.indices.dropFirst() {
      let group = Citiesctl.groups.first { $0.name == words[index] }
      guard let verb = group?.usual ?? Citiesctl.verbs.first(where: { $0.name == words[index] }) else { continue }
      let arguments = Array(index == words.count - 1 ? words[..<index] : words[(index + 1)...])
      guard (try? verb.read(arguments)) != nil else { continue }
      return (group.map { [$0.name] } ?? []) + [verb.name] + arguments
    }
    return nil
  }

  /// The command for a single word that is a position, an id or a name; a name with digits is probably something else.
  private static func place(_ words: [String]) -> [String]? {
    let word = words[0]
    guard words.count == 1 else { return nil }
    if (try? PlaceArgument.position(word)) != nil { return [NearVerb.name, word] }
    if PlaceArgument.cityID(word) != nil { return [ShowVerb.name, word] }
    return word.utf8.contains { (0x30...0x39).contains($0) } ? nil : [FindVerb.name, word]
  }
}
