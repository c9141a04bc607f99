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

  @Option(help: "Whether accents count (plain) or not (folded).")
  var match: MatchMode = .plain

  @Option(help: ArgumentHelp("Only cities of this country, in any case.", valueName: "code"))
  var country: String?

  @Option(help: "The order: key (name, country, id) or population (most first).")
  var sort: CitySearch.Sort = .key

  @Option(
    help: ArgumentHelp("Rows at most, up to 1000 (default: 20); a cut is told on standard error.", valueName: "n"),
    transform: RangedNumbers.count(from: 1, to: CitySearch.maximumLimit))
  var limit: UInt64 = CitySearch.defaultLimit

  @Option(
    help: ArgumentHelp("Rows to leave out in front.", valueName: "n"), transform: RangedNumbers.count(from: 0))
  var offset: UInt64 = 0

  @Flag(help: "All rows.")
  var all = false

  @Flag(help: "Only the number of matches, which is exact.")
  var count = false

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what contradicts itself.
  func validate() throws {
    if all && count { throw ValidationError("--all and --count exclude each other") }
    if country == "" { throw ValidationError("--country wants a code") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    if count { return try printCount(in: context) }
    let wantsHint = match == .plain && !prefix.text.isEmpty && context.diagnostics.isTerminal
    let (reply, folded) = try context.ask(connection) { (client) throws(ClientError) in
      let pages = CityPages(client: client, first: request, wanted: all ? .max : limit)
      return try pages.fetch(pipelining: wantsHint ? foldedCount : nil)
    }
    let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation)
    try context.render(listing, rendering)
    try context.output.flush()
    report(reply, folded: folded, to: context.diagnostics)
    return reply.rows.isEmpty ? .nothingFound : .found
  }

  private var request: CitySearch {
    CitySearch(
      prefix: prefix.text, match: match == .plain ? nil : match, country: country, sort: sort == .key ? nil : sort,
      offset: offset == 0 ? nil : offset)
  }

  /// The question behind the hint that accents stand in the way.
  private var foldedCount: CitySearch {
    CitySearch(prefix: prefix.text, match: .folded, country: country, limit: 0)
  }

  private func printCount(in context: Context) throws -> ExitStatus {
    var request = self.request
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

  private func report(_ reply: CitySearch.Reply, folded: UInt64?, to diagnostics: Diagnostics) {
    let shown = UInt64(reply.rows.count)
    if shown == 0, reply.total > 0 {
      diagnostics.note("past-end", "there are \(reply.total), and --offset leaves out \(offset)")
    } else if shown == 0, diagnostics.isTerminal {
      let place = country.map { " in \($0.uppercased())" } ?? ""
      let hint = folded.map { $0 > 0 ? "; \($0) without accents: --match folded" : "" } ?? ""
      diagnostics.note("empty", "nothing\(place) begins with \"\(prefix.text)\"\(hint)")
    } else if offset + shown < reply.total {
      diagnostics.note("cut", "\(shown) of \(reply.total) shown; --all shows all, --limit more")
    }
  }
}
