internal import ArgumentParser

/// Turns words into a verb, or into what is said instead.
enum CommandLineParser {
  /// What the words ask for.
  enum Outcome {
    /// A command to perform.
    case verb(any Verb)
    /// A text for standard output: help, the version, a completion script.
    case message(String)
    /// Wrong use: a sentence, and one line of usage.
    case wrongUse(String, usage: String)
  }

  /// Parses words that went through ``ArgumentRewriter``.
  ///
  /// Plain usage is the ``QuickReader``'s; for all else, and to say what is wrong, there is the parser.
  static func parse(_ words: [String]) -> Outcome {
    let named = NamedVerb(words)
    if let verb = named.verb?.read(named.rest) { return .verb(verb) }
    do {
      var command = try Citiesctl.parseAsRoot(words)
      if let verb = command as? any Verb { return .verb(verb) }
      if command is Citiesctl || command is any VerbGroup { throw ValidationError("a command is missing") }
      // The parser's own commands, such as help, answer by throwing.
      try command.run()
      return .message("")
    } catch {
      let message = ArgumentRewriter.withoutMarks(Citiesctl.message(for: error))
      if Citiesctl.exitCode(for: error).isSuccess { return .message(message) }
      let usage = "usage: \(named.configuration.usage ?? "") (--help explains)"
      return .wrongUse(named.unknown ?? onOneLine(message), usage: usage)
    }
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

/// The verb that stands at the begin of the words, as far as one does.
private struct NamedVerb {
  /// The verb, or `nil` if its name is missing or unknown.
  private(set) var verb: (any Verb.Type)?
  /// The words behind its name.
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

  /// What is known of the usage.
  var configuration: CommandConfiguration {
    verb?.configuration ?? group?.configuration ?? Citiesctl.configuration
  }

  /// What is wrong with the name, if it is that.
  var unknown: String? {
    guard verb == nil, let name = rest.first, !name.hasPrefix("-") else { return nil }
    let prefix = group.map { "\($0._commandName) " } ?? ""
    return "there is no command '\(prefix)\(ArgumentRewriter.unmarked(name))'"
  }
}

/// The parser's lines, which stand among others, as one.
private func onOneLine(_ message: String) -> String {
  message.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
}
