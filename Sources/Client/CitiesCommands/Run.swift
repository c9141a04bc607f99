/// The whole of `citiesctl`: the arguments of this process in, the status for exit(3) out.
///
/// Nothing below this function exits.
package func runCitiesctl() -> Int32 {
  let context = Context()
  do {
    return run(try SystemArguments.read(), in: context).rawValue
  } catch {
    context.diagnostics.report(error)
    return error.status.rawValue
  }
}

/// The same with streams and environment of the caller's.
func run(_ arguments: [String], in context: Context) -> ExitStatus {
  let words = ArgumentRewriter.marked(arguments)
  context.diagnostics.isJSON = CommandLineParser.asksForJSON(words)
  do {
    return try perform(words, in: context)
  } catch let error as OutputError where error.isClosed {
    return .found
  } catch {
    let failure = CommandFailure(error)
    context.diagnostics.report(failure)
    return failure.status
  }
}

private func perform(_ words: [String], in context: Context) throws -> ExitStatus {
  switch CommandLineParser.parse(words) {
  case .verb(let verb):
    defer { if verb.connection.timing { context.reportTiming() } }
    let status = try verb.perform(in: context)
    try context.output.flush()
    return status
  case .message(let text):
    context.output.write(text + "\n")
    try context.output.flush()
    return .found
  case .wrongUse(let message, let usage):
    throw CommandFailure.usage(message, hint: usage)
  }
}
