internal import CitiesClient
package import CitiesProtocol

/// `browse [PREFIX]`: the full-screen browser.
package struct BrowseVerb: HelperVerb {
  package static let command = CommandText(
    "browse", usage: "[<options>] [<prefix>]",
    abstract: "Browse cities, banks and products full screen.",
    discussion: """
      The list starts with the places that you opened last, those around your saved position, and the largest; all \
      others follow from A to Z. Once you type, it starts with the ten best matches, as 'citiesctl find' lists them: \
      names in any language, names with typing errors, and the largest cities of a country or region. Below them are \
      all titles that start with the filter, from A to Z; b hides either part. A position such as 59.4,24.7 lists the \
      cities nearest to it. Rows have title, region, coordinates and population, as far as there is room. From 100 \
      columns on, a preview shows the selected city on a map, with its local time. Enter shows details with a map; Esc goes back. Tab switches to \
      the banks (countries, regions, hours, the nearest to you) and to the products with their totals. The screen is \
      drawn on the terminal of the process, even if standard output is redirected.

        letters    edit the filter
        /          go to the filter
        Esc        leave the filter, so that letters are commands; go back
        Esc Esc    quit
        arrows, PgUp, PgDn, Home, End, Ctrl-N, Ctrl-P, j, k, mouse
                   move in the list; on the map: move and zoom
        Enter m l  details, map, list, with the same selection and filter
        + - w      on the map: zoom in, zoom out, show the world
        n p 0      on the map: next mark, previous mark, all marks
        s b a      largest cities first or A to Z; best matches, titles
                   or both; accents on or off
        v y o      visited cities, copy a position, open it in a map program
        h c        the banks nearest to you, the currency
        r ? q      refresh, list all keys, quit

      While you type, Alt with a letter is its command; F1 lists the keys, too. The terminal needs at least 40 by 10 \
      cells and cursor addressing. Colours follow the terminal and NO_COLOR; without a UTF-8 locale the \
      screen is ASCII.

        # Start with the list of all cities
        citiesctl browse
        # Start with a filter
        citiesctl browse 'new y'
      """)

  private var prefix: String?
  private var at: Place?
  package private(set) var language: String?
  private var noHistory = false
  package var connection = ConnectionOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    prefix = table.argument("prefix", "The text in the filter at the start.", completion: .titles)
    at = try table.option("--at", "place", .place, "Your position (default: the one saved by 'citiesctl here').")
    language = try table.option(
      "--language", "code", .language,
      "Language of the names after titles, or 'none' (default: the locale's).")
    noHistory = declareNoHistory(in: &table)
  }

  /// The initial filter.
  package var initialPrefix: String { prefix ?? "" }
  /// Whether the history of visited cities is read and saved.
  package var keepsHistory: Bool { !noHistory }

  /// Creates an instance for the parser.
  package init() {}

  /// The user's position; the server resolves an id or a name.
  package func position(in context: Context) throws -> Position? {
    guard let at else { return nil }
    if let position = at.at { return position }
    let request = CityNear(place: at, limit: 1)
    let reply = try context.send(request)
    context.note(reply.resolved, for: at.query ?? "")
    return reply.origin
  }
}

/// `pick [PREFIX]`: a city chosen full screen.
package struct PickVerb: HelperVerb, RowVerb {
  package static let command = CommandText(
    "pick", usage: "[<options>] [<prefix>]",
    abstract: "Choose a city full screen and print it.",
    discussion: """
      The list and the filter are those of 'citiesctl browse'; of several cities with one name, the one that you chose \
      before comes first. The screen is drawn on the terminal of the process, so a script can read standard output. \
      Enter prints the selected city as a row of 'citiesctl search'; with --multi, Tab marks cities, and Enter prints \
      those that are marked, in the order of their marks. Esc and Ctrl-C print nothing, and the exit status is 130.

      With --plain, or if the variable CITIES_PLAIN is set, the list is numbered lines, for screen readers and for \
      terminals that cannot show a full screen. A number picks its city, with --multi several numbers; anything else \
      is a new filter, and an empty line cancels.

        # Choose a city, then list the cities nearest to it
        city=$(citiesctl pick par) && citiesctl near "$(cut -f4 <<< "$city")"
        # Show the screen only if several cities match
        title=$(citiesctl pick --columns title --select-1 reykjavik)
        # Print the positions of several cities
        citiesctl pick --multi --columns title | citiesctl show -
      """)

  package static let columns = CityListing.columns

  private var prefix: String?
  private var select1 = false
  /// Whether several cities may be chosen.
  package private(set) var picksSeveral = false
  /// Whether cities are chosen by numbered lines.
  package private(set) var isPlain = false
  private var noHistory = false
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    prefix = table.argument("prefix", "The text in the filter at the start.", completion: .titles)
    select1 = table.flag("--select-1", "If exactly one city matches, print it without a screen.")
    picksSeveral = table.flag("--multi", "Choose several cities: Tab marks, Enter prints all marked ones.")
    isPlain = table.flag("--plain", "Choose by the number of a line, on any terminal.")
    noHistory = declareNoHistory(in: &table)
  }

  /// The initial filter.
  package var initialPrefix: String { prefix ?? "" }
  /// Whether the history of visited cities is read and saved.
  package var keepsHistory: Bool { !noHistory }

  /// Creates an instance for the parser.
  package init() {}

  /// The only city that the screen would show first, with `--select-1`: found by a name in any language, or by a title
  /// that starts with the prefix.
  ///
  /// - Throws: ``CommandFailure`` for unknown columns, before the screen appears, and for errors of the server.
  package func singleMatch(in context: Context) throws -> CityGet.Reply? {
    _ = try CityListing.of([CityRow](), total: 0, generation: "").choosing(rendering.columns, for: .rows)
    guard select1 else { return nil }
    return try context.ask { (client) throws(ClientError) -> CityGet.Reply? in
      let parts = context.cityParts
      let titles = try client.send(CitySearch(prefix: initialPrefix, match: .folded, limit: 2, with: parts))
      let names = initialPrefix.isSearched ? try client.send(CityFind(query: initialPrefix, limit: 2)).rows : []
      let ids = Set(titles.rows.map(\.id) + names.map(\.city.id))
      guard titles.rows.count < 2, names.count < 2, ids.count == 1, let id = ids.first else { return nil }
      // An id may belong to several cities: the row from the search is the right one.
      if let city = titles.rows.first { return CityGet.Reply(city: city, generation: titles.generation) }
      return try client.send(CityGet(id: id, with: parts))
    }
  }

  /// Writes the chosen cities of a generation; region and zone are included only if a row of `search` has them.
  package func write(_ cities: [CityRow], generation: String, in context: Context) throws {
    let parts = context.cityParts ?? []
    let rows = cities.map { city in
      var city = city
      if !parts.contains(.region) { (city.region, city.regionCode) = (nil, nil) }
      if !parts.contains(.zone) { city.zone = nil }
      return city
    }
    try context.render(CityListing.of(rows, total: UInt64(rows.count), generation: generation))
  }
}

private func declareNoHistory(in table: inout ArgumentTable) -> Bool {
  table.flag("--no-history", "Neither use nor save the list of visited cities.")
}

extension String {
  /// Whether a query can be searched: `city.find` rejects one without letters and digits.
  package var isSearched: Bool {
    unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
  }
}
