internal import CitiesClient
internal import CitiesProtocol
internal import Glibc
internal import System

/// `feed list|show|enable|disable`: sources of data, which `citiesd-sync` lists and switches on or off.
///
/// That program reads and writes the configuration with the permissions of the caller, so that this one need not link
/// code for it. This one parses the arguments, writes the rows and determines the exit status.
struct FeedVerb: RowVerb {
  static let command = CommandText(
    "feed",
    usage: """
      list [<options>]
      show <feed>
      enable <feed> [<url>|-]
      disable [--forget] <feed>
      """,
    abstract: "List the sources of data, or turn them on and off.",
    discussion: """
      'list' prints each feed with the columns feed, state, format and source, as the running server has them; without \
      a server, as the caller's configuration has them. 'show' prints all settings of one. 'enable' sets the source of \
      a feed: its default one, or the given URL or absolute path, which for the system's service is not in /home or \
      /tmp. With - it reads the URL from standard input, as every user can see the arguments of a process. 'disable' \
      removes it. Both write a file in the folder sync.d beside sync.json(5), with the rights of the \
      caller; nothing needs to be restarted. If the running server has the configuration of another user, nothing is \
      written unless CITIES_SYNC_CONFIG names the file. No web source is contacted before the first request about \
      banks or trade, or a refresh.

      A URL that may have a secret (after ? or #), or of a feed with headers, is written to a file that only its owner \
      can read, and for the system's configuration the group cities. Other users see 'source not readable'.

      Stored data stays unless --forget is given. Without data of the feed cities, the installed list is in use.

      The exit status is 2 if there is no such feed, 65 if the configuration is invalid, 74 if a local source does not \
      exist, 77 if the folder cannot be written or the server has the configuration of another user, and 4 if the \
      written file has no effect because a variable or another file overrides it.

        # List the feeds
        citiesctl feed list
        # Show the settings of one
        citiesctl feed show swedbank-ee
        # Turn off the feed of this bank
        sudo citiesctl feed disable swedbank-ee
        # Return to the installed list of cities
        sudo citiesctl feed disable --forget cities
      """)

  /// `feed state format source`.
  static let columns: [ListingColumn<FeedSource>] = [
    ListingColumn("feed") { .text($0.name) },
    ListingColumn("state") { .text($0.state) },
    ListingColumn("format") { RowValue($0.format) },
    ListingColumn("source") { RowValue($0.source) },
  ]

  var words: [String] = []
  var forget = false
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments(
      "command", "list, show, enable or disable, then a feed, then a URL or a path.",
      completion: .tasks(FeedTask.tasks))
    forget = table.flag("--forget", "With disable: remove the stored data as well.")
  }

  func validate() throws {
    let task = try FeedTask(words)
    if forget, task.name != "disable" { throw ValidationError("--forget is for 'feed disable'") }
    guard task.name != "list", rendering.output != nil || !rendering.columns.isEmpty else { return }
    throw ValidationError("--output and --columns are for 'feed list'")
  }

  func perform(in context: Context) throws -> ExitStatus {
    let task = try FeedTask(words)
    let client = context.client(isShared: true)
    // A file named by the caller takes precedence over the server's.
    let isNamed = context.environment(FeedTask.variable).map { !$0.isEmpty } ?? false
    let server = isNamed ? nil : FeedServer(client)
    let foreign = server.flatMap { $0.hasCallersConfiguration ? nil : $0 }
    if let foreign, task.isChange { throw refusal(foreign) }
    let configured = Result { () throws(CommandFailure) in
      try task.perform(isForgetting: forget, reading: foreign?.configuration, in: context)
    }
    guard task.name == "list" else {
      if let foreign, foreign.configuration == nil {
        context.note("feed", "the server on \(foreign.path) does not have this configuration")
      }
      context.output.write(page: try configured.get().map { "\($0)\n" }.joined())
      return .found
    }
    let feeds = configured.map { $0.map(FeedSource.init) }
    let rows = try sources(of: client, feeds)
    if server != nil, foreign == nil { noteChanges(rows, feeds, context) }
    try write(rows, in: context)
    return .found
  }

  private func refusal(_ server: FeedServer) -> CommandFailure {
    let arguments = (["feed"] + words + (forget ? ["--forget"] : [])).map(quotedForShell).joined(separator: " ")
    var failure = CommandFailure(
      .permission, code: "permission-denied", "the server on \(server.path) does not have your configuration")
    failure.advice = ["to change the one that it has: \(server.sudo) citiesctl \(arguments)"]
    return failure
  }

  /// The feeds of the running server, with formats from `configured`, and the configured ones that it does not know,
  /// such as those that are off; without a server, the configured ones.
  private func sources(
    of client: Client, _ configured: Result<[FeedSource], CommandFailure>
  ) throws(CommandFailure) -> [FeedSource] {
    guard let reply = try? client.settledStatus(), reply.knowsSources else { return try configured.get() }
    let rows = (try? configured.get()) ?? []
    let unknown = rows.filter { row in !reply.feeds.contains { $0.feed.rawValue == row.name } }
    return reply.feeds.map { report in
      let row = rows.first { $0.name == report.feed.rawValue }
      // The report on sample data names the sample as its source.
      return report.sample == true ? row ?? FeedSource(report, nil) : FeedSource(report, row?.format)
    } + unknown
  }

  /// Prints errors in the configuration, or its differences from `rows`, the feeds of the server that reads it before
  /// each refresh.
  private func noteChanges(
    _ rows: [FeedSource], _ configured: Result<[FeedSource], CommandFailure>, _ context: Context
  ) {
    switch configured {
    case .failure(let error): context.note("feed", error.message)
    case .success(let feeds):
      for row in feeds where row.isReadable && rows.contains(where: { $0.name == row.name && $0.isOn != row.isOn }) {
        context.note("feed", "\(row.name): turned \(row.state) since the server's last refresh")
      }
    }
  }
}

/// The arguments of `citiesd-sync feed`.
struct FeedTask {
  /// The environment variable with the path of the configuration file.
  static let variable = "CITIES_SYNC_CONFIG"
  /// A task, with the number of words after it.
  typealias Form = (name: String, words: ClosedRange<Int>)
  static let tasks: [Form] = [
    ("list", 0...0), ("show", 1...1), ("enable", 1...2), ("disable", 1...1),
  ]
  /// The timeout, in seconds: after `--forget` the data of the other feeds is indexed again.
  private static let patience: Int64 = 600
  /// The most bytes of a source from standard input.
  private static let longestURL = 8_192

  /// One of ``tasks``.
  let name: String
  /// Whether it changes the configuration.
  var isChange: Bool { name == "enable" || name == "disable" }
  private let rest: [String]

  /// Parses the words after `feed`.
  ///
  /// - Throws: `ValidationError` for an unknown task, or a wrong number of words.
  init(_ words: [String]) throws {
    let known = Choice.listed(Self.tasks.map(\.name))
    guard let first = words.first else { throw ValidationError("missing argument: \(known)") }
    guard let task = Self.tasks.first(where: { $0.name == first }) else {
      throw ValidationError("unknown argument: '\(first)' (use \(known))")
    }
    (name, rest) = (task.name, Array(words.dropFirst()))
    guard task.words.contains(rest.count) else {
      guard rest.count < task.words.lowerBound else { throw ValidationError("too many arguments for 'feed \(name)'") }
      throw ValidationError("missing argument: 'feed \(name)' needs the name of a feed")
    }
  }

  /// Runs `citiesd-sync`, and returns its output as lines; its messages are printed on standard error.
  ///
  /// It reads the configuration at `file`, by default the caller's.
  ///
  /// - Throws: ``CommandFailure`` with the message of `citiesd-sync` and the exit status of this program.
  func perform(
    isForgetting: Bool, reading file: String? = nil, in context: Context
  ) throws(CommandFailure) -> [String] {
    if let file { setenv(Self.variable, file, 1) }
    let program = HelperProgram.beside(HelperProgram.sync)
    // After `--`, no word is an option.
    let arguments = ["feed", name] + (isForgetting ? ["--forget"] : []) + ["--"] + rest
    let run: ProgramRun
    do throws(SystemError) {
      let isInput = name == "enable" && rest.last.is("-")
      let input = isInput ? try readAll(context.input, "standard input", limit: Self.longestURL) : nil
      run = try ProgramRun(program.path, arguments, input: input, seconds: Self.patience)
    } catch {
      throw program.failure(error.code)
    }
    let messages = run.messages.map(Self.withoutName)
    guard run.ending == .exited(0) else { throw Self.failure(run.ending, messages) }
    for message in messages { context.note("feed", message) }
    return run.output
  }

  private static func failure(_ ending: ProgramEnding, _ messages: [String]) -> CommandFailure {
    var status = ExitStatus.internalFault
    if case .exited(let number) = ending { status = ExitStatus(rawValue: number) ?? status }
    let message = messages.isEmpty ? "\(HelperProgram.sync) failed without a message" : messages.joined(separator: "\n")
    return CommandFailure(status, code: status == .usage ? "usage" : "feed", message)
  }

  /// Removes the name of `citiesd-sync` from its message.
  private static func withoutName(_ message: String) -> String {
    let start = "\(HelperProgram.sync): "
    return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
  }
}

/// A feed and its source: a row of `feed list`.
struct FeedSource {
  let name: String
  /// The name of its format, if known.
  let format: String?
  /// The source of its data; `nil` if it is off.
  let source: String?
  /// Whether it has a source.
  var isOn: Bool { source != nil }
  /// Whether the caller could read the file with its source.
  var isReadable: Bool { !source.is("source not readable") }
  /// `on` or `off`.
  var state: String { isOn ? "on" : "off" }

  /// Parses a line of `citiesd-sync feed list`.
  init(_ line: String) {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) + ["", "", "", ""]
    name = columns[0]
    (format, source) = (columns[2].isEmpty ? nil : columns[2], columns[3].isEmpty ? nil : columns[3])
  }

  /// Uses the name and the source of a report.
  init(_ report: FeedReport, _ format: String?) {
    (name, self.format, source) = (report.feed.rawValue, format, report.source)
  }
}
