internal import CitiesClient
package import CitiesProtocol

/// `search PREFIX`: the cities whose titles start with a prefix.
struct SearchVerb: PagedVerb {
  static let command = CommandText(
    "search", usage: "[<options>] <prefix>…",
    abstract: "List the cities whose title starts with a prefix, for scripts.",
    discussion: """
      'citiesctl find' is for people, and finds any name. A title is 'name, country': 'par' finds Paris and Parma, \
      'paris, f' finds Paris, FR. Case does not matter; accents do, unless --match folded is given. If nothing is \
      found for a table on a terminal, accents are ignored, and a note says so; the exit status is still 1. Several \
      words are one prefix; quote it if it ends with a space. The empty prefix '' finds every city.

      Cities are ordered by name, country and id. The columns are title, lat, lon, id, country, name and population; \
      tables also show the region, and --columns also accepts region_code, zone and alternates (other names). If some \
      rows are left out, a note on standard error says so. The exit status is 1 if nothing is found.

        # Find the cities that start with "alb"
        citiesctl search alb
        # Type several words without quotes
        citiesctl search new york
        # Find São Paulo without its accent
        citiesctl search --match folded sao p
        # Count the cities of Germany
        citiesctl search --count --country de ''
        # Print the id of every city that starts with "new"
        citiesctl search --all --output jsonl new | jq .id
      """)

  static let columns = CityListing.columns

  private var words: [String] = []
  var filter = CityFilterOptions()
  private var sort: CitySearch.Sort?
  var page = PageOptions()
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("prefix", "The start of the title.", completion: .titles)
    try table.group(&filter)
    sort = try table.option(
      "--sort", short: "-s", "order", .choice, "The order: key (alphabetical, the default) or population.",
      details: "key orders by name, country and id; population puts the largest cities first.")
    try table.group(&page)
  }

  /// Rejects numbers out of range, and contradictory options.
  func validate() throws {
    if words.isEmpty {
      let country = filter.country.map { " --country \(quotedForShell($0))" } ?? ""
      throw ValidationError("missing argument: <prefix>; write '' for all cities: citiesctl search\(country) ''")
    }
    try validateCount()
  }

  func perform(in context: Context) throws -> ExitStatus {
    var request = request
    if !page.count { request.with = context.cityParts }
    var reply = try fetch(request, in: context)
    // People omit diacritics; a script gets what it asked for.
    let isFolded =
      !page.count && reply.total == 0 && request.match == nil && !prefix.isEmpty && context.isForPeople
    if isFolded {
      request.match = .folded
      reply = try fetch(request, in: context)
    }
    if reply.total == 0 { try filter.requireCountry(in: context) }
    if page.count {
      context.noteSources(reply.sources)
      return try context.render(countOf: reply)
    }
    let listing = CityListing.of(reply.rows, total: reply.total, generation: reply.generation, for: prefix)
    try context.render(listing)
    context.noteSources(reply.sources)
    if isFolded, reply.total > 0 {
      context.note("folded", "no city\(place) starts with \"\(prefix)\"; these do if accents are ignored")
    }
    context.diagnostics.notePage(reply, page, empty: hint(found(in: context)))
    return isFolded || reply.rows.isEmpty ? .nothingFound : .found
  }

  /// The words joined by spaces, so that quotes are not needed.
  private var prefix: String { words.joined(separator: " ") }

  /// The request, without default values.
  private var request: CitySearch {
    CitySearch(
      prefix: prefix, match: filter.comparison, country: filter.country, sort: sort == .key ? nil : sort)
  }

  /// The number of results of `find` to suggest after an empty result.
  private static var shown: UInt64 { 3 }

  /// The titles of the first results of `find`.
  private func found(in context: Context) -> [String] {
    let request = CityFind(query: prefix, limit: Self.shown, country: filter.country)
    // A prefix without letters is an invalid query.
    return ((try? context.client().send(request))?.rows ?? []).map(\.city.title)
  }

  /// ` in DE`, if a country was given.
  private var place: String { filter.country.map { " in \($0.count == 2 ? $0.uppercased() : $0)" } ?? "" }

  /// The suggestion after an empty result.
  private func hint(_ found: [String]) -> String {
    let names = found.isEmpty ? "" : "; 'citiesctl find' finds \(found.joined(separator: "; "))"
    return "no city\(place) starts with \"\(prefix)\"\(names)"
  }
}

/// `show ID|TITLE`: one city.
package struct ShowVerb: LineVerb {
  package static let command = CommandText(
    "show", usage: "[<options>] <id or name>…",
    abstract: "Show a city, by its id or name.",
    discussion: """
      On a terminal, the answer is a page: names, region, population, local time, sunrise and sunset, position and \
      neighbours, with a map beside it on a terminal of 80 columns or more. The neighbours are the best known, weighed \
      against their distance. The large city is the nearest one with at least 100,000 inhabitants and a tenth of the \
      city's own. \
      With --columns, and in other formats, the answer is a row.

      A number is an id. Anything else is a title, 'name, country', or a whole name in any language, if necessary with \
      the county, region or country after it. If several cities have the name, it means the one that is far ahead of \
      the others: larger cities count more than smaller ones, and titles and names in use more than other names. A \
      note on standard error names it, except above a table on a terminal. If no city is far ahead, the exit status \
      is 3, and standard error lists the best 20 with ids, positions, regions and populations, a terminal the best ten, \
      with the names that were found; --near chooses the one nearest to a place.

      The name or code of a country or region means that area: the exit status is 3, and standard error lists its \
      largest cities. It means a city if one there has this title (New York) or is among its large ones (Mexico), or \
      if a city elsewhere with this title or name in use has at least 100,000 inhabitants (Granada).

      If the argument is -, every line of standard input is an id or a name. \(LineHelp.answers)

        # Show the city with this id
        citiesctl show 588409
        # Find a city by another name, or with its region
        citiesctl show kiev
        citiesctl show springfield illinois
        # Choose one Springfield of many by its position
        citiesctl show Springfield, US --near 39.8,-89.6
        # Print the position of a city
        citiesctl show --columns lat,lon 'Tallinn, EE'
        # Show a city for every line of a file
        citiesctl show - < cities.txt
      """)

  package static let columns = CityListing.columns

  private var words: [String] = []
  private var near: Place?
  var choice = PlaceOptions()
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("id or name", "The id or name of the city.", completion: .places)
    near = try table.option("--near", "place", .place, "Of several cities, show the nearest to this place.")
    try table.group(&choice)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// The words joined by spaces, so that quotes are not needed.
  private var city: String { words.joined(separator: " ") }

  /// Whether the command reads lines from standard input.
  package var readsLines: Bool { words == [Self.standardInput] }

  /// Rejects an empty title, and invalid places.
  package func validate() throws {
    if readsLines { try validateLines(choice) }
    if city.isEmpty { throw ValidationError("missing argument: the id or name of a city") }
  }

  package func perform(in context: Context) throws -> ExitStatus {
    if readsLines { throw HelperProgram.beside().replaceThisProcess(context.words) }
    if context.output.isTerminal, context.showsPage {
      // The page has a map; without the program that draws it, the answer is a table.
      _ = HelperProgram.beside().replaceThisProcess(context.words)
    }
    let reply = try reply(with: context.cityParts, in: context)
    try context.render(CityListing.of([reply.city], total: 1, generation: reply.generation))
    return .found
  }

  /// The city with the fields `parts`.
  ///
  /// - Throws: ``CommandFailure`` or `ClientError`.
  package func reply(with parts: [CityPart]?, in context: Context) throws -> CityGet.Reply {
    let isNumber = city.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let id = PlaceArgument.cityID(city)
    if isNumber && id == nil {
      throw CommandFailure(.nothingFound, code: "not-found", "no city has the id \(city)")
    }
    let place = id.map(Place.init(id:)) ?? (choice.strict ? Place(title: city) : Place(query: city, likely: true))
    return try context.city(place, near: near, takesFirst: choice.first, with: parts, isNoted: !context.isForPeople)
  }
}

// Lines of standard input.
extension ShowVerb {
  package static var answersAreWhole: Bool { true }

  package func request(line: String) throws -> CityGet {
    guard !line.isEmpty else { throw ValidationError("missing: the id or name of a city") }
    let parts = CityListing.parts(rendering.columns, isTable: false)
    if let id = PlaceArgument.cityID(line) { return CityGet(id: id, with: parts) }
    if choice.strict { return CityGet(title: line, near: near, with: parts) }
    return CityGet(query: line, near: near, likely: true, with: parts)
  }

  package func listing(_ reply: CityGet.Reply) -> Listing<CityRow> {
    var listing = CityListing.of([reply.city], total: 1, generation: reply.generation)
    (listing.resolved, listing.sources) = (reply.resolved, reply.sources)
    return listing
  }
}

/// `within CORNER CORNER`: the largest cities in an area.
struct WithinVerb: RowVerb {
  static let command = CommandText(
    "within", usage: "[<options>] <south,west> <north,east>",
    abstract: "List the largest cities of an area.",
    discussion: """
      The area is a box, given by its south-western and its north-eastern corner, each LAT,LON in degrees. If the \
      western edge is east of the eastern one, the area crosses the meridian of 180°. The largest cities come first, \
      and cities of unknown population last.

        # List the 20 largest cities in and around France
        citiesctl within 41.3,-5.2 51.1,9.6
        # List those with at least a million inhabitants
        citiesctl within --population 1000000 41.3,-5.2 51.1,9.6
        # List the largest five between two meridians on either side of 180°
        citiesctl within -20,170 0,-160 --limit 5
      """)

  static let columns = CityListing.columns

  private var corners: [String] = []
  private var limit: UInt64?
  private var population: UInt64?
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    corners = table.arguments("corner", "The corners, each LAT,LON.")
    limit = try table.option(
      "--limit", short: "-n", "n", .count(from: 1, to: CityWithin.maximumLimit),
      "Print at most n rows, up to 1000 (default: 20).")
    population = try table.leastPopulation("--population")
  }

  /// The default number of rows.
  private static let usualLimit: UInt64 = 20

  private func request(with parts: [CityPart]?) throws -> CityWithin {
    let places = try corners.map { try PlaceArgument.position($0) }
    guard places.count == 2, let south = places[0], let north = places[1] else {
      throw ValidationError(
        "an area is given by two corners, each LAT,LON: its south-western and its north-eastern one")
    }
    guard south.lat <= north.lat else {
      throw ValidationError("the first corner is the south-western one, and \(south.lat) is north of \(north.lat)")
    }
    return CityWithin(
      box: CityWithin.Box(south: south.lat, west: south.lon, north: north.lat, east: north.lon),
      limit: limit ?? Self.usualLimit, population: population, with: parts)
  }

  /// Rejects invalid corners, and numbers out of range.
  func validate() throws { _ = try request(with: nil) }

  func perform(in context: Context) throws -> ExitStatus {
    let request = try request(with: context.cityParts)
    let reply = try context.send(request)
    let listing = CityListing.of(reply.rows, total: UInt64(reply.rows.count), generation: reply.generation)
    context.noteSources(reply.sources)
    return try context.write(listing, empty: "no such city lies in that area") {
      $0.noteLimit(.largest, shown: reply.rows.count, limit: limit, or: Self.usualLimit, isNarrowed: true)
    }
  }
}

extension ArgumentTable {
  /// The fewest inhabitants of the cities to list; `nil` if it was not given.
  mutating func leastPopulation(_ name: String = "--min-population") throws -> UInt64? {
    try option(name, "n", .count(from: 0), "Only cities with at least n inhabitants.")
  }
}

/// The options for the number of neighbours and their largest distance.
struct ReachOptions: ArgumentGroup {
  /// The largest number of rows.
  private(set) var chosen: UInt64?
  /// In metres.
  private(set) var radius: Double?

  var limit: UInt64 { chosen ?? CityNear.defaultLimit }

  mutating func declare(in table: inout ArgumentTable) throws {
    chosen = try table.option(
      "--limit", short: "-n", "n", .count(from: 1, to: CityNear.maximumLimit),
      "Print at most n rows, up to 1000 (default: 10).")
    radius = try table.option(
      "--radius", "distance", .distance, "Only this far away: 25km, 800m, 800 (metres) or 15mi.")
  }
}

/// The options that determine which cities a prefix finds.
struct CityFilterOptions: ArgumentGroup {
  private var match: MatchMode?
  /// The country's code or name, in any case.
  private(set) var country: String?

  mutating func declare(in table: inout ArgumentTable) throws {
    match = try table.option(
      "--match", short: "-m", "mode", .choice, "Accents matter (plain, the default) or not (folded).")
    country = try table.option(
      "--country", short: "-c", "country", .filled("be a code or a name, such as DE", .countries),
      "Only cities in this country (code or name).")
  }

  /// The comparison; `nil` for the default.
  var comparison: MatchMode? { match == .plain ? nil : match }

  /// Rejects an unknown country after a search without results.
  ///
  /// It sends `city.find`, because `city.search` accepts any code.
  ///
  /// - Throws: `ClientError`.
  func requireCountry(in context: Context) throws(ClientError) {
    guard let country else { return }
    _ = try context.send(CityFind(query: country, limit: 0, country: country))
  }
}
