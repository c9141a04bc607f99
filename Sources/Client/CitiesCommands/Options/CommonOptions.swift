package import CitiesClient

/// The options that every command has about its connection.
package struct ConnectionOptions: ArgumentGroup {
  private var socket: String?
  /// How long a whole request may take.
  private(set) var timeout = Duration.seconds(2)
  /// How long to wait for data that is being downloaded or loaded.
  package private(set) var wait = Duration.seconds(30)
  var timing = false

  package static let title: String? = "Connection"

  package mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(
      &socket, "--socket", "path", .filled("not be empty", .files), "The server's socket.",
      details: """
        The default is CITIES_SOCKET if that is set, else the first that exists of \
        $XDG_RUNTIME_DIR/cities/citiesd.sock and /run/cities/citiesd.sock. If there is none, the command starts a \
        private server for itself, except refresh and watch.
        """)
    try table.option(&timeout, "--timeout", "seconds", .duration, "How long a request may take (default: 2).")
    try table.option(
      &wait, "--wait", "seconds", .duration, "How long to wait for missing data (default: 30).",
      details: "While data is being downloaded or loaded, the command waits and retries.")
    table.flag(&timing, "--timing", "Print how long each step took, on standard error.")
  }

  /// Whether a private server is started in any case, and no socket looked for.
  package private(set) var isPrivate = false

  /// Wants a private server in any case.
  package mutating func startServer() { isPrivate = true }

  /// Treats missing data as an error at once.
  package mutating func waitNoMore() { wait = .zero }

  /// For the parser.
  package init() {}

  /// A configuration for the client.
  package var configuration: Client.Configuration {
    var location = SocketLocation(path: socket, startsPrivateServer: true)
    if isPrivate { (location.candidates, location.startsPrivateServer) = ([], true) }
    return .init(location: location, timeout: timeout, name: Product.title)
  }

  /// Whether an option names the server's socket.
  var namesSocket: Bool { socket != nil }

  /// The variable or option that names the server's socket; `nil` if none does.
  func namedSocket(_ environment: (String) -> String?) -> String? {
    if let socket { return "--socket \(socket)" }
    return environment(SocketLocation.variable).flatMap { $0.isEmpty ? nil : "\(SocketLocation.variable)=\($0)" }
  }

  /// The same for a command that only a running server can perform.
  var sharedConfiguration: Client.Configuration {
    var configuration = configuration
    configuration.location.startsPrivateServer = false
    return configuration
  }

  /// Refuses to wait for nothing.
  package func validate() throws {
    if timeout == .zero { throw ValidationError("--timeout must be more than 0 seconds") }
  }
}

/// The options about how rows are written.
package struct OutputOptions: ArgumentGroup {
  /// The formats that there are.
  var formats = OutputFormat.ofRows
  /// The requested format.
  private(set) var output: OutputFormat?
  /// The requested columns; empty for all.
  package private(set) var columns: [String] = []
  /// Whether a row ends with NUL instead of LF.
  private(set) var endsRowsWithNUL = false
  var csvSafe = false
  /// When to use colour.
  package private(set) var color = ColourChoice.auto
  /// The requested language.
  package private(set) var language: String?
  var noPager = false

  package static let title: String? = "Output"

  package mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(
      &output, "--output", short: "-o", "format", .choice { [formats] in formats },
      "The format: table, tsv, json, jsonl, csv or geojson.",
      details: """
        The default is table on a terminal and tsv elsewhere. A table is for people: its columns and their order may \
        change, and it shows what fits the terminal.

        The columns of tsv are frozen: new ones are added after the others. It has no header row, and writes TAB, LF, \
        CR and the backslash in values as '\\t', '\\n', '\\r' and '\\\\'. csv has a header row and keeps these four. \
        In both, any other control character (U+0000 to U+001F and U+007F to U+009F) is written as '\\u' and four \
        hexadecimal digits, such as '\\u001b'.

        json is one object {total, generation, as_of, sample, missing, sources, rows} without the keys that do not \
        apply; jsonl has one object per row. Both use the field names of the protocol, and print errors as JSON \
        objects on standard error. geojson (RFC 7946) is for rows with a position.
        """)
    try table.option(&columns, "--columns", "names", .columns, "Print these columns, separated by commas.")
    table.flag(&endsRowsWithNUL, "--null", short: "-0", "End rows with NUL, and escape nothing (tsv).")
    table.flag(
      &csvSafe, "--csv-safe", "Keep spreadsheets from reading text as formulas (csv).",
      details: """
        Texts that start with =, +, - or @ get an apostrophe before them. Numbers stay as they are. To programs other \
        than spreadsheets, the apostrophe is a part of the text.
        """)
    try table.option(&color, "--color", "when", .choice, "Use colour: auto, always or never (default: auto).")
    try table.option(
      &language, "--language", "code", .language,
      "Language of the names after titles, or 'none' (default: the locale's).",
      details: """
        Only tables on a terminal have such names, where they differ from the one in the title: 'Munich, DE \
        (München)'. The locale is set by LANGUAGE, LC_ALL, LC_MESSAGES and LANG.
        """)
    table.flag(&noPager, "--no-pager", "Do not show long tables in a pager.")
  }

  /// For the parser.
  package init() {}

  /// Names between commas.
  static func names(_ word: String) -> [String] {
    word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Refuses options of other formats.
  package func validate() throws {
    if csvSafe, output != .csv { throw ValidationError("--csv-safe needs --output csv") }
    if endsRowsWithNUL, let output, output != .tsv { throw ValidationError("-0 needs --output tsv") }
  }

  /// Refuses options that do not apply to a single number.
  func requireNumber() throws {
    guard output != .csv, output != .geojson, columns.isEmpty, !endsRowsWithNUL else {
      throw ValidationError("--count prints one number; it cannot be combined with --columns, -0, csv or geojson")
    }
  }

  /// The format; by default it depends on standard output.
  func format(for output: OutputStream) -> OutputFormat {
    self.output ?? (endsRowsWithNUL || !output.isTerminal ? .tsv : .table)
  }
}

/// The options that all verbs have which print rows.
package struct AnswerOptions: ArgumentGroup {
  var rendering = OutputOptions()
  var connection = ConnectionOptions()

  /// Declares both groups.
  package mutating func declare(in table: inout ArgumentTable) throws {
    try table.group(&rendering)
    try table.group(&connection)
  }

  /// The defaults.
  package init() {}
}

/// The options about the number of rows; each verb has its own default.
struct PageOptions: ArgumentGroup {
  private var limit: UInt64?
  private var skipped: UInt64?
  var all = false
  var count = false

  static let title: String? = "Page"

  mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(
      &limit, "--limit", short: "-n", "n", .count(from: 1, to: Self.maximumLimit),
      "Print at most n rows, up to 1000 (default: 20).")
    try table.option(&skipped, "--offset", "n", .count(from: 0), "Skip n rows (default: 0).")
    table.flag(&all, "--all", "Print all rows.")
    table.flag(&count, "--count", "Print only the number of rows.")
  }

  /// The largest limit of all verbs.
  static let maximumLimit: UInt64 = 1_000

  var offset: UInt64 { skipped ?? 0 }

  /// The largest number of rows.
  var wanted: UInt64 { count ? 0 : all ? .max : limit ?? Self.usualLimit }
  private static let usualLimit: UInt64 = 20

  /// Refuses contradictions.
  func validate() throws {
    if all && count { throw ValidationError("--all cannot be combined with --count") }
    if all && limit != nil { throw ValidationError("--all cannot be combined with --limit") }
    if count && (limit ?? skipped) != nil {
      throw ValidationError("--count cannot be combined with --limit or --offset")
    }
  }
}
