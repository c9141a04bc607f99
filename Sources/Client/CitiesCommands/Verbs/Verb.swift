internal import ArgumentParser

/// One command of `citiesctl`: its arguments, and what it does with a ``Context``.
protocol Verb: ParsableCommand {
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

extension CommandConfiguration {
  /// The configuration of a verb; `usage` is what stands behind the name in its one line of usage.
  static func verb(_ name: String, usage: String, abstract: String, discussion: String = "") -> Self {
    // With the name of the program as super-command the parser can be given the verb as its root.
    .init(
      commandName: name, _superCommandName: "citiesctl", abstract: abstract, usage: "citiesctl \(name) \(usage)",
      discussion: discussion)
  }
}
