/// Runs commands for another program, with their output kept instead of printed.
package struct CommandRunner {
  /// A context without streams; all commands and requests share its client.
  package let context: Context
  private let work: HelperWork

  /// Creates a runner with the environment of `context`, which performs commands with `work`.
  package init(of context: Context, connection: ConnectionOptions, _ work: @escaping HelperWork) {
    self.context = Context(
      output: OutputStream(descriptor: -1), diagnostics: Diagnostics(keeping: OutputStream(descriptor: -1)),
      input: -1, environment: context.environment)
    self.context.connection = connection
    self.work = work
  }

  /// The output of the command that consists of these words, and its notes.
  ///
  /// - Throws: any error of the command.
  package func run(_ words: [String]) throws -> (output: String, notes: [String]) {
    let command = NamedCommand(words)
    guard let verb = try command.verb?.read(command.rest) else { throw command.withoutVerb }
    context.rendering = verb.rendering
    defer { context.output.bytes = [] }
    let status = try work(verb, context)
    let notes = context.diagnostics.takeKept()
    guard status == .found else {
      throw CommandFailure(.nothingFound, code: "not-found", notes.last ?? "nothing was found")
    }
    return (String(decoding: context.output.bytes, as: UTF8.self), notes)
  }
}
