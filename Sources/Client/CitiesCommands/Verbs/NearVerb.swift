internal import CitiesClient
package import CitiesProtocol

/// `near [PLACE]`: the cities nearest to a place.
package struct NearVerb: LineVerb {
  package static let command = CommandText(
    "near", usage: "[<options>] [<place>…]",
    abstract: "Find the cities nearest to a place.",
    discussion: """
      A place is LAT,LON in degrees, a geo: URI, or the id or name of a city, as in 'citiesctl show'. Positions may also \
      be copied from maps and other programs: angles with compass letters, WKT and GeoJSON points, links of maps, and \
      plus codes; see cities(7). The default is the position saved by 'citiesctl here'. The columns are those of 'citiesctl search', then distance: whole metres \
      along a great circle.

      The nearest city is often a district. With --rule main the first row is the city that people would name for the \
      place: the rule weighs population against distance, and cities of the country that the place is in come first, \
      up to 100 km away. With the rule nearest, for a position on a terminal, a note before the list names that city, \
      and another the country, if it is uncertain or a different one. For a name on a terminal, the parts of that city \
      are left out, with a note: smaller cities so near that they are probably districts. --all shows them.

      JSON also has the code of the country that the place itself is in (country, empty at sea) and whether that is \
      certain; see cities(7).

      If the argument is -, every line of standard input is a place. \(LineHelp.answers) For tables of positions, \
      'citiesctl locate' is many times faster.

        # Find the cities around a city
        citiesctl near den haag --limit 5
        # Find the city that a position belongs to
        citiesctl near --rule main --limit 1 48.8584,2.2945
        # Find the cities around a position
        citiesctl near 59.437,24.7536
        # Use a position as a map has it
        citiesctl near "N 45° 25.495' W 75° 41.740'"
        # Use a latitude south of the equator
        citiesctl near -33.9,18.4 --limit 3
        # Find the cities up to 25 km from Tallinn
        citiesctl near 'Tallinn, EE' --radius 25km
        # Find the nearest city to every position of a file
        citiesctl near --limit 1 - < positions.txt
      """)

  package static let columns = CityListing.neighbourColumns

  private var words: [String] = []
  private var rule: CityNear.Rule?
  private var population: UInt64?
  var reach = ReachOptions()
  var all = false
  var choice = PlaceOptions()
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("place", "LAT,LON, a geo: URI, or the id or name of a city.", completion: .places)
    rule = try table.option(
      "--rule", "rule", .rule, "Order by: nearest (default), or main (the city people would name).")
    try table.group(&reach)
    population = try table.leastPopulation()
    all = table.flag("--all", "On a terminal, also show the parts of the city.")
    try table.group(&choice)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// Whether the command reads lines from standard input.
  package var readsLines: Bool { words == [Self.standardInput] }

  /// Rejects invalid places.
  package func validate() throws {
    if population != nil, rule == .place { throw ValidationError("--min-population goes with --rule nearest only") }
    if readsLines { try validateLines(choice) } else { _ = try choice.place(words) }
  }

  package func perform(in context: Context) throws -> ExitStatus {
    if readsLines { throw HelperProgram.beside().replaceThisProcess(context.words) }
    let place = try choice.place(words) ?? Place(at: HereFile(environment: context.environment).required())
    let parts = context.cityParts
    let mayHideParts = context.isForPeople && rule == nil && !all && place.query != nil
    context.noteMetres()
    let wantsCity = context.isForPeople && rule == nil && place.at != nil
    var (reply, city) = try context.ask(about: place, choice) { (client, place) throws(ClientError) in
      let city = wantsCity ? try client.send(CityNear(place: place, rule: .place, limit: 1)).rows.first : nil
      let reply = try client.send(
        CityNear(
          place: place, rule: rule, limit: mayHideParts ? CityNear.maximumLimit : reach.limit, radius: reach.radius,
          with: parts, population: population))
      return (answer: (reply, city), resolved: reply.resolved)
    }
    context.noteSources(reply.sources)
    if mayHideParts { hideParts(in: &reply, context) }
    if let city { context.note("place", Self.note(city)) }
    let isKnown = reply.certain == true && reply.country == city?.city.country
    if wantsCity, !isKnown, let note = Self.note(of: reply) { context.note("country", note) }
    try context.render(listing(reply))
    if reply.rows.isEmpty {
      let advice = population == nil ? "a larger --radius" : "a larger --radius or fewer inhabitants"
      context.diagnostics.noteEmpty("no \(population == nil ? "" : "such ")city within that distance; try \(advice)")
    }
    context.diagnostics.noteLimit(
      rule == .place ? .best : .nearest, shown: reply.rows.count, limit: reach.chosen, or: CityNear.defaultLimit,
      isNarrowed: reach.radius != nil || population != nil)
    return reply.rows.isEmpty ? .nothingFound : .found
  }

  /// Leaves out the parts of the city that the others are around, with a note.
  private func hideParts(in reply: inout CityNear.Reply, _ context: Context) {
    let city = reply.resolved?.city ?? reply.rows.first { $0.distance == 0 }?.city
    var (shown, hidden) = ([CityNear.Neighbour](), 0)
    for row in reply.rows where shown.count < reach.limit {
      if let city, row.city.isPart(of: city, metres: Double(row.distance)) { hidden += 1 } else { shown.append(row) }
    }
    reply.rows = shown
    guard hidden > 0, let city else { return }
    let parts = hidden == 1 ? "1 part of \(city.title) is" : "\(hidden) parts of \(city.title) are"
    context.note("parts", "\(parts) left out; --all shows all")
  }

  /// `the place is Tallinn, EE, 1.2 km away`.
  static func note(_ city: CityNear.Neighbour) -> String {
    "the place is \(city.city.title), \(ValueForm.distance(city.distance)) away"
  }
}

extension NearVerb {
  /// `the place is in EE`; `nil` from an older server.
  static func note(of reply: CityNear.Reply) -> String? {
    guard let country = reply.country, let isCertain = reply.certain else { return nil }
    if country.isEmpty { return isCertain ? "the place is at sea" : "the place is in no country" }
    return "the place is in \(country)\(isCertain ? "" : ", or near it: a border or the coast is close")"
  }
}

// Lines of standard input.
extension NearVerb {
  package func request(line: String) throws -> CityNear {
    CityNear(
      place: try choice.place(line: line), rule: rule, limit: reach.limit, radius: reach.radius,
      with: CityListing.parts(rendering.columns, isTable: false), population: population)
  }

  package func listing(_ reply: CityNear.Reply) -> Listing<CityNear.Neighbour> {
    var listing = CityListing.of(reply.rows, generation: reply.generation)
    (listing.resolved, listing.sources) = (reply.resolved, reply.sources)
    if let country = reply.country { listing.members.append(("country", .text(country))) }
    if let certain = reply.certain { listing.members.append(("certain", .flag(certain))) }
    return listing
  }
}

extension CityRow {
  /// Lists also have districts: a city with less than half of the inhabitants counts as one within `extent` metres
  /// times the square root of the inhabitants, at most `mostExtent`.
  private static let (extent, mostExtent) = (12.0, 20_000.0)

  /// Whether this may be a district of `city`, which is `metres` away.
  package func isPart(of city: CityRow, metres: Double) -> Bool {
    let people = city.population ?? 0
    return (population ?? 0) < people / 2 && metres < min(Self.extent * Double(people).squareRoot(), Self.mostExtent)
  }
}
