package import ArgumentParser

/// One command of `citiesctl`: its arguments, and what it does with a ``Context``.
package protocol Verb: ParsableCommand {
  /// How the server is reached.
  var connection: ConnectionOptions { get }

  /// Does it.
  ///
  /// - Returns: how the process ends; what was written is flushed by the caller.
  /// - Throws: ``CommandFailure``, `ClientError` or ``OutputError``.
  func perform(in context: Context) throws -> ExitStatus
}

extension Verb {
  /// The verb with these arguments, or `nil` if the parser must decide.
  static func read(_ words: [String]) -> (any Verb)? { QuickReader.read(Self.self, words) }
}

/// Commands about one subject, which stand behind its name.
protocol VerbGroup: ParsableCommand {
  /// The commands, in the order of the help.
  static var verbs: [any Verb.Type] { get }
}

extension CommandConfiguration {
  /// The configuration of a verb; `usage` is what stands behind the name in its one line of usage.
  static func verb(
    _ name: String, in group: String? = nil, usage: String, abstract: String, discussion: String = ""
  ) -> Self {
    let program = group.map { "citiesctl \($0)" } ?? "citiesctl"
    // With the name of the program as super-command the parser can be given the verb as its root.
    return .init(
      commandName: name, _superCommandName: program, abstract: abstract, usage: "\(program) \(name) \(usage)",
      discussion: discussion)
  }

  /// The configuration of a group.
  static func group(_ name: String, _ verbs: [any Verb.Type], abstract: String, discussion: String) -> Self {
    let names = verbs.map { $0._commandName }.joined(separator: "|")
    return .init(
      commandName: name, abstract: abstract, usage: "citiesctl \(name) \(names) [<options>] …", discussion: discussion,
      subcommands: verbs)
  }
}
