internal import CitiesClient
internal import CitiesProtocol

/// `find WORDS…`: the cities that a name may mean.
struct FindVerb: RowVerb {
  static let command = CommandText(
    "find", usage: "[<options>] <word>…",
    abstract: "Find a city by a name in any language.",
    discussion: """
      The words are a name, or the start of one; case, accents, hyphens and apostrophes do not matter. The last words \
      may name the county, the region or the country. The best matches come first: large cities before small ones, \
      whole names before prefixes, the name in the title before other names. If nothing matches, other forms are tried \
      in turn: names as in an address (S. Paulo, 80331 München), the words in another order, and names with typing \
      errors (one in a name of five letters or more, two in one of nine or more, or one in the first letter or in an \
      unfinished name). Finally, the last words are left out, or the text is read as typed on a Russian or Greek \
      keyboard, or in Latin letters; a note says so. If the words name a country or region but no city, the largest \
      cities there are listed, with a note. Codes, such as those of airports, are typed in capitals: MIA is Miami, and \
      three capitals mean a code first.

      The columns are those of 'citiesctl search', then 'matched' (the name that was found, unless it is in \
      the title), 'by' (name, alternate, code, area or typo) and 'region'; --columns and json also have region_code \
      and zone. If nothing is found, standard error suggests what to try, and the exit status is 1.

        # Find Munich by its German name
        citiesctl find münchen
        # Name the region or the country
        citiesctl find springfield illinois
        citiesctl find san jose cr
        # Find the city of an airport
        citiesctl find LHR
        # Find the Japanese places that start with these letters
        citiesctl find --country japan --limit 3 東
      """)

  static let columns = CityListing.foundColumns

  var words: [String] = []
  private var limit: UInt64?
  private var country: String?
  private var region: String?
  private var near: Place?
  private var noTypos = false
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    table.argument(&words, "word", "A name, if necessary with a county, region or country.", completion: .places)
    try table.option(
      &limit, "--limit", short: "-n", "n", .count(from: 1, to: CityFind.maximumLimit),
      "Print at most n rows, up to 100 (default: 10).")
    try table.option(
      &country, "--country", short: "-c", "name", .text(.countries), "Only cities in this country (code or name).")
    try table.option(
      &region, "--region", "name", .text(.regions), "Only cities in this region or county (code or name).")
    try table.option(&near, "--near", "place", .place, "Prefer cities near this place.")
    table.flag(&noTypos, "--no-typos", "Correct no typing errors, and make no other guesses.")
  }

  /// Rejects an empty query.
  func validate() throws {
    guard !query.isEmpty else { throw ValidationError("missing argument: a name") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = request
    let reply = try context.send(request, connection)
    try context.render(CityListing.of(reply, for: query), rendering)
    noteSources(reply.sources, in: context)
    context.note(reply.resolved, for: request.near?.query ?? "")
    if reply.rows.first?.by == .area {
      context.diagnostics.note("area", "no city is called \"\(query)\"; the largest cities of that area are listed")
    }
    if let searched = reply.searched {
      context.diagnostics.note("searched", "no city is called \"\(query)\"; looked for \"\(searched)\" instead")
    }
    if context.diagnostics.isTerminal { noteCountry(in: context) }
    let limit = request.limit ?? CityFind.defaultLimit
    context.diagnostics.noteLimit(
      .best, shown: reply.rows.count, limit: limit, of: CityFind.maximumLimit, isNarrowed: true)
    if !reply.complete { context.diagnostics.note("incomplete", "the search was cut short; more letters find more") }
    guard reply.rows.isEmpty else { return .found }
    let found = try context.ask(connection) { (client) throws(ClientError) in
      try FindSuggestion.search(request, client)
    }
    context.diagnostics.note("empty", "no city is called \"\(query)\"\(found.map { "; \($0)" } ?? "")")
    return .nothingFound
  }

  /// Prints that the query names a country, which is never a row of the result.
  private func noteCountry(in context: Context) {
    do throws(ClientError) {
      _ = try context.client(connection).send(CityGet(query: query))
    } catch {
      guard country == nil, region == nil, case .server(let reason) = error, let code = reason.data?.country
      else { return }
      let draw = "citiesctl map --country \(shellWord(code.lowercased()))"
      context.diagnostics.note("country", "\"\(query)\" is a country; '\(draw)' draws it")
    }
  }

  private var query: String { words.joined(separator: " ") }

  /// The request, without default values.
  private var request: CityFind {
    CityFind(query: query, limit: limit, near: near, typos: noTypos ? false : nil, region: region, country: country)
  }
}

/// Suggestions after a search without results.
enum FindSuggestion {
  /// The maximum number of requests to send.
  private static let attempts = 8
  /// The length of the shortest prefix to try.
  private static let shortestStart = 3
  /// The number of cities in a suggestion.
  private static let shown: UInt64 = 3

  /// A suggestion with the cities that a wider search finds; `nil` if no search finds any.
  ///
  /// - Complexity: At most 8 requests, one after the other.
  static func search(_ request: CityFind, _ client: Client) throws(ClientError) -> String? {
    for (hint, question) in wider(request).prefix(attempts) {
      let reply = try client.send(question)
      if !reply.rows.isEmpty { return "\(hint): \(reply.rows.map(\.city.title).joined(separator: "; "))" }
    }
    return nil
  }

  /// The request without its conditions, then with fewer words, then with a prefix of a word.
  static func wider(_ request: CityFind) -> [(hint: String, question: CityFind)] {
    var questions: [(hint: String, question: CityFind)] = []
    func add(_ hint: String, _ query: String, typos: Bool? = request.typos) {
      guard query.isSearched else { return }
      questions.append((hint, CityFind(query: query, limit: shown, typos: typos)))
    }
    if request.country != nil || request.region != nil { add("elsewhere", request.query) }
    let words = request.query.split(separator: " ").map(String.init)
    for count in stride(from: words.count - 1, to: 0, by: -1).prefix(attempts / 2) {
      let shorter = words.prefix(count).joined(separator: " ")
      add("\"\(shorter)\" finds", shorter)
    }
    let first = words.first ?? ""
    for length in stride(from: first.count - 1, through: shortestStart, by: -1) {
      let start = String(first.prefix(length))
      add("names that start with \"\(start)\"", start, typos: false)
    }
    return questions
  }
}
