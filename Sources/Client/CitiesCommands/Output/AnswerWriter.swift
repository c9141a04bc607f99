internal import CBOR
import CBORTools

/// Writes answers to lines of standard input, for `session` and for commands with the argument `-`.
///
/// As text, every answer is a header line, rows, and an empty line, so that a script can read lines until an empty one:
///
///     #SEQ TAB SHOWN TAB TOTAL TAB QUERY       rows follow
///     !SEQ TAB CODE TAB MESSAGE                an error
///     ~SEQ TAB QUERY                           skipped: a later line had already arrived
///
/// As JSON lines, an answer is one object: `{seq, query, shown, total, generation, rows}`,
/// `{seq, error: {code, message}}` or `{seq, query, superseded: true}`.
package struct AnswerWriter {
  /// The number of lines answered without an error.
  private var answered = 0
  private var lastError: ExitStatus?
  /// Whether answers are JSON lines.
  private let isJSON: Bool
  private let output: OutputStream
  /// Whether each answer is written at once, because the calling program waits for it.
  private let writesAtOnce: Bool

  /// Writes to `output`.
  package init(isJSON: Bool, output: OutputStream, writesAtOnce: Bool = true) {
    (self.isJSON, self.output, self.writesAtOnce) = (isJSON, output, writesAtOnce)
  }

  /// The exit status: `usual`, or 4 if some lines had an error, or that of the last error if all had one.
  package func status(_ usual: ExitStatus = .found) -> ExitStatus {
    lastError.map { answered > 0 ? .partial : $0 } ?? usual
  }

  /// Writes the rows found for line `sequence`; `total` is `nil` if unknown.
  ///
  /// - Throws: ``OutputError``.
  package mutating func answer<Row>(
    _ sequence: Int, _ query: String, _ listing: Listing<Row>, _ columns: [ListingColumn<Row>], total: UInt64?
  ) throws {
    answered += 1
    let rows = listing.rows
    if isJSON {
      output.write("{\"seq\":\(sequence)")
      output.bytes.appendMember("query", .text(query))
      output.write(",\"shown\":\(rows.count),\"total\":\(total.map { "\($0)" } ?? "null")")
      output.bytes.appendMember("generation", RowValue(listing.generation))
      output.bytes.appendMembers(of: listing.shownSources)
      output.write(",\"rows\":[")
      output.bytes.appendJSONObjects(rows, columns)
      output.write("]}")
    } else {
      writeHeader("#\(sequence)\t\(rows.count)\t\(total.map { "\($0)" } ?? "-")", query)
      try RowRenderer(format: .tsv).writeTSV(rows, columns, to: output)
    }
    try end()
  }

  /// Writes the result of the request in line `sequence`, as JSON.
  ///
  /// - Throws: ``OutputError``.
  mutating func answer(_ sequence: Int, _ result: CBORValue) throws {
    answered += 1
    output.bytes.appendJSON(.object(["seq": .unsigned(UInt64(sequence)), "result": result]))
    try end()
  }

  /// Writes the reason why line `sequence` has no rows.
  ///
  /// - Throws: ``OutputError``.
  package mutating func error(_ sequence: Int, _ failure: CommandFailure) throws {
    lastError = failure.status
    if isJSON {
      let error = CBORValue.object(["code": .text(failure.code), "message": .text(failure.message)])
      output.bytes.appendJSON(.object(["seq": .unsigned(UInt64(sequence)), "error": error]))
    } else {
      writeHeader("!\(sequence)", failure.code, joinedLines(failure.message))
    }
    try end()
  }

  /// Writes that line `sequence` was skipped.
  func superseded(_ sequence: Int, _ query: String) throws {
    if isJSON {
      let seq = CBORValue.unsigned(UInt64(sequence))
      output.bytes.appendJSON(.object(["seq": seq, "query": .text(query), "superseded": .bool(true)]))
    } else {
      writeHeader("~\(sequence)", query)
    }
    try end()
  }

  /// Writes the header line of an answer: `start`, then `values` after tabs.
  private func writeHeader(_ start: String, _ values: String...) {
    output.write(start)
    for value in values {
      output.write("\t")
      output.bytes.appendTSV(value, onTerminal: output.isTerminal)
    }
    output.write("\n")
  }

  private func end() throws {
    output.write("\n")
    if writesAtOnce { try output.flush() } else { try output.endRow() }
  }
}
