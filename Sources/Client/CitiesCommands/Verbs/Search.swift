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
      by name, country and id. Spaces in the prefix are significant; an empty prefix finds every city. If rows are left \
      out, a note on standard error says so. The exit status is 1 if nothing is found.

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

  @OptionGroup(title: "Page") var page: PageOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what is out of range or contradicts itself.
  func validate() throws {
    _ = try request
    if countryWord == "" { throw ValidationError("--country wants a code") }
    if page.count { try rendering.requireNumber() }
  }

  func perform(in context: Context) throws -> ExitStatus {
    if page.count { return try printCount(in: context) }
    let request = try request
    let wantsHint = request.match == nil && !prefix.text.isEmpty && context.diagnostics.isTerminal
    let (reply, folded) = try context.ask(connection) { (client) throws(ClientError) in
      let pages = Pages(client: client, first: request, wanted: page.wanted(CitySearch.defaultLimit))
      return try pages.fetch(pipelining: wantsHint ? foldedCount : nil)
    }
    let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation)
    try context.render(listing, rendering)
    try context.output.flush()
    SourceNotes.warnOfFallback(reply.sources, context)
    PageReport(shown: UInt64(reply.rows.count), total: reply.total, offset: page.offset)
      .tell(context.diagnostics, empty: hint(folded: folded))
    return reply.rows.isEmpty ? .nothingFound : .found
  }

  /// The question, in which what is the default is left out.
  private var request: CitySearch {
    get throws {
      let match: MatchMode? = try Choice.read("--match", matchWord)
      let sort: CitySearch.Sort? = try Choice.read("--sort", sortWord)
      return CitySearch(
        prefix: prefix.text, match: match == .plain ? nil : match, country: countryWord,
        sort: sort == .key ? nil : sort, offset: page.offset == 0 ? nil : page.offset)
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
    SourceNotes.warnOfFallback(reply.sources, context)
    return try context.render(count: reply.total, generation: reply.generation, rendering)
  }

  /// The next step after an empty result.
  private func hint(folded: UInt64?) -> String {
    let place = countryWord.map { " in \($0.uppercased())" } ?? ""
    let hint = folded.map { $0 > 0 ? "; \($0) without accents: --match folded" : "" } ?? ""
    return "nothing\(place) begins with \"\(prefix.text)\"\(hint)"
  }
}
