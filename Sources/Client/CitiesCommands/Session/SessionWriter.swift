import Base
internal import CBOR
internal import CitiesProtocol

/// Writes the answers of `session`.
///
/// As text, every answer is a head line, rows, and an empty line, so that a script reads lines until an empty one:
///
///     #SEQ TAB SHOWN TAB TOTAL TAB QUERY       rows follow
///     !SEQ TAB CODE TAB MESSAGE                an error
///     ~SEQ TAB QUERY                           left out: a later line was there already
///
/// As JSON lines an answer is one object: `{seq, query, shown, total, generation, rows}`, `{seq, error: {code, message}}`
/// or `{seq, query, superseded: true}`.
struct SessionWriter {
  /// Whether answers are JSON lines.
  var isJSON: Bool
  /// The columns of a row, in text and in JSON.
  var columns: [Column<CityRow>]
  /// Where to.
  var output: Output

  /// Writes the rows found for line `sequence`.
  func answer(_ sequence: Int, _ query: String, _ reply: CitySearch.Reply) throws {
    if isJSON {
      output.write("{\"seq\":\(sequence)")
      output.bytes.appendMember("query", .text(query))
      output.write(",\"shown\":\(reply.rows.count),\"total\":\(reply.total)")
      output.bytes.appendMember("generation", .text(reply.generation))
      output.write(",\"rows\":[")
      for (index, row) in reply.rows.enumerated() {
        if index > 0 { output.write(",") }
        output.bytes.appendJSONObject(row, columns)
      }
      output.write("]}")
    } else {
      output.write("#\(sequence)\t\(reply.rows.count)\t\(reply.total)\t")
      output.bytes.appendTSV(query, onTerminal: output.isTerminal)
      output.write("\n")
      let renderer = RowRenderer(format: .tsv)
      try renderer.writeTSV(reply.rows, columns, to: output)
    }
    try end()
  }

  /// Writes why line `sequence` has no rows.
  func error(_ sequence: Int, _ failure: CommandFailure) throws {
    if isJSON {
      output.write("{\"seq\":\(sequence),\"error\":{\"code\":")
      output.bytes.appendJSON(failure.code)
      output.bytes.appendMember("message", .text(failure.message))
      output.write("}}")
    } else {
      output.write("!\(sequence)\t")
      output.bytes.appendTSV(failure.code, onTerminal: output.isTerminal)
      output.write("\t")
      output.bytes.appendTSV(joinedLines(failure.message), onTerminal: output.isTerminal)
      output.write("\n")
    }
    try end()
  }

  /// Writes that line `sequence` was left out.
  func superseded(_ sequence: Int, _ query: String) throws {
    if isJSON {
      output.write("{\"seq\":\(sequence)")
      output.bytes.appendMember("query", .text(query))
      output.write(",\"superseded\":true}")
    } else {
      output.write("~\(sequence)\t")
      output.bytes.appendTSV(query, onTerminal: output.isTerminal)
      output.write("\n")
    }
    try end()
  }

  /// Ends an answer; whoever asked is waiting for it.
  private func end() throws {
    output.write("\n")
    try output.flush()
  }
}
