internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `search PREFIX`: the cities whose title begins so.
struct Search: Verb {
  static let configuration = CommandConfiguration.verb(
    "search", usage: "[<options>] <prefix>",
    abstract: "Find the cities whose title begins with a prefix.",
    discussion: """
      The columns are title, lat, lon, id, country, name and population, so that 'cut -f1' gives titles. The order is \
      by name, country and id. Blanks in the prefix count; an empty prefix finds every city. A result that was cut is \
      told on standard error, and nothing found is exit status 1.

        citiesctl search alb
        citiesctl search --match folded 'sao p'
        citiesctl search --count --country de ''
        citiesctl search --all --output jsonl new | jq .id
      """)

  @Argument(help: "What the title begins with.", completion: .custom(TitleCompletion.complete))
  var prefix: Word

  @Option(
    name: .customLong("match"),
    help: ArgumentHelp("Whether accents count (plain, the default) or not (folded).", valueName: "match"),
    completion: Choice.completion(of: MatchMode.self))
  private var matchWord: String?

  @Option(
    name: .customLong("country"), help: ArgumentHelp("Only cities of this country, in any case.", valueName: "code"))
  private var countryWord: String?

  @Option(
    name: .customLong("sort"),
    help: ArgumentHelp(
      "The order: key (name, country, id; the default) or population (most first).", valueName: "sort"),
    completion: Choice.completion(of: CitySearch.Sort.self))
  private var sortWord: String?

  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp("Rows at most, up to 1000 (default: 20); a cut is told on standard error.", valueName: "n"))
  private var limitWord: String?

  @Option(
    name: .customLong("offset"), help: ArgumentHelp("Rows to leave out in front (default: 0).", valueName: "n"))
  private var offsetWord: String?

  @Flag(help: "All rows.")
  var all = false

  @Flag(help: "Only the number of matches, which is exact.")
  var count = false

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what is out of range or contradicts itself.
  func validate() throws {
    _ = try request
    if countryWord == "" { throw ValidationError("--country wants a code") }
    if all && count { throw ValidationError("--all and --count exclude each other") }
    if all && limitWord != nil { throw ValidationError("--all and --limit exclude each other") }
    guard count else { return }
    if (limitWord ?? offsetWord) != nil { throw ValidationError("--count takes no --limit and no --offset") }
    try rendering.requireNumber()
  }

  func perform(in context: Context) throws -> ExitStatus {
    if count { return try printCount(in: context) }
    let request = try request
    let wantsHint = request.match == nil && !prefix.text.isEmpty && context.diagnostics.isTerminal
    let (reply, folded) = try context.ask(connection) { (client) throws(ClientError) in
      let wanted = all ? .max : request.limit ?? CitySearch.defaultLimit
      let pages = CityPages(client: client, first: request, wanted: wanted)
      return try pages.fetch(pipelining: wantsHint ? foldedCount : nil)
    }
    let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation)
    try context.render(listing, rendering)
    try context.output.flush()
    report(reply, offset: request.offset ?? 0, folded: folded, to: context.diagnostics)
    return reply.rows.isEmpty ? .nothingFound : .found
  }

  /// The question, in which what is the default is left out.
  private var request: CitySearch {
    get throws {
      let match: MatchMode? = try Choice.read("--match", matchWord)
      let sort: CitySearch.Sort? = try Choice.read("--sort", sortWord)
      let limit = try RangedNumbers.count("--limit", limitWord, from: 1, to: CitySearch.maximumLimit)
      let offset = try RangedNumbers.count("--offset", offsetWord, from: 0)
      return CitySearch(
        prefix: prefix.text, match: match == .plain ? nil : match, country: countryWord,
        sort: sort == .key ? nil : sort, offset: offset == 0 ? nil : offset, limit: limit)
    }
  }

  /// The question behind the hint that accents stand in the way.
  private var foldedCount: CitySearch {
    CitySearch(prefix: prefix.text, match: .folded, country: countryWord, limit: 0)
  }

  private func printCount(in context: Context) throws -> ExitStatus {
    var request = try request
    request.limit = 0
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    if rendering.format(for: context.output).isJSON {
      context.output.write("{\"total\":\(reply.total)")
      context.output.bytes.appendMember("generation", .text(reply.generation))
      context.output.write("}\n")
    } else {
      context.output.write("\(reply.total)\n")
    }
    return reply.total == 0 ? .nothingFound : .found
  }

  private func report(_ reply: CitySearch.Reply, offset: UInt64, folded: UInt64?, to diagnostics: Diagnostics) {
    let shown = UInt64(reply.rows.count)
    if shown == 0, reply.total > 0 {
      diagnostics.note("past-end", "there are \(reply.total), and --offset leaves out \(offset)")
    } else if shown == 0, diagnostics.isTerminal {
      let place = countryWord.map { " in \($0.uppercased())" } ?? ""
      let hint = folded.map { $0 > 0 ? "; \($0) without accents: --match folded" : "" } ?? ""
      diagnostics.note("empty", "nothing\(place) begins with \"\(prefix.text)\"\(hint)")
    } else if shown < reply.total - min(offset, reply.total) {
      diagnostics.note("cut", "\(shown) of \(reply.total) shown; --all shows all, --limit more")
    }
  }
}
