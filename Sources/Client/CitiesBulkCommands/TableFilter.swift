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
  /// The command.
  static var verb: String { get }
  /// What the rows have, in a message.
  static var subject: String { get }
  /// Whether the wanted values are texts, which must be UTF-8.
  static var areTexts: Bool { get }

  /// The request about the rows of `batch`, whose columns are in the order in which they were named.
  func request(for batch: TableBatch) -> Message
  /// Writes every row of `batch`, in order.
  ///
  /// - Throws: `CommandFailure` before the first row for an answer that does not fit the request; `OutputError`.
  func write(_ answer: BulkReply, for batch: TableBatch, to table: inout TableWriter) throws
  /// A note that follows the table.
  func conclusion(in context: Context) throws -> (code: String, text: String)?
}

extension TableQuestion {
  static var firstRows: Int { limits.rows }
  static var areTexts: Bool { false }
  func conclusion(in context: Context) throws -> (code: String, text: String)? { nil }
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
  private let context: Context
  /// How many private servers share the rows; `nil` if the usual server answers them.
  private let privateServers: Int?
  private let pipeline: RequestPipeline<TableBatch, Question.Message>
  private var syntax: TableSyntax
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
  /// The rows before that with the names: 1 if one declares the separator.
  private var precedingRows = 0
  /// Batches whose memory can be used again.
  private var spare: [TableBatch] = []

  init(_ question: Question, _ options: TableOptions, _ context: Context) {
    (self.question, self.options, self.context) = (question, options, context)
    privateServers = options.privateServers
    if privateServers != nil { context.connection.startServer() }
    pipeline = RequestPipeline(context, window: Self.window, servers: privateServers ?? 1) {
      question.request(for: $0)
    }
    limits.rows = Question.firstRows
    syntax = TableSyntax(options.form, separator: options.separator)
    reader = TableReader(descriptor: context.input, syntax: syntax, encoding: options.encoding)
    writer = TableWriter(
      descriptor: context.output.descriptor, isTerminal: context.output.isTerminal, syntax: syntax,
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
    if context.isInputTerminal {
      let subject = options.hasHeader(columns) ? "a row with the names of the columns and then rows" : "rows"
      context.note(
        "terminal", "reading \(subject) with \(Question.subject) from the terminal, one per line; end with Ctrl-D")
    }
    do {
      if let places = try places(of: columns) { try copyRows(places) } else { try writer.flush(always: true) }
    } catch {
      // Flush the answered rows before reporting the error.
      try writer.flush(always: true)
      throw error
    }
    progress.clear()
    if writer.failures > 0 { reportFailures(columns) }
    if let (code, text) = try question.conclusion(in: context) { context.note(code, text) }
    return writer.failures > 0 ? .partial : .found
  }

  private func reportFailures(_ columns: [TableColumn]) {
    let (failure, rows) = (Question.failure, writer.rows - (headerValues == nil ? 0 : 1))
    // The likely reason: columns that are counted have no names to pass over.
    let mayBeNames = !hasNotedNames && writer.failedRows.first?.number == 1 && columns.allSatisfy { $0.isNumber }
    context.note(
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
    let row = "row \(precedingRows + writer.rows + 1)"
    let reason =
      switch fault {
      case .longRow: "\(row) has more than \(TableReader.maximumRowBytes) bytes"
      case .openQuote: "\(row) has a value in quotes that does not end"
      case .notUTF8(let offset):
        "\(row) is not UTF-8 at byte \(offset + 1); if the table has another encoding, name it with --encoding"
      case .notDecodable(let offset):
        "\(row) is not \((options.encoding ?? .utf16).rawValue) at byte \(offset + 1) of the table"
      case .compressed(.zip):
        "the table is a zip archive, as the files of spreadsheets are; save it there as csv"
      case .compressed: "the table is compressed; write 'gzip -dc FILE | citiesctl \(Question.verb)'"
      }
    throw CommandFailure(.badData, code: "bad-data", reason)
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
    if nextNumber == 1, batch.count > 0 { try checkFirstRow(batch) }
    nextNumber += batch.count
    try pipeline.queue(batch)
    try pipeline.move(take)
    try pipeline.settle { try writer.flush(always: true) }
  }

  private func emptyBatch(_ places: [Int]) -> TableBatch {
    let batch =
      spare.popLast()
      ?? TableBatch(syntax, columns: places, headerValues: headerValues, areTexts: Question.areTexts, limits)
    batch.limits = limits
    batch.start(at: nextNumber)
    return batch
  }
}

extension TableFilter {
  /// The columns' places, counted from 0; `nil` if there is no row with their names, which the table should have.
  ///
  /// Copies the row with the names.
  private func places(of columns: [TableColumn]) throws -> [Int]? {
    guard options.hasHeader(columns) else {
      return columns.compactMap { if case .number(let number) = $0 { number - 1 } else { nil } }
    }
    let wanted: [String] = columns.compactMap { if case .name(let name) = $0 { name } else { nil } }
    var head = try readHead()
    try requireNoFault()
    if wanted.isEmpty || !wanted.allSatisfy(head.names.contains) { try takeDeclaredSeparator(&head) }
    guard head.count > 0 else { return nil }
    if options.separator == nil, !wanted.allSatisfy(head.names.contains),
      let separator = try takeOtherSyntax(&head, where: { wanted.allSatisfy($0.contains) })
    {
      context.note(
        "separator",
        "the table is read with --separator \(separator), with which its first row has the "
          + "\(wanted.count == 1 ? "column" : "columns") '\(wanted.joined(separator: "' and '"))'")
    }
    let names = head.names
    headerValues = names.count
    let places = try columns.map { column throws(CommandFailure) in
      switch column {
      case .number(let number): number - 1
      case .name(let name): try place(of: name, among: names, in: head)
      }
    }
    try require(places, in: head)
    writer.row(0, of: head)
    let prefix = options.prefix ?? freePrefix(among: names)
    for heading in question.headings {
      var word = Array((prefix + heading).utf8)
      word.makeValue(from: 0, of: syntax, onTerminal: writer.isTerminal)
      writer.value(word: word)
    }
    writer.end()
    nextNumber += 1
    return places
  }

  /// Takes the separator that the first row declares for spreadsheets, as `sep=;`, and copies that row.
  private func takeDeclaredSeparator(_ head: inout TableBatch) throws {
    guard let row = head.rows.first else { return }
    let text = head.bytes[row.start + TableSyntax.markLength(head.bytes, row.start)..<row.valuesEnd]
    guard text.count == 5, text.starts(with: "sep=".utf8), let separator = text.last,
      TableSeparator.usual.contains(where: { $0.byte == separator }), (options.separator ?? separator) == separator
    else { return }
    writer.values(UnsafeRawBufferPointer(rebasing: head.bytes[row.start..<row.end]))
    precedingRows = 1
    nextNumber += 1
    syntax = TableSyntax(.csv, separator: separator)
    writer.syntax = syntax
    reader.restart(UnsafeRawBufferPointer(start: nil, count: 0), as: syntax)
    head = try readHead()
    try requireNoFault()
  }

  /// Reads the first row; none if there is no row.
  private func readHead() throws -> TableBatch {
    let head = TableBatch(syntax, columns: [], BatchLimits(rows: 1))
    while !reader.move(to: head) { try reader.fill() }
    return head
  }

  /// Reads the first row once more with each of the usual separators until its names are wanted, and in the end as
  /// before.
  ///
  /// A line break may be in quotes with one separator and end the row with another.
  ///
  /// - Returns: The name of the separator that was taken.
  private func takeOtherSyntax(_ head: inout TableBatch, where isWanted: ([String]) -> Bool) throws -> String? {
    let given = syntax
    let others = TableSeparator.usual.map { (name: $0.name, syntax: TableSyntax(.csv, separator: $0.byte)) }
    for other in others.filter({ $0.syntax != given }) + [(name: "", syntax: given)] {
      syntax = other.syntax
      writer.syntax = syntax
      reader.restart(head.bytes, as: syntax)
      head = try readHead()
      if !other.name.isEmpty, isWanted(head.names) { return other.name }
    }
    return nil
  }

  /// The text before the names of the added columns with which none of them is a name of the table; notes it.
  private func freePrefix(among names: [String]) -> String {
    let added = question.headings
    var (prefix, count) = ("", 0)
    while added.contains(where: { names.contains(prefix + $0) }) {
      count += 1
      prefix = count == 1 ? "city_" : "city\(count)_"
    }
    if let taken = added.first(where: names.contains) {
      context.note(
        "prefix",
        "the table has a column '\(taken)' already: the added columns are \(prefix)\(added[0]), \(prefix)\(added[1]) "
          + "and so on (--prefix TEXT chooses another prefix)")
    }
    return prefix
  }

  /// Looks at the first row of a table without names: whether it has the wanted columns, and whether it may have names.
  private func checkFirstRow(_ batch: TableBatch) throws {
    let names = batch.names
    // An empty row may stand anywhere.
    if names != [""] { try require(batch.columns, in: batch) }
    guard let name = names.first(where: { headings.contains($0.lowercased()) }) else { return }
    hasNotedNames = true
    context.note("header", "the first row has '\(name)': if it names the columns, write \(Question.failure.naming)")
  }

  /// Refuses columns that the first row does not have.
  private func require(_ columns: [Int], in head: TableBatch) throws {
    let count = head.names.count
    guard let column = columns.max(), column >= count else { return }
    var head = head
    let other = options.separator == nil ? try takeOtherSyntax(&head) { $0.count > column } : nil
    throw CommandFailure.usage(
      "there is no column \(column + 1): the first row has \(count == 1 ? "one column" : "\(count) columns")"
        + (other.map { "; with --separator \($0) it has more" } ?? ""))
  }

  /// The place of the only column with a name.
  private func place(of name: String, among names: [String], in head: TableBatch) throws(CommandFailure) -> Int {
    let places = names.indices.filter { names[$0] == name }
    guard let place = places.first else {
      // Text in UTF-16 without its mark has NULs.
      if let offset = firstInvalidUTF8(head.bytes) ?? head.bytes.firstIndex(of: 0) {
        throw CommandFailure(
          .badData, code: "bad-data",
          "no column is named '\(name)', and row \(precedingRows + 1) is not text in UTF-8 at byte \(offset + 1); "
            + "if the table has another encoding, name it with --encoding")
      }
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
    let last = precedingRows + writer.rows
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
    context.note("changed", "the server's data has changed; rows from \(last + 1) on come from the new data")
  }

  private func reportFailures() {
    guard writer.failedRows.count > reportedFailures else { return }
    progress.clear()
    for row in writer.failedRows[reportedFailures...] {
      if let misfit = row.misfit {
        context.note("bad-data", "row \(row.number) \(misfit)")
        continue
      }
      let values = row.values.isEmpty ? "" : ": '\(row.values)'"
      context.note(Question.failure.code, "row \(row.number): \(Question.failure.one)\(values)")
    }
    reportedFailures = writer.failedRows.count
  }
}

/// Common names of columns, which the first row of a table hardly has as values.
private let headings = ["name", "city", "town", "place", "title", "lat", "latitude", "lon", "lng", "longitude"]
