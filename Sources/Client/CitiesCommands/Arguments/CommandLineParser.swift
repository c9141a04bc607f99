internal import System

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
  /// `citiesctl munich` finds Munich. Words with options, and those whose first one may be a mistyped command, stay as
  /// they are.
  static func completed(_ words: [String]) -> [String] {
    let named = NamedCommand(words)
    guard named.isUnlikeAll, !words.contains(where: ArgumentTable.isOption) else { return words }
    return Advice.implied(words) ?? words
  }

  /// Whether the words ask for an output format in which errors are JSON as well; looked at before they are parsed,
  /// because it is about errors of parsing, too.
  static func asksForJSON(_ words: [String]) -> Bool {
    let options = words.prefix { $0 != "--" }
    for index in options.indices {
      let (word, next) = (options[index], index + 1 < options.endIndex ? options[index + 1] : "")
      let starts = ["--output=", "-o=", "-o"]
      let given = starts.first { word.hasPrefix($0) }.map { String(word.dropFirst($0.count)) }
      let value = word == "--output" || word == "-o" ? next : given
      if let value, OutputFormat(rawValue: value)?.isJSON == true { return true }
    }
    return false
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
    return "no such command: '\(prefix)\(word)'" + (nearest.map { "; did you mean '\(prefix)\($0)'?" } ?? "")
  }

  /// The error if there is no verb.
  var withoutVerb: ValidationError {
    if let unknown { return ValidationError(unknown + (nearest == nil ? advice : "")) }
    if let word = rest.first {
      let hint = word == "-v" ? "; did you mean '-V' for the version, or '--verbose' of 'citiesctl status'?" : ""
      let name = word.prefix { $0 != "=" }
      return ValidationError(word == "--" ? "missing command before '--'" : "unknown option '\(name)'\(hint)")
    }
    let names = group?.verbs.map { "'\(prefix)\($0.name)'" } ?? []
    return ValidationError("missing command" + (names.isEmpty ? "" : ": \(Choice.listed(names))"))
  }

  /// Whether the words start with no command, and with nothing like one.
  var isUnlikeAll: Bool { verb == nil && group == nil && nearest == nil && !["", "help"].contains(rest.first ?? "") }

  /// What to type instead of an unknown name and the words after it.
  private var advice: String {
    let words = rest.prefix { !ArgumentTable.isOption($0) }
    guard let group else { return Advice.onCommand(Array(words)) }
    return Advice.question([group.name, group.usual.name] + words)
  }

  private var prefix: String { group.map { "\($0.name) " } ?? "" }

  /// The name of a command that is like the unknown one.
  private var nearest: String? {
    rest.first.flatMap { NearestName.of($0, among: group?.verbs.map { $0.name } ?? Citiesctl.names) }
  }
}
