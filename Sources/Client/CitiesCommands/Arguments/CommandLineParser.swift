/// Turns words into a verb, or into the message to print instead.
enum CommandLineParser {
  enum Outcome {
    case verb(any Verb)
    /// A text for standard output: help, the version, the candidates of a completion.
    case message(String)
    /// No words at all: what the program is for.
    case overview(String)
    /// Wrong use: a sentence, and one line of usage.
    case wrongUse(String, usage: String)
  }

  /// Parses the words after the program's name.
  static func parse(_ words: [String]) -> Outcome {
    guard let first = words.first else { return .overview(TaskOverview.text) }
    switch first {
    case Completer.option: return .message(Completer(Array(words.dropFirst())).text)
    case CommandDump.option: return .message(CommandDump.text)
    default: break
    }
    let words = ordered(words)
    let options = words.prefix { $0 != "--" }
    func has(_ name: String) -> Bool { options.contains { $0 == name || $0.hasPrefix("\(name)=") } }
    let asksForHelp = first == "help" || has("--help") || has("-h")
    if has("-V") || has("--version"), !asksForHelp { return .message(Product.description) }
    let topic = words.dropFirst().filter { $0 != "--" }
    let named = NamedCommand(first != "help" ? words : topic == ["help"] ? [] : topic)
    let option = options.first { ArgumentTable.isOption($0) && !$0.hasPrefix("--help") && $0 != "-h" }
    let unknownOption = first == "help" ? option.map { "unknown option '\($0)'" } : nil
    if asksForHelp, let problem = named.unknown ?? unknownOption {
      return .wrongUse(problem, usage: "usage: citiesctl help [<command>] ('citiesctl help' lists the commands)")
    }
    if asksForHelp { return .message(HelpPage(named, isWhole: first == "help").text) }
    do {
      guard let verb = named.verb else { throw named.withoutVerb }
      return .verb(try verb.read(named.rest))
    } catch {
      return .wrongUse("\(error)", usage: "usage: \(named.usage) (see --help)")
    }
  }

  /// The words with the command that they mean without naming it, to somebody at a terminal.
  ///
  /// `citiesctl munich` finds Munich. Words whose first one may be a mistyped command stay as they are.
  static func completed(_ words: [String]) -> [String] {
    let names = Array(words.prefix { !ArgumentTable.isOption($0) })
    guard NamedCommand(names).isUnlikeAll else { return words }
    return Advice.implied(names).map { $0 + words[names.count...] } ?? words
  }

  /// The words with the options before the name of a command after it.
  static func ordered(_ words: [String]) -> [String] {
    guard let start = words.prefix(2).firstIndex(where: ArgumentTable.isOption),
      !["--", "-h", "--help", "-V", "--version"].contains(words[start])
    else { return words }
    // After the name of a group, that of one of its commands is missing.
    let named = NamedCommand(words)
    guard start == 0 || named.verb == nil && named.group != nil else { return words }
    let after = words[start...].prefix { $0 != "--" }
    for index in after.indices {
      let rest = Array(words[..<start]) + Array(words[index...])
      let named = NamedCommand(rest)
      guard named.verb != nil else { continue }
      return Array(rest.dropLast(named.rest.count)) + Array(words[start..<index]) + named.rest
    }
    return words
  }

  /// Whether the words ask for an output format in which errors are JSON as well; looked at before they are parsed,
  /// because it is about errors of parsing, too.
  static func asksForJSON(_ words: [String]) -> Bool {
    let options = words.prefix { $0 != "--" }
    var isJSON = false
    for index in options.indices {
      let (word, next) = (options[index], index + 1 < options.endIndex ? options[index + 1] : "")
      let starts = ["--output=", "-o=", "-o"]
      let given = starts.first { word.hasPrefix($0) }.map { String(word.dropFirst($0.count)) }
      let value = word == "--output" || word == "-o" ? next : given
      if let value, let format = OutputFormat(word: value) { isJSON = format.isJSON }
    }
    return isJSON
  }
}

extension Verb {
  /// The verb with these arguments.
  ///
  /// - Throws: ``ValidationError``.
  static func read(_ words: [String]) throws -> any Verb { try ArgumentTable.read(Self.self, words) }

  /// Its name, without that of its group.
  static var name: String { command.name }
}

/// The command that the words start with, if they do.
struct NamedCommand {
  /// The verb, or `nil` if its name is missing or unknown.
  private(set) var verb: (any Verb.Type)?
  /// The group of the verb, or of one that is missing.
  private(set) var group: VerbGroup?
  /// The words after its name.
  private(set) var rest: [String]

  init(_ words: [String]) {
    rest = Array(words.dropFirst())
    guard let name = words.first else { return }
    verb = Citiesctl.verbs.first { $0.name == name }
    guard verb == nil else { return }
    group = Citiesctl.groups.first { $0.name == name }
    guard let group else {
      rest = words
      return
    }
    verb = group.verbs.first { $0.name == rest.first }
    if verb != nil { rest.removeFirst() }
  }

  /// Its description.
  var text: CommandText { verb?.command ?? group?.text ?? Citiesctl.text }

  /// The usage that describes the words best, in one line: forms after the first without the command's name.
  var usage: String {
    text.forms.enumerated().map { $0 == 0 ? "\(text.fullName) \($1)" : $1 }.joined(separator: " | ")
  }

  /// The message about an unknown name; `nil` if the name is not at fault.
  var unknown: String? {
    guard verb == nil, let word = rest.first, !ArgumentTable.isOption(word) else { return nil }
    let hint = guess.map { "; \($0)" } ?? nearest.map { "; did you mean '\(prefix)\($0)'?" } ?? ""
    return "no such command: '\(prefix)\(word)'\(hint)"
  }

  /// The error if there is no verb.
  var withoutVerb: ValidationError {
    if let unknown { return ValidationError(unknown + (nearest == nil && guess == nil ? advice : "")) }
    if let word = rest.first {
      let name = word.prefix { !$0.is("=") }
      let similar = NearestName.of(String(name), among: ["--help", "--version"])
      let hint =
        word == "-v"
        ? "; did you mean '-V' for the version, or '--verbose' of 'citiesctl status'?"
        : similar.map { "; did you mean '\($0)'?" } ?? "; options of a command follow its name"
      return ValidationError(word == "--" ? "missing command before '--'" : "unknown option '\(name)'\(hint)")
    }
    let names = group?.verbs.map { "'\(prefix)\($0.name)'" } ?? []
    return ValidationError("missing command" + (names.isEmpty ? "" : ": \(Choice.listed(names))"))
  }

  /// Whether the words start with no command, and with nothing like one.
  var isUnlikeAll: Bool {
    verb == nil && group == nil && (guess ?? nearest) == nil && !["", "help"].contains(rest.first ?? "")
  }

  /// What to type instead of an unknown name and the words after it.
  private var advice: String {
    let words = rest.prefix { !ArgumentTable.isOption($0) }
    guard let group else { return Advice.onCommand(Array(words)) }
    return Advice.question([group.name, group.usual.name] + words)
  }

  /// The sentence about an unknown name that people guess for a command, unless a later word is another command.
  private var guess: String? {
    guard group == nil, let word = rest.first, word.utf8.count <= 32, let sentence = Advice.guesses[word.lowercased()]
    else { return nil }
    let other = Advice.later(rest.prefix { !ArgumentTable.isOption($0) })?.first
    return other.map { sentence.split(separator: " ").contains($0[...]) } ?? true ? sentence : nil
  }

  private var prefix: String { group.map { "\($0.name) " } ?? "" }

  /// The name of a command that is like the unknown one.
  private var nearest: String? {
    rest.first.flatMap { NearestName.of($0, among: group?.verbs.map { $0.name } ?? Citiesctl.names) }
  }
}
