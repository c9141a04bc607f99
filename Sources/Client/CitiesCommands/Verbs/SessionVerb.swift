import Base
internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// `session`: a co-process for scripts that ask at every keystroke.
struct SessionVerb: Verb {
  static let command = CommandText(
    "session", usage: "[<options>] < prefixes",
    abstract: "Search for each line of standard input, for scripts.",
    discussion: """
      A session is a co-process for scripts that search at every keystroke: all lines share one connection. Each \
      line is a prefix; an empty line is the empty prefix. Each answer is a header line, its rows as tsv, and an \
      empty line, written at once. Read SHOWN rows, not up to the empty line: with --columns, a row without values is \
      an empty line, too.

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
        while [[ $number = '#'* ]] && ((shown-- > 0)); do
          IFS= read -r row <&"${S[0]}" && printf '%s\\n' "$row"
        done
        read -r <&"${S[0]}"
      """)

  static let columnNames = CitiesCommands.columnNames(CityListing.columns)
    .filter(CitiesCommands.columnNames(CityListing.foundColumns).contains)

  var filter = CityFilterOptions()
  private var limit: UInt64?
  private var sort: CitySearch.Sort?
  var find = false
  var latest = false
  private var output = OutputFormat.tsv
  private var columns: [String] = []
  var connection = ConnectionOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    try table.group(&filter)
    try table.option(
      &limit, "--limit", short: "-n", "n", .count(from: 0, to: CitySearch.maximumLimit),
      "Rows per answer, up to 1000 (default: 20); with --find up to 100 (10).")
    try table.option(
      &sort, "--sort", short: "-s", "sort", .choice, "Order by key (name, country, id; the default) or population.")
    table.flag(&find, "--find", "Find cities by a name in any language, as 'find' does.")
    table.flag(&latest, "--latest", "Skip a prefix if the next one has arrived already.")
    try table.option(
      &output, "--output", short: "-o", "format", .choice { [.tsv, .jsonl] }, "The format: tsv (the default) or jsonl.")
    try table.option(&columns, "--columns", "names", .columns, "Print these columns, separated by commas.")
  }

  /// Refuses numbers out of range, and contradictions.
  func validate() throws {
    if find, let limit, limit > CityFind.maximumLimit {
      throw ValidationError("--limit must be a whole number from 0 to \(CityFind.maximumLimit), not '\(limit)'")
    }
    if find, sort != nil { throw ValidationError("--sort cannot be combined with --find, which has its own order") }
    if find, filter.comparison != nil {
      throw ValidationError("--match cannot be combined with --find, which ignores accents")
    }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let places: ColumnPlaces = output == .jsonl ? .json : .rows
    let shown = try CityListing.of([], total: 0, generation: "").choosing(find ? [] : columns, for: places)
    let found = try CityListing.of(CityFind.Reply(rows: [], generation: "")).choosing(find ? columns : [], for: places)
    var session = Session(
      verb: self, writer: AnswerWriter(isJSON: places == .json, output: context.output), columns: shown,
      foundColumns: found, connection: connection, context: context)
    do { try context.client(connection).connect() } catch { throw CommandFailure(error) }
    var lines = LineReader(descriptor: context.input, maximum: Frame.maximumRequest)
    while let line = try lines.next() {
      if latest, try lines.hasNext() {
        try session.leaveOut(line)
      } else {
        try session.answer(line)
      }
    }
    return session.writer.status()
  }

  /// The request of a line.
  fileprivate func search(_ line: String) -> CitySearch {
    CitySearch(
      prefix: line, match: filter.comparison, country: filter.country, sort: sort == .key ? nil : sort,
      limit: limit ?? CitySearch.defaultLimit, with: CityListing.parts(columns, isTable: false))
  }

  /// The same with `--find`.
  fileprivate func search(forName line: String) -> CityFind {
    CityFind(query: line, limit: limit, country: filter.country)
  }
}

/// The state of a session.
private struct Session {
  let verb: SessionVerb
  var writer: AnswerWriter
  /// The columns of a row, in text or in JSON.
  let columns: [ListingColumn<CityRow>]
  /// The same of a city that `find` finds.
  let foundColumns: [ListingColumn<CityFind.Row>]
  var connection: ConnectionOptions
  let context: Context

  /// The number of lines.
  var sequence = 0

  mutating func leaveOut(_ line: LineReader.Line) throws {
    sequence += 1
    try writer.superseded(sequence, (try? line.get()) ?? "")
  }

  mutating func answer(_ line: LineReader.Line) throws {
    sequence += 1
    do {
      try answer(try line.get())
    } catch let error as CommandFailure {
      try writer.error(sequence, error)
    } catch let error as ClientError {
      // After one wait without success, missing data is reported at once: a script asks at every keystroke.
      if case .server(let reason) = error, reason.code == .unavailable { connection.waitNoMore() }
      try writer.error(sequence, CommandFailure(error))
    }
  }

  private mutating func answer(_ query: String) throws {
    if !verb.find {
      let reply = try context.send(verb.search(query), connection)
      let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation)
      try writer.answer(sequence, query, listing, columns, total: reply.total)
    } else {
      // At every keystroke, the user may not have typed a query yet.
      let reply = query.isSearched ? try context.send(verb.search(forName: query), connection) : nil
      var listing = CityListing.of(reply ?? CityFind.Reply(rows: [], generation: ""))
      listing.generation = reply?.generation
      try writer.answer(sequence, query, listing, foundColumns, total: nil)
    }
  }
}
