internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `near [PLACE]`: the cities nearest to a place.
struct Near: Verb {
  static let configuration = CommandConfiguration.verb(
    "near", usage: "[<options>] [<place>]",
    abstract: "Find the cities nearest to a place.",
    discussion: """
      A place is LAT,LON in degrees, a geo: URI, a city's id or a title; without one it is the position that \
      'citiesctl here' keeps. Distances are whole metres along a great circle, in a last column 'distance'.

        citiesctl near 59.437,24.7536
        citiesctl near -33.9,18.4 --limit 3
        citiesctl near 'Tallinn, EE' --radius 25km
      """)

  @Argument(help: "LAT,LON, a geo: URI, an id or a title.", completion: .custom(TitleCompletion.complete))
  private var place: Word?

  @Option(
    name: .customLong("limit"), help: ArgumentHelp("Rows at most, up to 1000 (default: 10).", valueName: "n"))
  private var limitWord: String?

  @Option(
    name: .customLong("radius"),
    help: ArgumentHelp("Only cities within this distance, in metres or with m or km.", valueName: "distance"))
  private var radiusWord: String?

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  private var limit: UInt64 {
    get throws {
      try RangedNumbers.count("--limit", limitWord, from: 1, to: CityNear.maximumLimit) ?? CityNear.defaultLimit
    }
  }

  private var radius: Double? {
    get throws { try RangedNumbers.distance("--radius", radiusWord) }
  }

  /// Refuses what is no place and what is out of range.
  func validate() throws { _ = try (place.map(PlaceArgument.parse), limit, radius) }

  func perform(in context: Context) throws -> ExitStatus {
    let place = try place.map(PlaceArgument.parse) ?? Place(at: HereFile(environment: context.environment).required())
    let request = try CityNear(place: place, limit: limit, radius: radius)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    try context.render(CityListing.of(reply.rows, generation: reply.generation), rendering)
    if reply.rows.isEmpty, context.diagnostics.isTerminal {
      context.diagnostics.note("empty", "no city lies there; a larger --radius finds more")
    }
    return reply.rows.isEmpty ? .nothingFound : .found
  }
}
