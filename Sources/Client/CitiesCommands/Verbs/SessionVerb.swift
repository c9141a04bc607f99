internal import ArgumentParser
import Base
internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// `session`: a co-process for scripts that ask at every keystroke.
struct SessionVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "session", usage: "[<options>] < prefixes",
    abstract: "Search for each line of standard input, for scripts.",
    discussion: """
      A session is a co-process for scripts that search at every keystroke: all lines share one connection. Each \
      line is a prefix; an empty line is the empty prefix. Each answer is a header line, its rows as tsv, and an \
      empty line, written at once:

        #SEQ TAB SHOWN TAB TOTAL TAB QUERY    rows follow
        !SEQ TAB CODE TAB MESSAGE             an error; the session goes on
        ~SEQ TAB QUERY                        left out by --latest

      With --find each line is a query for 'find': TOTAL is -, and the columns of 'search' are followed by matched, by \
      and region. A line without letters and digits, such as an empty one, lists nothing.

      SEQ counts the lines from 1. With --output jsonl an answer is one object {seq, query, shown, total, \
      generation, rows}, {seq, error} or {seq, query, superseded}.

      If there is no socket, a private server runs as long as the session; if --socket or CITIES_SOCKET names one that \
      does not answer, the session ends at once with exit status 69. If the server restarts later, the session waits \
      for it. The exit status is 4 if some lines had an error, and that of the last error if all had one.

        # In bash, start a session, send a prefix and read its rows
        coproc S { citiesctl session --limit 5; }
        printf '%s\\n' alb >&"${S[1]}"
        IFS=$'\\t' read -r number shown total query <&"${S[0]}"
        while IFS= read -r row <&"${S[0]}" && [ -n "$row" ]; do
          printf '%s\\n' "$row"
        done
      """)

  @OptionGroup var filter: CityFilterOptions

  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("limit")],
    help: ArgumentHelp("Rows per answer, up to 1000 (default: 20); with --find up to 100 (10).", valueName: "n"))
  private var limitWord: String?

  @Option(
    name: [.customShort("s", allowingJoined: true), .customLong("sort")],
    help: ArgumentHelp("Order by key (name, country, id; the default) or population.", valueName: "sort"),
    completion: Choice.completion(of: CitySearch.Sort.self))
  private var sortWord: String?

  @Flag(help: "Find cities by a name in any language, as 'find' does.")
  var find = false

  @Flag(help: "Skip a prefix if the next one has arrived already.")
  var latest = false

  @Option(
    name: [.customLong("output"), .customShort("o")],
    help: ArgumentHelp("The format: tsv (the default) or jsonl.", valueName: "format"),
    completion: .list(["tsv", "jsonl"]))
  private var outputWord: String?

  @Option(
    name: .customLong("columns"),
    help: ArgumentHelp("Print these columns, separated by commas.", valueName: "names"))
  private var columnsWord: String?

  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// The format, which is a stream.
  private var output: OutputFormat {
    get throws {
      let output = try Choice.read("--output", outputWord) ?? OutputFormat.tsv
      switch output {
      case .tsv, .jsonl: return output
      case .table, .json, .csv, .geojson: throw ValidationError("--output must be tsv or jsonl for a session")
      }
    }
  }

  /// Refuses numbers out of range, and formats that cannot be written as a stream.
  func validate() throws {
    _ = try (output, question(""))
    if find, sortWord != nil { throw ValidationError("--sort cannot be combined with --find, which has its own order") }
    if find, filter.match != nil {
      throw ValidationError("--match cannot be combined with --find, which ignores accents")
    }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let places: ColumnPlaces = try output == .jsonl ? .json : .rows
    let names = OutputOptions.names(columnsWord)
    let columns = try CityListing.of([], total: 0, generation: "").choosing(find ? [] : names, for: places)
    let found = try CityListing.of(CityFind.Reply(rows: [], generation: "")).choosing(find ? names : [], for: places)
    var session = Session(
      writer: AnswerWriter(isJSON: places == .json, output: context.output), columns: columns, foundColumns: found,
      connection: connection, context: context)
    // Otherwise a script would notice a missing server only after its first line.
    do { try context.client(connection).connect() } catch { throw CommandFailure(error) }
    var lines = LineReader(descriptor: context.input, maximum: Frame.maximumRequest)
    while let line = try lines.next() {
      if latest, try lines.hasNext() {
        try session.leaveOut(line)
      } else {
        try session.answer(line, question)
      }
    }
    return session.status
  }

  /// The question of a line.
  private func question(_ line: String) throws -> SessionQuestion {
    let maximum = find ? CityFind.maximumLimit : CitySearch.maximumLimit
    let limit = try RangedNumbers.count("--limit", limitWord, from: 0, to: maximum)
    if find { return .find(CityFind(query: line, limit: limit, country: filter.country)) }
    let sort: CitySearch.Sort? = try Choice.read("--sort", sortWord)
    let parts = CityListing.parts(OutputOptions.names(columnsWord), isTable: false)
    return .search(
      CitySearch(
        prefix: line, match: filter.match, country: filter.country, sort: sort == .key ? nil : sort,
        limit: limit ?? CitySearch.defaultLimit, with: parts))
  }
}

/// What a line asks.
private enum SessionQuestion {
  case search(CitySearch)
  case find(CityFind)
}

/// The state of a session: how many lines there were, and how they went.
private struct Session {
  let writer: AnswerWriter
  /// The columns of a row, in text or in JSON.
  let columns: [ListingColumn<CityRow>]
  /// The same of a city that `find` finds.
  let foundColumns: [ListingColumn<CityFind.Row>]
  var connection: ConnectionOptions
  let context: Context

  private var sequence = 0
  private var answered = 0
  private var lastError: ExitStatus?

  init(
    writer: AnswerWriter, columns: [ListingColumn<CityRow>], foundColumns: [ListingColumn<CityFind.Row>],
    connection: ConnectionOptions, context: Context
  ) {
    (self.writer, self.columns, self.foundColumns) = (writer, columns, foundColumns)
    (self.connection, self.context) = (connection, context)
  }

  /// 0, 4 if some lines had an error, that of the last error if none was answered.
  var status: ExitStatus { lastError.map { answered > 0 ? .partial : $0 } ?? .found }

  mutating func leaveOut(_ line: LineReader.Line) throws {
    sequence += 1
    if case .text(let query) = line { return try writer.superseded(sequence, query) }
    try writer.superseded(sequence, "")
  }

  mutating func answer(_ line: LineReader.Line, _ question: (String) throws -> SessionQuestion) throws {
    sequence += 1
    switch line {
    case .text(let query): try answer(query, try question(query))
    case .notText: try fail(.init(.badData, code: "bad-data", "the line is not valid UTF-8"))
    case .tooLong:
      let maximum = Frame.maximumRequest
      try fail(.init(.badData, code: "bad-data", "the line has more than \(maximum) bytes, which no request may have"))
    }
  }

  private mutating func answer(_ query: String, _ question: SessionQuestion) throws {
    do {
      switch question {
      case .search(let request):
        let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
        answered += 1
        let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation)
        try writer.answer(sequence, query, listing, columns, total: reply.total)
      case .find(let request):
        // At every keystroke, the user has not typed a query yet.
        guard query.isSearched else {
          answered += 1
          var nothing = CityListing.of(CityFind.Reply(rows: [], generation: ""))
          nothing.generation = nil
          return try writer.answer(sequence, query, nothing, foundColumns, total: nil)
        }
        let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
        answered += 1
        try writer.answer(sequence, query, CityListing.of(reply), foundColumns, total: nil)
      }
    } catch let error as ClientError {
      // After one wait without success, missing data is reported at once: a script asks at every keystroke.
      if case .server(let reason) = error, reason.code == .unavailable { connection.waitNoMore() }
      try fail(CommandFailure(error))
    }
  }

  private mutating func fail(_ failure: CommandFailure) throws {
    lastError = failure.status
    try writer.error(sequence, failure)
  }
}
