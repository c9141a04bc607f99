internal import CitiesProtocol

/// What standard error says of a page of rows: that it was cut, that it is empty, or nothing.
struct PageReport {
  /// Rows in the page.
  var shown: UInt64
  /// Rows in all.
  var total: UInt64
  /// Rows left out in front.
  var offset: UInt64

  /// A cut is told always, an empty result to people only: `empty` says what to do next.
  func tell(_ diagnostics: Diagnostics, empty: @autoclosure () -> String) {
    if shown == 0, total > 0 {
      diagnostics.note("past-end", "there are \(total), and --offset leaves out \(offset)")
    } else if shown == 0 {
      if diagnostics.isTerminal { diagnostics.note("empty", empty()) }
    } else if shown < total - min(offset, total) {
      diagnostics.note("cut", "\(shown) of \(total) shown; --all shows all, --limit more")
    }
  }
}

extension Context {
  /// Writes a number of rows alone: what `--count` asks for.
  ///
  /// - Returns: how the command ends: well if there are any.
  func render(
    count: UInt64, generation: String, sample: Bool = false, _ options: OutputOptions
  ) throws(OutputError) -> ExitStatus {
    if options.format(for: output).isJSON {
      output.write("{\"total\":\(count)")
      output.bytes.appendMember("generation", .text(generation))
      if sample { output.bytes.appendMember("sample", .flag(true)) }
      output.write("}\n")
    } else {
      output.write("\(count)\n")
    }
    try output.flush()
    return count == 0 ? .nothingFound : .found
  }
}
