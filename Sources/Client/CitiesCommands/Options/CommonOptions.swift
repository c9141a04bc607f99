package import CitiesClient

/// The options that every command has about its connection.
package struct ConnectionOptions: ArgumentGroup {
  private var socket: String?
  /// How long a whole request may take.
  private(set) var timeout = Duration.seconds(2)
  /// How long to wait for data that is being downloaded or loaded.
  package private(set) var wait = Duration.seconds(30)
  var timing = false
  /// Whether notes are left out that change nothing about the answer.
  private(set) var quiet = false

  package static let title: String? = "Connection"

  package mutating func declare(in table: inout ArgumentTable) throws {
    socket = try table.option(
      "--socket", "path", .filled("not be empty", .files), "The server's socket.",
      details: """
        The default is CITIES_SOCKET if that is set, else the first that exists of \
        $XDG_RUNTIME_DIR/cities/citiesd.sock, unless another user could have made it, and /run/cities/citiesd.sock. \
        If there is none, the command starts a private server for itself, except refresh and watch.
        """)
    timeout =
      try table.option("--timeout", "seconds", .duration, "How long a request may take (default: 2).") ?? timeout
    wait =
      try table.option(
        "--wait", "seconds", .duration, "How long to wait for missing data (default: 30).",
        details: "While data is being downloaded or loaded, the command waits and retries.") ?? wait
    timing = table.flag("--timing", "Print how long each step took, on standard error.")
    quiet = table.flag(
      "--quiet", short: "-q", "Print no notes, except about doubtful answers.",
      details: """
        Notes about sample data, old, missing or unreadable data, and guesses at what was meant are always printed.
        """)
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
    output = try table.option(
      "--output", short: "-o", "format", .choice { [formats] in formats },
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
    columns = try table.option("--columns", "names", .columns, "Print these columns, separated by commas.") ?? columns
    endsRowsWithNUL = table.flag("--null", short: "-0", "End rows with NUL, and escape nothing (tsv).")
    csvSafe = table.flag(
      "--csv-safe", "Keep spreadsheets from reading text as formulas (csv).",
      details: """
        Texts that start with =, +, - or @ get an apostrophe before them. Numbers stay as they are. To programs other \
        than spreadsheets, the apostrophe is a part of the text.
        """)
    color = try table.option("--color", "when", .choice, "Use colour: auto, always or never (default: auto).") ?? color
    language = try table.option(
      "--language", "code", .language,
      "Language of the names after titles, or 'none' (default: the locale's).",
      details: """
        Only tables on a terminal have such names, where they differ from the one in the title: 'Munich, DE \
        (München)'. The locale is set by LANGUAGE, LC_ALL, LC_MESSAGES and LANG.
        """)
    noPager = table.flag("--no-pager", "Do not show long tables in a pager.")
  }

  /// For the parser.
  package init() {}

  /// Names between commas, without the spaces around them.
  static func names(_ word: String) -> [String] {
    let (comma, space) = (UInt8(ascii: ","), UInt8(ascii: " "))
    return word.utf8.split(separator: comma, omittingEmptySubsequences: false).map { bytes in
      var name = bytes
      while name.first == space { name.removeFirst() }
      while name.last == space { name.removeLast() }
      return String(Substring(name))
    }
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
    limit = try table.option(
      "--limit", short: "-n", "n", .count(from: 1, to: Self.maximumLimit),
      "Print at most n rows, up to 1000 (default: 20).")
    skipped = try table.option("--offset", "n", .count(from: 0), "Skip n rows (default: 0).")
    all = table.flag("--all", "Print all rows.")
    count = table.flag("--count", "Print only the number of rows.")
  }

  /// The largest limit of all verbs.
  static let maximumLimit: UInt64 = 1_000

  var offset: UInt64 { skipped ?? 0 }

  /// Whether the user has chosen a number of rows that could be larger.
  var isChosen: Bool { limit.map { $0 < Self.maximumLimit } ?? false }

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
