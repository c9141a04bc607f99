internal import ArgumentParser

/// The options about how rows are written.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp(
      "The format; table on a terminal, tsv elsewhere.",
      discussion: """
        tsv has no head line and writes TAB, LF, CR and the backslash in values as \\t, \\n, \\r and \\\\. json is one \
        object {total, generation, rows}, jsonl one object a row, with the field names of the wire; with them errors \
        are JSON objects on standard error.
        """,
      valueName: "format"))
  var output: OutputFormat?

  @Option(
    help: ArgumentHelp("The columns to write, in that order, with commas between them.", valueName: "names"),
    transform: OutputOptions.names)
  var columns: [String] = []

  @Flag(name: .customShort("0"), help: "End rows with NUL instead of LF, and write values as they are (tsv).")
  var endsRowsWithNUL = false

  @Option(help: ArgumentHelp("When to emphasize: auto, always or never.", valueName: "when"))
  var color: ColourChoice = .auto

  @Flag(help: "Never show long tables in a pager.")
  var noPager = false

  /// Names between commas.
  @Sendable static func names(_ word: String) -> [String] {
    word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Refuses `-0` where rows do not end.
  func validate() throws {
    if endsRowsWithNUL, let output, output != .tsv { throw ValidationError("-0 is for --output tsv") }
  }

  /// The format, by what standard output is if none was asked for.
  func format(for output: Output) -> OutputFormat {
    self.output ?? (endsRowsWithNUL || !output.isTerminal ? .tsv : .table)
  }
}
