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

      With --explain, score and why follow: what orders the rows, in hundredths of a power of ten of inhabitants, and \
      its parts; and a note lists the attempts to read the words.

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
  private var population: UInt64?
  private var noTypos = false
  private var explain = false
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("word", "A name, if necessary with a county, region or country.", completion: .places)
    limit = try table.option(
      "--limit", short: "-n", "n", .count(from: 1, to: CityFind.maximumLimit),
      "Print at most n rows, up to 100 (default: 10).")
    country = try table.option(
      "--country", short: "-c", "name", .text(.countries), "Only cities in this country (code or name).")
    region = try table.option(
      "--region", "name", .text(.regions), "Only cities in this region or county (code or name).")
    near = try table.option("--near", "place", .place, "Prefer cities near this place.")
    population = try table.leastPopulation()
    noTypos = table.flag("--no-typos", "Correct no typing errors, and make no other guesses.")
    explain = table.flag("--explain", "Also print the scores, and how the words were read.")
  }

  /// Rejects an empty query.
  func validate() throws {
    guard !query.isEmpty else { throw ValidationError("missing argument: a name") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = request
    let reply = try context.send(request)
    try context.render(CityListing.of(reply, for: query, isExplained: explain))
    context.noteSources(reply.sources)
    context.note(reply.resolved, for: request.near?.query ?? "")
    if let attempts = reply.attempts {
      let tried = attempts.map { "\($0.attempt): \"\($0.key)\"" }.joined(separator: "; ")
      context.note("attempts", "tried in this order: \(tried)")
    }
    if let areas = reply.areas {
      let names = areas.map { area in area.region.map { "\($0), \(area.country)" } ?? "the country \(area.country)" }
      let area = names.joined(separator: " or ")
      context.note("area", "\"\(query)\" is \(area); its largest cities are listed")
    } else if reply.rows.first?.by == .area {
      context.note("area", "no city is called \"\(query)\"; the largest cities of that area are listed")
    }
    if let searched = reply.searched {
      context.note("searched", "no city is called \"\(query)\"; looked for \"\(searched)\" instead")
    }
    context.diagnostics.noteLimit(
      .best, shown: reply.rows.count, limit: limit, or: CityFind.defaultLimit, of: CityFind.maximumLimit,
      isNarrowed: true)
    if !reply.complete { context.note("incomplete", "the search was cut short; more letters find more") }
    if [nil, .typo].contains(reply.rows.first?.by), let city = context.city(withCode: query) {
      let code = query.uppercased()
      context.note("code", "codes are typed in capitals: \(code) is \(city.title)")
    }
    guard reply.rows.isEmpty else { return .found }
    let advice = unknownCode ?? reply.suggestion
    context.note("empty", "no city is called \"\(query)\"\(advice.map { "; \($0)" } ?? "")")
    return .nothingFound
  }

  /// The sentence about a postal code, or the code of an airport in four letters: the list has neither.
  private var unknownCode: String? {
    if words.contains(where: { $0.utf8.count >= 3 && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }) {
      return "postal codes are not known, only names"
    }
    let isICAO = query.utf8.count == 4 && query.utf8.allSatisfy { $0 &- UInt8(ascii: "A") < 26 }
    return isICAO ? "airports are known by codes of three letters (IATA), not by four (ICAO)" : nil
  }

  private var query: String { words.joined(separator: " ") }

  /// The request, without default values.
  private var request: CityFind {
    CityFind(
      query: query, limit: limit, near: near, typos: noTypos ? false : nil, region: region, country: country,
      explain: explain ? true : nil, finished: true, population: population)
  }
}

extension CityFind.Reply {
  /// The cities to suggest after a search without results, in words; `nil` without any.
  var suggestion: String? {
    guard let similar else { return nil }
    let place = start.map { "names that start with \"\($0)\"" } ?? "elsewhere"
    return "\(place): \(similar.map(\.title).joined(separator: "; "))"
  }
}
