internal import CBOR
internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol

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
  private let pipeline: RequestPipeline<Line>
  private var lines: LineReader
  private var hasEnded = false
  private var number = 0
  /// Why no further answer is written.
  private var failure: (any Error)?
  /// The server's error for the oldest request, if asking again may help.
  private var refusal: WireError?
  /// Whether missing data was waited for already.
  private var hasWaited = false
  /// The last reply, or the last one of those that may lack rows.
  private var lastReply: Asking.Message.Reply?
  private var isPartial = false
  private var unknownHours: UInt64 = 0

  /// Prepares to answer the lines of the context's standard input.
  ///
  /// - Throws: `CommandFailure` for an unknown column.
  init(_ verb: Asking, _ context: Context) throws {
    (self.verb, self.context) = (verb, context)
    writer = AnswerWriter(isJSON: verb.isJSON, output: context.output, writesAtOnce: false)
    columns = try verb.chosenColumns()
    pipeline = RequestPipeline(verb.connection.configuration, window: Self.window, wait: verb.connection.wait)
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
      try pipeline.wait(orFor: isInputReady ? nil : context.input, atMost: .seconds(1), take)
      try settle()
    }
    try context.output.flush()
    if let lastReply { verb.noteSources(lastReply, in: context) }
    context.noteUnknownHours(unknownHours)
    return writer.status(isPartial ? .partial : .found)
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
    do throws(CommandFailure) {
      let text = try line.get()
      let message = try verb.checkedRequest(line: text)
      do {
        try pipeline.queue(message, about: Line(number: number, text: text, message: message))
      } catch ClientError.unsendable(let reason) {
        throw CommandFailure(.badData, code: "unsendable", "the request cannot be sent: \(reason)")
      } catch {
        failure = error
      }
    } catch {
      // Answers come in the order of the lines.
      while !pipeline.isIdle {
        try pipeline.wait(orFor: nil, atMost: .seconds(1), take)
        try settle()
      }
      try fail(number, error)
    }
    if let failure { throw failure }
  }

  /// Writes the answer to the oldest line; `false` if no further answer is wanted on this connection.
  private func take(_ payload: UnsafeRawBufferPointer, _ line: Line) -> Bool {
    guard failure == nil else { return false }
    do {
      let envelope = try CBORDecoder(limits: .reply).decode(ServerEnvelope<Asking.Message>.self, from: payload.bytes)
      if let reply = envelope.result {
        try write(reply, line)
        return true
      }
      let error = envelope.error ?? WireError(.malformed, "a reply with neither result nor error")
      guard error.code != .busy, error.code != .unavailable || hasWaited else {
        refusal = error
        return false
      }
      try fail(line.number, .inWordsOfTheUser(.server(error)))
      return true
    } catch let error as CBORError {
      failure = CommandFailure(.protocolMismatch, code: "unreadable-reply", "the reply is \(error)")
    } catch {
      failure = error
    }
    return false
  }

  private func write(_ reply: Asking.Message.Reply, _ line: Line) throws {
    let listing = verb.listing(reply)
    let total = Asking.answersAreWhole ? UInt64(listing.rows.count) : nil
    try writer.answer(line.number, line.text, listing, columns, total: total)
    context.note(verb.resolved(reply), for: line.text)
    unknownHours += verb.unknownHours(reply) ?? 0
    if !isPartial || verb.isPartial(reply) { lastReply = reply }
    isPartial = isPartial || verb.isPartial(reply)
  }

  private func fail(_ number: Int, _ error: CommandFailure) throws {
    try writer.error(number, error)
    context.diagnostics.note(error.code, "line \(number): \(error.message)")
  }

  /// Ends with the failure that came up while answers were taken, or waits for a server that is busy or has no data
  /// yet.
  private func settle() throws {
    if let failure { throw failure }
    guard let refusal else { return }
    self.refusal = nil
    do {
      try pipeline.recover(from: refusal, verb.connection, in: context) { $0.message }
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
  try LineFilter(verb, context).answerLines()
}
