internal import System

/// Runs `citiesctl` with the arguments of this process, and returns the status for exit(3).
///
/// No function that it calls exits.
package func runCitiesctl() -> Int32 {
  runProcess { try $0.perform(in: $1) }
}

/// Does the same for the helper program, which performs ``HelperVerb``s with `work`.
package func runHelper(_ work: @escaping HelperWork) -> Int32 {
  runProcess { try performInHelper($0, in: $1, work) }
}

private func runProcess(_ work: (any Verb, Context) throws -> ExitStatus) -> Int32 {
  ProcessSettings.reportFileSizeLimit()
  let context = Context()
  do {
    return run(try systemArguments(), in: context, work).rawValue
  } catch {
    context.diagnostics.report(error)
    return error.status.rawValue
  }
}

/// The arguments after the program's name.
///
/// The standard library would silently repair invalid UTF-8, and then search for a different text.
private func systemArguments() throws(CommandFailure) -> [String] {
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

/// Performs a verb in the helper program.
///
/// - Throws: A usage failure for a verb that the helper does not have, and the errors of `work`.
package func performInHelper(_ verb: any Verb, in context: Context, _ work: HelperWork) throws -> ExitStatus {
  if let status = try work(verb, context) { return status }
  let name = type(of: verb).name
  throw CommandFailure.usage("\(HelperProgram.name) has no command '\(name)'; use 'citiesctl \(name)'")
}

/// Parses arguments and performs the verb with the streams and environment of `context`.
package func run(
  _ arguments: [String], in context: Context,
  _ work: (any Verb, Context) throws -> ExitStatus = { try $0.perform(in: $1) }
) -> ExitStatus {
  let arguments = context.isInteractive ? CommandLineParser.completed(arguments) : arguments
  context.words = arguments
  context.diagnostics.isJSON = CommandLineParser.asksForJSON(arguments)
  do {
    return try perform(arguments, in: context, work)
  } catch let error as OutputError where error.isClosed {
    return .found
  } catch {
    let failure = CommandFailure(error).advised(arguments)
    context.diagnostics.report(failure)
    return failure.status
  }
}

private func perform(
  _ words: [String], in context: Context, _ work: (any Verb, Context) throws -> ExitStatus
) throws -> ExitStatus {
  switch CommandLineParser.parse(words) {
  case .verb(let verb):
    context.connection = verb.connection
    context.rendering = verb.rendering
    context.diagnostics.isQuiet = verb.connection.quiet
    defer { if verb.connection.timing { context.reportTiming() } }
    let status = try work(verb, context)
    try context.output.flush()
    return status
  case .message(let text):
    // Words that are not a command have already been rejected.
    if words.first.is("help"), context.output.isTerminal {
      ManualPage(of: Array(words.dropFirst()))?.replaceThisProcess()
    }
    context.output.write((context.colours(.auto).map { HelpPage.painted(text, $0) } ?? text) + "\n")
    try context.output.flush()
    return .found
  case .overview(let text):
    context.output.write(page: text + "\n")
    try context.output.flush()
    return .usage
  case .wrongUse(let message, let usage):
    throw CommandFailure.usage(message, hint: usage)
  }
}
