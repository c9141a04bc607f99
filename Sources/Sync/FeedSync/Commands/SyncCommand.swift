package import System

/// A command of `citiesd-sync`, or a group of commands: parser, help and manual read the same definition.
///
/// ```swift
/// let verify = SyncCommand("verify", "Check a file.", [.argument("file", "The file.")]) { words in
///   try check(words.arguments[0])
/// }
/// ```
package struct SyncCommand: Sendable {
  /// Does the work with the words of the command line.
  package typealias Action = @Sendable (CommandWords) throws -> ExitCode

  let name: String
  let abstract: String
  /// Paragraphs, and examples after a comment each.
  let discussion: String
  let arguments: [CommandArgument]
  let commands: [SyncCommand]
  /// Whether help and manual omit it.
  let isHidden: Bool
  let action: Action?

  /// A command that does `action`, or a group of `commands`.
  package init(
    _ name: String, _ abstract: String, _ arguments: [CommandArgument] = [], discussion: String = "",
    commands: [SyncCommand] = [], isHidden: Bool = false, action: Action? = nil
  ) {
    (self.name, self.abstract, self.arguments, self.discussion) = (name, abstract, arguments, discussion)
    (self.commands, self.isHidden, self.action) = (commands, isHidden, action)
  }

  /// Performs the command that `words` name below this one, the program; `print` gets help and version instead.
  ///
  /// - Throws: ``UsageError``, and the errors of the command.
  package func perform(_ words: [String], version: String, print: (String) throws -> Void) throws -> ExitCode {
    let options = words.prefix { $0 != "--" }
    let asksForHelp = words.first.is("help")
    var (command, path, rest) = (self, [name], words[...])
    if asksForHelp { rest = rest.dropFirst().filter { !$0.hasPrefix("-") }[...] }
    while let next = command.commands.first(where: { $0.name == rest.first }) {
      command = next
      path.append(next.name)
      rest.removeFirst()
    }
    if options.contains("--version") {
      try print(version)
    } else if options.contains("--experimental-dump-help") {
      try print("{\"command\":\(dump)}")
    } else if let problem = command.unknownCommand(rest) {
      throw UsageError(problem)
    } else if let action = command.action, !asksForHelp, !options.contains("--help"), !options.contains("-h") {
      return try action(try command.read(rest))
    } else {
      try print(command.help(path))
    }
    return .success
  }

  private func unknownCommand(_ words: ArraySlice<String>) -> String? {
    guard action == nil, let word = words.first(where: { !["--help", "-h"].contains($0) }) else { return nil }
    guard !word.hasPrefix("-") else { return "unknown option '\(word)'" }
    let known = commands.filter { !$0.isHidden }.map(\.name).joined(separator: ", ")
    return "there is no command '\(word)'; there are \(known)"
  }

  private func read(_ words: ArraySlice<String>) throws(UsageError) -> CommandWords {
    var (read, rest) = (CommandWords(), words)
    while let word = rest.popFirst(), word != "--" {
      guard word.hasPrefix("-"), word != "-" else {
        read.arguments.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let options = arguments.filter { $0.kind != .positional }
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        let nearest = options.map(\.name).nearest(to: parts[0]).map { "; did you mean '\($0)'?" }
        throw UsageError("unknown option '\(parts[0])'\(nearest ?? "")")
      }
      var value = parts.count > 1 ? parts[1] : nil
      if option.kind == .flag, value != nil { throw UsageError("\(option.name) takes no value") }
      if option.kind == .option, value == nil, let next = rest.first, !next.hasPrefix("-") { value = rest.popFirst() }
      guard let value = option.kind == .flag ? "" : value else {
        throw UsageError("missing value for '\(option.label)'")
      }
      read.options.append((option.name, value))
    }
    read.arguments += rest
    try check(read.arguments)
    return read
  }

  private func check(_ words: [String]) throws(UsageError) {
    let expected = arguments.filter { $0.kind == .positional }
    let excess = expected.contains(where: \.isRepeating) ? [] : words.dropFirst(expected.count)
    guard excess.isEmpty else {
      let listed = excess.map { "'\($0)'" }.joined(separator: ", ")
      throw UsageError(excess.count == 1 ? "unexpected argument \(listed)" : "unexpected arguments: \(listed)")
    }
    if let missing = expected.dropFirst(words.count).first(where: \.isRequired) {
      throw UsageError("missing argument '\(missing.label)'")
    }
  }
}

/// The words of a command line, by what they are given for.
package struct CommandWords {
  /// Those that are not options: at least as many as are required.
  package fileprivate(set) var arguments: [String] = []
  fileprivate var options: [(name: String, value: String)] = []

  /// The value of an option, the last one if it is repeated; empty for a flag, and `nil` if it was not given.
  package subscript(option name: String) -> String? { options.last { $0.name == name }?.value }
}

/// A fault in the use of the program.
package struct UsageError: Error, CustomStringConvertible {
  /// The fault.
  package let description: String

  /// Describes it.
  package init(_ description: String) { self.description = description }
}

/// An option, a flag or an argument.
package struct CommandArgument: Sendable {
  enum Kind: String { case flag, option, positional }

  let kind: Kind
  /// `--names`; for an argument, its name in the help.
  let name: String
  /// The name of the value in the help.
  var value = ""
  let summary: String
  /// Additional text for help and manual.
  var details = ""
  var isRequired = false
  var isRepeating = false

  /// An option without a value.
  package static func flag(_ name: String, _ summary: String, details: String = "") -> Self {
    Self(kind: .flag, name: name, summary: summary, details: details)
  }

  /// An option with a value.
  package static func option(_ name: String, _ value: String, _ summary: String) -> Self {
    Self(kind: .option, name: name, value: value, summary: summary)
  }

  /// An argument.
  package static func argument(
    _ name: String, _ summary: String, isRequired: Bool = true, isRepeating: Bool = false
  ) -> Self {
    Self(
      kind: .positional, name: name, value: name, summary: summary, isRequired: isRequired, isRepeating: isRepeating)
  }

  /// `--names <file>`.
  var label: String {
    switch kind {
    case .flag: name
    case .option: "\(name) <\(value)>"
    case .positional: "<\(value)>"
    }
  }

  /// The label, in brackets unless it is required.
  var usage: String { isRequired ? label : "[\(label)\(isRepeating ? " ..." : "")]" }
}
