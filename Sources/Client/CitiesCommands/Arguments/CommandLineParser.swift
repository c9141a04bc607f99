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
    let named = words.first.flatMap { name in Citiesctl.verbs.first { $0._commandName == name } }
    if let verb = named?.read(Array(words.dropFirst())) { return .verb(verb) }
    return parseWithTree(words, named)
  }

  private static func parseWithTree(_ words: [String], _ named: (any Verb.Type)?) -> Outcome {
    do {
      var command = try Citiesctl.parseAsRoot(words)
      if let verb = command as? any Verb { return .verb(verb) }
      if command is Citiesctl { throw ValidationError("a command is missing") }
      // The parser's own commands, such as help, answer by throwing.
      try command.run()
      return .message("")
    } catch {
      let message = ArgumentRewriter.withoutMarks(Citiesctl.message(for: error))
      if Citiesctl.exitCode(for: error).isSuccess { return .message(message) }
      guard let named else { return .wrongUse(unknown(words) ?? message, usage: usage(of: nil)) }
      return .wrongUse(message, usage: usage(of: named))
    }
  }

  /// Whether the words ask for an output format in which errors are JSON as well; looked at before they are parsed,
  /// because it is about errors of parsing, too.
  static func asksForJSON(_ words: [String]) -> Bool {
    let options = words.prefix { $0 != "--" }
    let names = ["--output", "-o"]
    for (word, next) in zip(options, options.dropFirst() + [""]) {
      let value = names.contains(word) ? next : word.hasPrefix("--output=") ? String(word.dropFirst(9)) : nil
      if let value, OutputFormat(rawValue: value)?.isJSON == true { return true }
    }
    return false
  }

  private static func unknown(_ words: [String]) -> String? {
    guard let first = words.first, !first.hasPrefix("-") else { return nil }
    return "there is no command '\(ArgumentRewriter.unmarked(first))'"
  }

  private static func usage(of verb: (any Verb.Type)?) -> String {
    let line = verb?.configuration.usage ?? Citiesctl.configuration.usage ?? ""
    return "usage: \(line) (--help explains)"
  }
}
