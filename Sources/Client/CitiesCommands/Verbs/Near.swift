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

  @OptionGroup var reach: ReachOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what is no place.
  func validate() throws { _ = try place.map(PlaceArgument.parse) }

  func perform(in context: Context) throws -> ExitStatus {
    let place = try place.map(PlaceArgument.parse) ?? Place(at: HereFile(environment: context.environment).required())
    let request = CityNear(place: place, limit: reach.limit, radius: reach.radius)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    SourceNotes.warnOfFallback(reply.sources, context)
    try context.render(CityListing.of(reply.rows, generation: reply.generation), rendering)
    if reply.rows.isEmpty, context.diagnostics.isTerminal {
      context.diagnostics.note("empty", "no city lies there; a larger --radius finds more")
    }
    return reply.rows.isEmpty ? .nothingFound : .found
  }
}
