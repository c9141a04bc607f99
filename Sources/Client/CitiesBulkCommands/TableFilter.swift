internal import CBOR
internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol

/// What a filter asks about the rows of a table, and what it adds to them.
protocol TableQuestion {
  /// The request about a batch.
  associatedtype Message: RequestMessage

  /// The names of the columns that are added.
  var headings: [String] { get }
  /// The messages about rows without an answer.
  static var failure: RowFailure { get }
  /// How much one request is about.
  static var limits: BatchLimits { get }
  /// Rows of the first requests at most, before the time of an answer is known.
  static var firstRows: Int { get }

  /// The request about the rows of `batch`, whose columns are in the order in which they were named.
  func request(for batch: TableBatch) -> Message
  /// Writes every row of `batch`, in order.
  ///
  /// - Throws: `CommandFailure` before the first row for an answer that does not fit the request; `OutputError`.
  func write(_ answer: BulkReply, for batch: TableBatch, to table: inout TableWriter) throws
  /// A note that follows the table.
  func conclusion(_ connection: ConnectionOptions, in context: Context) throws -> (code: String, text: String)?
}

extension TableQuestion {
  static var firstRows: Int { limits.rows }
  func conclusion(_ connection: ConnectionOptions, in context: Context) throws -> (code: String, text: String)? { nil }
}

/// The messages about rows without an answer: a code for programs, and texts for one and for several.
struct RowFailure: Sendable {
  let code: String
  /// `not a position`.
  let one: String
  /// `no position`.
  let several: String
  /// `--lat NAME --lon NAME`: what names the columns, if the first row has their names.
  let naming: String
}

/// Copies the table on standard input to standard output, and adds what a question asks about each row.
final class TableFilter<Question: TableQuestion> {
  /// Requests to a server at most: one that it works at, and others that wait for it while answers are written.
  private static var window: Int { 4 }
  /// The time of an answer above which requests get fewer rows, but not fewer than these: a small part of the usual
  /// timeout, because others may begin to use the server.
  private static var longestAnswer: Duration { .milliseconds(250) }
  private static var fewestRows: Int { 4 }

  private let question: Question
  private let options: TableOptions
  private var connection: ConnectionOptions
  private let context: Context
  /// How many private servers share the rows; `nil` if the usual server answers them.
  private let privateServers: Int?
  private let pipeline: RequestPipeline<TableBatch, Question.Message>
  private var reader: TableReader
  private var writer: TableWriter
  private var progress: ProgressLine
  /// The generation of the data that the rows so far are from.
  private var generation: String?
  private var reportedFailures = 0
  private var nextNumber = 1
  /// Whether a note has said that the first row may have names.
  private var hasNotedNames = false
  /// Those of the next request.
  private var limits = Question.limits
  /// Values of the row with the names of the columns; `nil` if there is no such row.
  private var headerValues: Int?
  /// Batches whose memory can be used again.
  private var spare: [TableBatch] = []

  init(_ question: Question, _ options: TableOptions, _ connection: ConnectionOptions, _ context: Context) {
    (self.question, self.options, self.connection, self.context) = (question, options, connection, context)
    privateServers = options.privateServers
    if privateServers != nil { self.connection.startServer() }
    pipeline = RequestPipeline(self.connection, context, window: Self.window, servers: privateServers ?? 1) {
      question.request(for: $0)
    }
    limits.rows = Question.firstRows
    reader = TableReader(descriptor: context.input, form: options.form)
    writer = TableWriter(
      descriptor: context.output.descriptor, isTerminal: context.output.isTerminal, form: options.form,
      addedColumns: question.headings.count)
    progress = ProgressLine(context)
  }

  /// Copies the table.
  ///
  /// - Returns: ``ExitStatus/partial`` if a row has no answer.
  /// - Throws: `CommandFailure` for an unknown or ambiguous column, and if the data has changed,
  ///   `ClientError`, `OutputError`.
  func copy(_ columns: [TableColumn]) throws -> ExitStatus {
    defer { progress.clear() }
    do {
      guard let places = try places(of: columns) else { return .found }
      try copyRows(places)
    } catch {
      // Flush the answered rows before reporting the error.
      try writer.flush(always: true)
      throw error
    }
    progress.clear()
    if writer.failures > 0 { reportFailures(columns) }
    if let (code, text) = try question.conclusion(connection, in: context) { context.diagnostics.note(code, text) }
    return writer.failures > 0 ? .partial : .found
  }

  private func reportFailures(_ columns: [TableColumn]) {
    let (failure, rows) = (Question.failure, writer.rows - (headerValues == nil ? 0 : 1))
    // The likely reason: columns that are counted have no names to pass over.
    let mayBeNames = !hasNotedNames && writer.failedRows.first?.number == 1 && columns.allSatisfy { $0.isNumber }
    context.diagnostics.note(
      failure.code,
      "\(failure.several) in \(writer.failures) of \(rows) \(rows == 1 ? "row" : "rows")"
        + (writer.failures > writer.failedRows.count ? "; only the first \(writer.failedRows.count) are listed" : "")
        + (mayBeNames ? "; if the first row names the columns, write \(failure.naming)" : ""))
  }

  private func copyRows(_ places: [Int]) throws {
    // Every private server says what data it has opened before a row is written.
    for _ in 0..<(privateServers ?? 0) { try send(emptyBatch(places)) }
    var batch = emptyBatch(places)
    while true {
      let isInputReady = try readRows(into: &batch, places)
      guard !pipeline.isIdle else { break }
      if !isInputReady { try writer.flush(always: true) }
      try pipeline.wait(orFor: isInputReady ? nil : context.input, atMost: ProgressLine.interval, take)
      try pipeline.settle { try writer.flush(always: true) }
    }
    try writer.flush(always: true)
    try requireNoFault()
  }

  /// Ends with a failure if the reader has stopped at a row with a fault; those before it have their answers.
  private func requireNoFault() throws(CommandFailure) {
    guard let fault = reader.fault else { return }
    let reason =
      switch fault {
      case .longRow: "has more than \(TableReader.maximumRowBytes) bytes"
      case .openQuote: "has a value in quotes that does not end"
      }
    throw CommandFailure(.badData, code: "bad-data", "row \(writer.rows + 1) \(reason)")
  }

  /// Reads rows and asks about them, as long as there are some and another request may be sent.
  ///
  /// - Returns: Whether no more rows are wanted now; else they are not there yet.
  private func readRows(into batch: inout TableBatch, _ places: [Int]) throws -> Bool {
    while pipeline.hasRoom {
      var isFull = reader.move(to: batch)
      let isReady = isFull || reader.isReady
      // Rows that came alone are not kept waiting for others.
      if !isReady, pipeline.isIdle, batch.count > 0 { isFull = true }
      if isFull {
        guard batch.count > 0 else { return true }
        try send(batch)
        batch = emptyBatch(places)
      } else {
        guard isReady || pipeline.isIdle else { return false }
        if !isReady { try writer.flush(always: true) }
        try reader.fill()
      }
    }
    return true
  }

  private func send(_ batch: TableBatch) throws {
    if nextNumber == 1, let name = batch.names.first(where: { headings.contains($0.lowercased()) }) {
      hasNotedNames = true
      context.diagnostics.note(
        "header", "the first row has '\(name)': if it names the columns, write \(Question.failure.naming)")
    }
    nextNumber += batch.count
    try pipeline.queue(batch)
    try pipeline.move(take)
    try pipeline.settle { try writer.flush(always: true) }
  }

  private func emptyBatch(_ places: [Int]) -> TableBatch {
    let batch =
      spare.popLast() ?? TableBatch(options.form, columns: places, headerValues: headerValues, limits)
    batch.limits = limits
    batch.start(at: nextNumber)
    return batch
  }
}

extension TableFilter {
  /// The columns' places, counted from 0; `nil` if columns are named and there is no row.
  ///
  /// Copies the row with the names.
  private func places(of columns: [TableColumn]) throws -> [Int]? {
    let numbers: [Int] = columns.compactMap { if case .number(let number) = $0 { number - 1 } else { nil } }
    guard numbers.count < columns.count else { return numbers }
    let head = TableBatch(options.form, columns: [], BatchLimits(rows: 1))
    while !reader.move(to: head) { try reader.fill() }
    try requireNoFault()
    guard head.count > 0 else { return nil }
    let names = head.names
    headerValues = names.count
    let places = try columns.map { column throws(CommandFailure) in
      guard case .name(let name) = column else { return 0 }
      return try place(of: name, among: names)
    }
    writer.row(0, of: head)
    for heading in question.headings { writer.value(word: Array(heading.utf8)) }
    writer.end()
    nextNumber += 1
    return places
  }

  /// The place of the only column with a name.
  private func place(of name: String, among names: [String]) throws(CommandFailure) -> Int {
    let places = names.indices.filter { names[$0] == name }
    guard let place = places.first else {
      throw .usage("no column is named '\(name)'; there are \(names.joined(separator: ", "))")
    }
    guard places.count == 1 else {
      throw .usage("columns \(place + 1) and \(places[1] + 1) are both named '\(name)'; rename one of them")
    }
    return place
  }

  /// Writes the rows that an answer is about; returns an error of the server's.
  private func take(_ payload: UnsafeRawBufferPointer, _ batch: TableBatch) throws -> WireError? {
    let answer: Result<BulkReply, WireError>
    do {
      answer = try BulkReply.read(payload)
    } catch {
      answer = .failure(WireError(.malformed, "the reply is \(error)"))
    }
    switch answer {
    case .failure(let error):
      if error.code != .busy { progress.clear() }
      return error
    case .success(let answer):
      adapt(to: pipeline.oldestAge, of: batch.count)
      try check(answer.generation)
      try question.write(answer, for: batch, to: &writer)
    }
    try writer.flush(always: false)
    reportFailures()
    progress.show(rows: writer.rows, bytesRead: reader.bytesRead)
    spare.append(batch)
    return nil
  }

  /// Chooses how many rows further requests have, after an answer about `count` rows took `time`.
  private func adapt(to time: Duration, of count: Int) {
    guard count > 0 else { return }
    if time > Self.longestAnswer {
      limits.rows = min(limits.rows, max(Self.fewestRows, Int(Double(count) * (Self.longestAnswer / time))))
    } else if time < Self.longestAnswer / 2, count >= limits.rows {
      // No further before an answer about as many rows was fast, too.
      limits.rows = min(2 * limits.rows, Question.limits.rows)
    }
  }

  /// Stops before rows would be mixed that have answers of different data, unless the user accepts that.
  private func check(_ found: String) throws(CommandFailure) {
    defer { generation = generation ?? found }
    guard let generation, generation != found else { return }
    let last = writer.rows
    guard privateServers == nil else {
      throw CommandFailure(
        .notReady, code: "changed",
        "a private server has opened other data than the first one, after \(last) rows; start again")
    }
    guard options.acceptChanges else {
      throw CommandFailure(
        .notReady, code: "changed",
        "the server's data has changed after row \(last), the last one written; start again, or use --accept-changes")
    }
    self.generation = found
    progress.clear()
    context.diagnostics.note(
      "changed", "the server's data has changed; rows from \(last + 1) on come from the new data")
  }

  private func reportFailures() {
    guard writer.failedRows.count > reportedFailures else { return }
    progress.clear()
    for row in writer.failedRows[reportedFailures...] {
      if let misfit = row.misfit {
        context.diagnostics.note("bad-data", "row \(row.number) \(misfit)")
        continue
      }
      let values = row.values.isEmpty ? "" : ": '\(row.values)'"
      context.diagnostics.note(Question.failure.code, "row \(row.number): \(Question.failure.one)\(values)")
    }
    reportedFailures = writer.failedRows.count
  }
}

/// Common names of columns, which the first row of a table hardly has as values.
private let headings: Set = ["name", "city", "town", "place", "title", "lat", "latitude", "lon", "lng", "longitude"]
