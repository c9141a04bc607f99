internal import CBOR
internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol
internal import Framing

/// A command whose argument is `-`: answers the lines of standard input, many of them under way at once.
final class LineFilter<Asking: LineVerb> {
  /// Requests under way at most; each is one row of a table at least, so they are many for one round trip.
  private static var window: Int { 64 }

  /// A line that waits for its answer.
  private struct Line {
    let number: Int
    let text: String
    let message: Asking.Message
  }

  private let verb: Asking
  private let context: Context
  private var writer: AnswerWriter
  private let columns: [ListingColumn<Asking.Row>]
  private let pipeline: RequestPipeline<Line, Asking.Message>
  private var lines: LineReader
  private var hasEnded = false
  private var number = 0
  /// Whether missing data was waited for already.
  private var hasWaited = false
  /// Where the data of the last reply comes from, or of the last one of those that may lack rows.
  private var sources: Provenance?
  private var unknownHours: UInt64 = 0

  /// Prepares to answer the lines of the context's standard input.
  ///
  /// - Throws: `CommandFailure` for an unknown column.
  init(_ verb: Asking, _ context: Context) throws {
    (self.verb, self.context) = (verb, context)
    writer = AnswerWriter(isJSON: verb.isJSON, output: context.output, writesAtOnce: false)
    columns = try verb.chosenColumns()
    pipeline = RequestPipeline(context, window: Self.window) { $0.message }
    lines = LineReader(descriptor: context.input, maximum: Frame.maximumRequest)
  }

  /// Answers all lines.
  ///
  /// - Returns: how the command ends: with 4 if some lines have an error, with that of the last error if none has an
  ///   answer.
  /// - Throws: `ClientError` if there is no server any more, `OutputError`.
  func answerLines() throws -> ExitStatus {
    while true {
      let isInputReady = try ask()
      if pipeline.isIdle {
        guard !hasEnded else { break }
        continue
      }
      if !isInputReady { try context.output.flush() }
      try wait(orFor: isInputReady ? nil : context.input)
    }
    try context.output.flush()
    context.noteSources(sources)
    context.noteUnknownHours(unknownHours)
    return writer.status(sources?.status(.found) ?? .found)
  }

  /// Reads lines and asks about them, as long as there are some and another request may be sent.
  ///
  /// - Returns: Whether no more lines are wanted now; else they are not there yet.
  private func ask() throws -> Bool {
    while pipeline.hasRoom, !hasEnded {
      if try !lines.hasNext(), !lines.isOver {
        guard pipeline.isIdle else { return false }
        try context.output.flush()
      }
      guard let line = try lines.next() else {
        hasEnded = true
        break
      }
      number += 1
      try ask(line)
    }
    return true
  }

  private func ask(_ line: LineReader.Line) throws {
    do {
      let text = try line.get()
      try pipeline.queue(Line(number: number, text: text, message: try verb.request(line: text)))
    } catch  where !(error is ClientError) {
      // Answers come in the order of the lines.
      while !pipeline.isIdle { try wait(orFor: nil) }
      try fail(number, CommandFailure(error))
    }
  }

  /// Writes the answer to the oldest line, or its error; returns one that may pass.
  private func take(_ payload: UnsafeRawBufferPointer, _ line: Line) throws -> WireError? {
    do {
      switch try ServerEnvelope<Asking.Message>.answer(in: payload) {
      case .success(let reply): try write(reply, line)
      case .failure(let error):
        guard error.code != .busy, error.code != .unavailable || hasWaited else { return error }
        try fail(line.number, CommandFailure(ClientError.server(error)))
      }
      return nil
    } catch let error as CBORError {
      throw CommandFailure(.protocolMismatch, code: "unreadable-reply", "the reply is \(error)")
    }
  }

  private func write(_ reply: Asking.Message.Reply, _ line: Line) throws {
    let listing = verb.listing(reply)
    let total = Asking.answersAreWhole ? UInt64(listing.rows.count) : nil
    try writer.answer(line.number, line.text, listing, columns, total: total)
    context.note(listing.resolved, for: line.text)
    unknownHours += listing.unknownHours ?? 0
    let mayLackRows = { (sources: Provenance?) in sources?.status(.found) == .partial }
    if !mayLackRows(sources) || mayLackRows(listing.sources) { sources = listing.sources }
  }

  private func fail(_ number: Int, _ error: CommandFailure) throws {
    try writer.error(number, error)
    context.note(error.code, "line \(number): \(error.message)")
  }

  /// Waits for answers, and for a server that is busy or has no data yet.
  private func wait(orFor input: Int32?) throws {
    try pipeline.wait(orFor: input, atMost: .seconds(1), take)
    do {
      try pipeline.settle(context.output.flush)
    } catch ClientError.server {
      // After one wait without success, missing data is reported at once.
      hasWaited = true
    }
  }
}

/// Answers the lines of a verb that reads them.
///
/// - Throws: `CommandFailure`, `ClientError` or `OutputError`.
func answerLines(_ verb: some LineVerb, in context: Context) throws -> ExitStatus {
  do {
    return try LineFilter(verb, context).answerLines()
  } catch {
    // Flush the answers before reporting the error.
    try context.output.flush()
    throw error
  }
}
