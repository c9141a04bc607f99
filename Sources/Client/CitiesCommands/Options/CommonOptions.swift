internal import ArgumentParser
package import CitiesClient

/// The options that every command has about its connection.
package struct ConnectionOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      "The server's socket.",
      discussion: """
        The default is CITIES_SOCKET if that is set, else the first that exists of $XDG_RUNTIME_DIR/cities/citiesd.sock \
        and /run/cities/citiesd.sock. If there is none, the command starts a private server for itself.
        """,
      valueName: "path"),
    completion: .file())
  private var socketWord: String?

  @Option(
    name: .customLong("timeout"),
    help: ArgumentHelp("How long a request may take (default: 2).", valueName: "seconds"))
  private var timeoutWord: String?

  @Option(
    name: .customLong("wait"),
    help: ArgumentHelp(
      "How long to wait for missing data (default: 30).",
      discussion: "While data is being downloaded or loaded, the command waits and retries.", valueName: "seconds"))
  private var waitWord: String?

  @Flag(help: "Print how long each step took, on standard error.")
  var timing = false

  /// How long a whole request may take.
  var timeout: Duration { (try? RangedNumbers.duration("--timeout", timeoutWord)) ?? .seconds(2) }

  /// How long to wait for data that is being downloaded or loaded.
  package var wait: Duration { (try? RangedNumbers.duration("--wait", waitWord)) ?? .seconds(30) }

  /// Treats missing data as an error at once.
  mutating func waitNoMore() { waitWord = "0" }

  /// For the parser.
  package init() {}

  /// A configuration for the client.
  package var configuration: Client.Configuration {
    .init(
      location: SocketLocation(path: socketWord, startsPrivateServer: true), timeout: timeout, name: Product.title)
  }

  /// The variable or option that names the server's socket; `nil` if none does.
  func namedSocket(_ environment: (String) -> String?) -> String? {
    if let socketWord { return "--socket \(socketWord)" }
    return environment(SocketLocation.variable).flatMap { $0.isEmpty ? nil : "\(SocketLocation.variable)=\($0)" }
  }

  /// The same for a command that only a running server can perform.
  var sharedConfiguration: Client.Configuration {
    var configuration = configuration
    configuration.location.startsPrivateServer = false
    return configuration
  }

  /// Refuses invalid times, and an empty path: it is usually an unset variable.
  package func validate() throws {
    _ = try RangedNumbers.duration("--wait", waitWord)
    let timeout = try RangedNumbers.duration("--timeout", timeoutWord)
    if timeout == .zero { throw ValidationError("--timeout must be more than 0 seconds") }
    if socketWord == "" { throw ValidationError("--socket must not be empty") }
  }
}

/// The options about how rows are written.
package struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customLong("output"), .customShort("o")],
    help: ArgumentHelp(
      "The format: table, tsv, json, jsonl, csv or geojson.",
      discussion: """
        The default is table on a terminal and tsv elsewhere. A table is for people: its columns and their order may \
        change, and it shows what fits the terminal.

        The columns of tsv are frozen: new ones are added after the others. It has no header row, and writes TAB, LF, CR \
        and the backslash in values as '\\t', '\\n', '\\r' and '\\\\'. csv has a header row and keeps these four. In both, any \
        other control character (U+0000 to U+001F and U+007F to U+009F) is written as '\\u' and four hexadecimal digits, \
        such as '\\u001b'.

        json is one object {total, generation, as_of, sample, missing, sources, rows} without the keys that do not \
        apply; jsonl has one object per row. Both use the field names of the protocol, and print errors as JSON objects \
        on standard error. geojson (RFC 7946) is for rows with a position.
        """,
      valueName: "format"),
    completion: Choice.completion(of: OutputFormat.self))
  private var outputWord: String?

  @Option(
    name: .customLong("columns"),
    help: ArgumentHelp("Print these columns, separated by commas.", valueName: "names"))
  private var columnsWord: String?

  @Flag(
    name: [.customLong("null"), .customShort("0")],
    help: "End rows with NUL, and escape nothing (tsv).")
  private var null = false

  @Flag(
    name: .customLong("csv-safe"),
    help: ArgumentHelp(
      "Keep spreadsheets from reading text as formulas (csv).",
      discussion: """
        Texts that start with =, +, - or @ get an apostrophe before them. Numbers stay as they are. To programs other \
        than spreadsheets, the apostrophe is a part of the text.
        """))
  var csvSafe = false

  @Option(
    name: .customLong("color"),
    help: ArgumentHelp("Use colour: auto, always or never (default: auto).", valueName: "when"),
    completion: Choice.completion(of: ColourChoice.self))
  private var colorWord: String?

  @Option(
    name: .customLong("language"),
    help: ArgumentHelp(
      "Language of the names after titles, or 'none' (default: the locale's).",
      discussion: """
        Only tables on a terminal have such names, where they differ from the one in the title: 'Munich, DE (München)'. The \
        locale is what LANGUAGE, LC_ALL, LC_MESSAGES and LANG say.
        """,
      valueName: "code"))
  private var languageWord: String?

  @Flag(help: "Do not show long tables in a pager.")
  var noPager = false

  /// For the parser.
  package init() {}

  /// The requested format.
  var output: OutputFormat? { outputWord.flatMap(OutputFormat.init) }

  /// The requested columns; empty for all.
  var columns: [String] { Self.names(columnsWord) }

  /// Whether a row ends with NUL instead of LF.
  var endsRowsWithNUL: Bool { null }

  var color: ColourChoice { colorWord.flatMap(ColourChoice.init) ?? .auto }

  /// The requested language.
  var language: String? { languageWord }

  /// Names between commas; none if there is no word.
  static func names(_ word: String?) -> [String] {
    word?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
  }

  /// Refuses unknown names, and `-0` where rows do not end.
  package func validate() throws {
    let output: OutputFormat? = try Choice.read("--output", outputWord)
    let _: ColourChoice? = try Choice.read("--color", colorWord)
    try ReaderLanguages.check(languageWord)
    if csvSafe, output != .csv { throw ValidationError("--csv-safe needs --output csv") }
    if null, let output, output != .tsv { throw ValidationError("-0 needs --output tsv") }
  }

  /// Refuses options that do not apply to a single number.
  func requireNumber() throws {
    let isPlain = output != .csv && output != .geojson && columnsWord == nil && !null
    if !isPlain {
      throw ValidationError("--count prints one number; it cannot be combined with --columns, -0, csv or geojson")
    }
  }

  /// The format; by default it depends on standard output.
  func format(for output: OutputStream) -> OutputFormat {
    self.output ?? (null || !output.isTerminal ? .tsv : .table)
  }
}

/// The options about the number of rows; each verb has its own default.
struct PageOptions: ParsableArguments {
  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("limit")],
    help: ArgumentHelp("Print at most n rows, up to 1000 (default: 20).", valueName: "n"))
  private var limitWord: String?

  @Option(
    name: .customLong("offset"), help: ArgumentHelp("Skip n rows (default: 0).", valueName: "n"))
  private var offsetWord: String?

  @Flag(help: "Print all rows.")
  var all = false

  @Flag(help: "Print only the number of rows.")
  var count = false

  /// The largest limit of all verbs.
  static let maximumLimit: UInt64 = 1_000

  var offset: UInt64 { (try? RangedNumbers.count("--offset", offsetWord, from: 0)) ?? 0 }

  /// The largest number of rows; `fallback` by default.
  func wanted(_ fallback: UInt64) -> UInt64 {
    if count { return 0 }
    return all ? .max : (try? RangedNumbers.count("--limit", limitWord, from: 1, to: Self.maximumLimit)) ?? fallback
  }

  /// Refuses numbers out of range, and contradictions.
  func validate() throws {
    _ = try RangedNumbers.count("--limit", limitWord, from: 1, to: Self.maximumLimit)
    _ = try RangedNumbers.count("--offset", offsetWord, from: 0)
    if all && count { throw ValidationError("--all cannot be combined with --count") }
    if all && limitWord != nil { throw ValidationError("--all cannot be combined with --limit") }
    if count && (limitWord ?? offsetWord) != nil {
      throw ValidationError("--count cannot be combined with --limit or --offset")
    }
  }
}
