internal import ArgumentParser

/// The options about how rows are written.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customLong("output"), .customShort("o")],
    help: ArgumentHelp(
      "The format: table, tsv, json, jsonl, csv or geojson (default: table on a terminal, tsv elsewhere).",
      discussion: """
        tsv has no header row and writes TAB, LF, CR and the backslash in values as \\t, \\n, \\r and \\\\. In tsv and csv \
        any other control character (U+0000 to U+001F and U+007F to U+009F) is written as \\u and four hexadecimal \
        digits, such as \\u001b; csv keeps TAB, LF, CR and the backslash. json is one object {total, generation, as_of, \
        sample, sources, rows} without the keys that do not apply; jsonl is one object per row. Both use the field names \
        of the wire, and print errors as JSON objects on standard error.
        """,
      valueName: "format"),
    completion: Choice.completion(of: OutputFormat.self))
  private var outputWord: String?

  @Option(
    name: .customLong("columns"),
    help: ArgumentHelp("The columns to write, in this order, separated by commas.", valueName: "names"))
  private var columnsWord: String?

  @Flag(
    name: [.customLong("null"), .customShort("0")],
    help: "End rows with NUL instead of LF, and write values as they are (tsv).")
  private var null = false

  @Flag(
    name: .customLong("csv-safe"),
    help: ArgumentHelp(
      "Write an apostrophe before texts in csv that start with =, +, - or @.",
      discussion: """
        A spreadsheet would take them for formulas. Numbers stay as they are. Other programs see the apostrophe as a part \
        of the text.
        """))
  var csvSafe = false

  @Option(
    name: .customLong("color"),
    help: ArgumentHelp("When to emphasize: auto, always or never (default: auto).", valueName: "when"),
    completion: Choice.completion(of: ColourChoice.self))
  private var colorWord: String?

  @Flag(help: "Never show long tables in a pager.")
  var noPager = false

  /// The format that was asked for.
  var output: OutputFormat? { outputWord.flatMap(OutputFormat.init) }

  /// The columns that were asked for; empty for all.
  var columns: [String] { Self.names(columnsWord) }

  /// Whether a row ends with NUL instead of LF.
  var endsRowsWithNUL: Bool { null }

  /// When to emphasize.
  var color: ColourChoice { colorWord.flatMap(ColourChoice.init) ?? .auto }

  /// Names between commas; none if there is no word.
  static func names(_ word: String?) -> [String] {
    word?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
  }

  /// Refuses unknown names, and `-0` where rows do not end.
  func validate() throws {
    let output: OutputFormat? = try Choice.read("--output", outputWord)
    let _: ColourChoice? = try Choice.read("--color", colorWord)
    if csvSafe, output != .csv { throw ValidationError("--csv-safe is for --output csv") }
    if null, let output, output != .tsv { throw ValidationError("-0 is for --output tsv") }
  }

  /// Refuses what a single number has no use for.
  func requireNumber() throws {
    let isPlain = output != .csv && output != .geojson && columnsWord == nil && !null
    if !isPlain { throw ValidationError("--count prints one number: it takes no --columns, -0, csv or geojson") }
  }

  /// The format, by what standard output is if none was asked for.
  func format(for output: Output) -> OutputFormat {
    self.output ?? (null || !output.isTerminal ? .tsv : .table)
  }
}
