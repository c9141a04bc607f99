internal import CitiesClient
internal import CitiesProtocol

/// `session`: a co-process for scripts that ask at every keystroke.
struct SessionVerb: Verb {
  static let command = CommandText(
    "session", usage: "[<options>] < prefixes",
    abstract: "Search for each line of standard input, for scripts.",
    discussion: """
      A session is a co-process for scripts that search at every keystroke: all lines share one connection. With \
      --find, each line is a query for 'find'; without it, a prefix of titles, of which the empty one is that of all. \
      Each answer is a header line, its rows as tsv, and an \
      empty line, written at once. Read SHOWN rows, not up to the empty line: with --columns, a row without values is \
      an empty line, too.

        #SEQ TAB SHOWN TAB TOTAL TAB QUERY    rows follow
        !SEQ TAB CODE TAB MESSAGE             an error; the session goes on
        ~SEQ TAB QUERY                        left out by --latest

      With --find, TOTAL is -, and the columns of 'search' are followed by matched, by \
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
    find = table.flag("--find", "Find cities by a name in any language, as 'find' does.")
    try table.group(&filter)
    limit = try table.option(
      "--limit", short: "-n", "n", .count(from: 0, to: CitySearch.maximumLimit),
      "Rows per answer, up to 1000 (default: 20); with --find up to 100 (10).")
    sort = try table.option(
      "--sort", short: "-s", "sort", .choice, "Order by key (name, country, id; the default) or population.")
    latest = table.flag("--latest", "Skip a prefix if the next one has arrived already.")
    output =
      try table.option(
        "--output", short: "-o", "format", .choice { [.tsv, .jsonl] }, "The format: tsv (the default) or jsonl.")
      ?? output
    columns = try table.option("--columns", "names", .columns, "Print these columns, separated by commas.") ?? columns
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
    let answer = try find ? findings(in: context) : titles(in: context)
    var (writer, sequence) = (AnswerWriter(isJSON: places == .json, output: context.output), 0)
    try context.client().connect()
    var lines = LineReader(descriptor: context.input, maximum: Frame.maximumRequest)
    while let line = try lines.next() {
      sequence += 1
      if latest, try lines.hasNext() {
        try writer.superseded(sequence, (try? line.get()) ?? "")
        continue
      }
      do {
        try answer(&writer, sequence, line.get())
      } catch let error as CommandFailure {
        try writer.error(sequence, error)
      } catch let error as ClientError {
        // After one wait without success, missing data is reported at once: a script asks at every keystroke.
        if case .server(let reason) = error, reason.code == .unavailable { context.connection.waitNoMore() }
        try writer.error(sequence, CommandFailure(ofProtocol: error))
      }
    }
    return writer.status()
  }

  /// Writes the answer to the query in a line.
  private typealias Answer = (_ writer: inout AnswerWriter, _ sequence: Int, _ query: String) throws -> Void

  private var places: ColumnPlaces { output == .jsonl ? .json : .rows }

  /// The titles that start with a line.
  private func titles(in context: Context) throws -> Answer {
    let shown = try CityListing.of([], total: 0, generation: "").choosing(columns, for: places)
    let parts = CityListing.parts(columns, isTable: false)
    return { writer, sequence, query in
      let request = CitySearch(
        prefix: query, match: filter.comparison, country: filter.country, sort: sort == .key ? nil : sort,
        limit: limit ?? CitySearch.defaultLimit, with: parts)
      let reply = try context.send(request)
      let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation)
      try writer.answer(sequence, query, listing, shown, total: reply.total)
    }
  }

  /// The cities that `find` finds for a line.
  private func findings(in context: Context) throws -> Answer {
    let shown = try CityListing.of(CityFind.Reply(rows: [], generation: "")).choosing(columns, for: places)
    return { writer, sequence, query in
      // At every keystroke, the user may not have typed a query yet.
      let request = CityFind(query: query, limit: limit, country: filter.country)
      let reply = query.isSearched ? try context.send(request) : nil
      var listing = CityListing.of(reply ?? CityFind.Reply(rows: [], generation: ""))
      listing.generation = reply?.generation
      try writer.answer(sequence, query, listing, shown, total: nil)
    }
  }
}
