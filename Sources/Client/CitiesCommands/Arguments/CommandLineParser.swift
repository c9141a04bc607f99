internal import ArgumentParser

/// Turns words into a verb, or into the message to print instead.
enum CommandLineParser {
  enum Outcome {
    case verb(any Verb)
    /// A text for standard output: help, the version, a completion script.
    case message(String)
    /// No words at all: what the program is for.
    case overview(String)
    /// Wrong use: a sentence, and one line of usage.
    case wrongUse(String, usage: String)
  }

  /// Parses words that went through ``ArgumentRewriter``.
  ///
  /// The ``QuickReader`` reads plain usage; the parser reads everything else, and reports errors.
  static func parse(_ given: [String]) -> Outcome {
    if given.isEmpty { return .overview(TaskOverview.text) }
    let words = given == ["-V"] ? ["--version"] : given
    // `help nope` is about the command that `nope` would be.
    let named = NamedVerb(words.first == "help" ? Array(words.dropFirst()) : words)
    if words.first == "help", let unknown = named.unknown {
      return .wrongUse(unknown, usage: "usage: citiesctl help [<command>] ('citiesctl help' lists the commands)")
    }
    if words.first != "help", let verb = named.verb {
      if let read = verb.read(named.rest) { return .verb(read) }
      if let option = QuickReader.repeatedOption(verb, named.rest), !asksForHelp(named.rest) {
        return .wrongUse("\(option) was given twice", usage: "usage: \(named.usage) (see --help)")
      }
    }
    do {
      var command = try Citiesctl.parseAsRoot(words)
      if let verb = command as? any Verb { return .verb(verb) }
      if let group = type(of: command) as? any VerbGroup.Type {
        let names = group.verbs.map { "'\(group._commandName) \($0._commandName)'" }
        throw ValidationError("missing command: \(Choice.listed(names))")
      }
      if command is Citiesctl { throw ValidationError("missing command") }
      // The parser's own commands, such as help, answer by throwing.
      try command.run()
      return .message("")
    } catch {
      let message = ArgumentRewriter.withoutMarks(Citiesctl.message(for: error))
      if Citiesctl.exitCode(for: error).isSuccess { return .message(HelpText.arranged(message)) }
      let problem = named.unknown.map { $0 + (named.advice ?? "") }
      return .wrongUse(
        problem ?? WrongUse(onOneLine(message), of: named.verb, named.rest).message,
        usage: "usage: \(named.usage) (see --help)")
    }
  }

  private static func asksForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// Whether the words ask for an output format in which errors are JSON as well; looked at before they are parsed,
  /// because it is about errors of parsing, too.
  static func asksForJSON(_ words: [String]) -> Bool {
    let options = words.prefix { $0 != "--" }
    let names = ["--output", "-o"]
    for (word, next) in zip(options, options.dropFirst() + [""]) {
      let given = names.first { word.hasPrefix("\($0)=") }.map { String(word.dropFirst($0.count + 1)) }
      let value = names.contains(word) ? next : given
      if let value, OutputFormat(rawValue: value)?.isJSON == true { return true }
    }
    return false
  }
}

/// The verb that the words start with, if they do.
private struct NamedVerb {
  /// The verb, or `nil` if its name is missing or unknown.
  private(set) var verb: (any Verb.Type)?
  /// The words after its name.
  private(set) var rest: [String]
  private var group: (any VerbGroup.Type)?

  init(_ words: [String]) {
    rest = Array(words.dropFirst())
    guard let name = words.first else { return }
    verb = Citiesctl.verbs.first { $0._commandName == name }
    guard verb == nil else { return }
    group = Citiesctl.groups.first { $0._commandName == name }
    guard let group else {
      rest = words
      return
    }
    verb = group.verbs.first { $0._commandName == rest.first }
    if verb != nil { rest.removeFirst() }
  }

  /// The usage that describes the words best, in one line: forms after the first without the command's name.
  var usage: String {
    let usage = (verb?.configuration ?? group?.configuration ?? Citiesctl.configuration).usage ?? ""
    let forms = usage.split(separator: "\n")
    let depth = group == nil ? 2 : 3
    return forms.enumerated().map { index, form in
      index == 0 ? String(form) : form.split(separator: " ").dropFirst(depth).joined(separator: " ")
    }.joined(separator: " | ")
  }

  /// The message about an unknown name; `nil` if the name is not at fault.
  var unknown: String? {
    guard verb == nil, let name = rest.first, !name.hasPrefix("-") else { return nil }
    let word = ArgumentRewriter.unmarked(name)
    return "no such command: '\(prefix)\(word)'" + (nearest.map { "; did you mean '\(prefix)\($0)'?" } ?? "")
  }

  /// What to type instead of an unknown name and the words after it; `nil` if the name is like that of a command.
  var advice: String? {
    guard unknown != nil, nearest == nil else { return nil }
    let words = rest.prefix { !$0.hasPrefix("-") }
    guard let group else { return UnknownCommand(words).advice }
    return UnknownCommand.question([group._commandName, group.usual._commandName] + words)
  }

  private var prefix: String { group.map { "\($0._commandName) " } ?? "" }

  /// The name of a command that is like the unknown one.
  private var nearest: String? {
    let names = group?.verbs.map { $0._commandName } ?? Citiesctl.names
    return rest.first.flatMap { NearestName.of(ArgumentRewriter.unmarked($0), among: names) }
  }
}

/// The parser's lines as one, worded like our own: lower case, without a full stop in the middle.
private func onOneLine(_ message: String) -> String {
  var line = message.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  for (parsers, ours) in [(". Did you mean ", "; did you mean "), ("Missing expected argument", "missing argument:")] {
    if let range = line.firstRange(of: parsers) { line.replaceSubrange(range, with: ours) }
  }
  return line.prefix(1).lowercased() + line.dropFirst()
}

/// Makes `citiesctl near -33.9,18.4` and `citiesctl rate convert -12.50 USD EUR` work without `--`.
///
/// The parser takes every word that starts with a dash for an option. Before it sees them, words that start like a negative
/// number get a prefix that no argument of a process can contain, a NUL; the types that such a word may become remove it.
/// All such words get it, so that an option that needs a number can report it: `--limit -1`.
enum ArgumentRewriter {
  /// A character that cannot occur in an argument.
  private static let mark: Character = "\0"

  /// `arguments` with marked numbers and places, up to a `--`.
  static func marked(_ arguments: [String]) -> [String] {
    var isOpen = true
    return arguments.map { word in
      if word == "--" { isOpen = false }
      return isOpen && isNegativeNumber(word) ? "\(mark)\(word)" : word
    }
  }

  /// Words as one text, as the user typed them, with a space between two.
  static func joined(_ words: [String]) -> String { words.map(unmarked).joined(separator: " ") }

  /// The word as the user typed it.
  static func unmarked(_ word: String) -> String {
    word.utf8.first == 0 ? String(word.dropFirst()) : word
  }

  /// Takes every mark out of a message of the parser's.
  static func withoutMarks(_ message: String) -> String { message.filter { $0 != mark } }

  /// Whether `word` is a dash and a digit, or a dash, a point and a digit; but `-0` alone or before a letter is an
  /// option.
  private static func isNegativeNumber(_ word: String) -> Bool {
    var bytes = word.utf8[...]
    guard bytes.popFirst() == UInt8(ascii: "-") else { return false }
    if bytes.first == UInt8(ascii: "0") {
      return bytes.dropFirst().first.map { $0 < UInt8(ascii: "A") } ?? false
    }
    if bytes.first == UInt8(ascii: ".") { bytes.removeFirst() }
    return bytes.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }
}

/// A free text on the command line.
struct Word: ExpressibleByArgument, Equatable {
  /// The text as it was typed.
  var text: String

  /// Removes the mark of ``ArgumentRewriter``.
  init(argument: String) { text = ArgumentRewriter.unmarked(argument) }
}

/// The words of this process's command line.
enum SystemArguments {
  /// The words after the program's name.
  ///
  /// The standard library would silently repair invalid UTF-8, and a search for the repaired text would be a search
  /// for something else.
  static func read() throws(CommandFailure) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: pointer) else {
        throw CommandFailure(.badData, code: "bad-data", "argument \(index) is not valid UTF-8")
      }
      words.append(word)
    }
    return words
  }
}
