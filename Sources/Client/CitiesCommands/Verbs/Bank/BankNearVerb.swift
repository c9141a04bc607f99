internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `bank near [PLACE]`: the locations nearest to a place.
struct BankNearVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "near", in: "bank", usage: "[<options>] [<place>]",
    abstract: "Find the locations nearest to a place.",
    discussion: """
      A place is LAT,LON in degrees, a geo: URI, a city's id or a title; without one it is the position that \
      'citiesctl here' keeps. The columns are those of 'citiesctl bank list' and then 'distance', in whole metres along \
      a great circle.

        citiesctl bank near 'Tallinn, EE' --kind atm --limit 1
        citiesctl bank near 54.396,24.046 --open-now --radius 2km
      """)

  @Argument(help: "LAT,LON, a geo: URI, a city's id or title.", completion: .custom(TitleCompletion.complete))
  private var place: Word?

  @OptionGroup var reach: ReachOptions
  @OptionGroup(title: "Filter") var filter: BankFilterOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what is no place.
  func validate() throws { _ = try place.map(PlaceArgument.parse) }

  func perform(in context: Context) throws -> ExitStatus {
    let request = BankNear(
      place: try place.map(PlaceArgument.parse) ?? Place(at: HereFile(environment: context.environment).required()),
      filter: filter.conditions, limit: reach.limit, radius: reach.radius)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    try context.render(BankListing.of(reply), rendering)
    try context.output.flush()
    if reply.rows.isEmpty, context.diagnostics.isTerminal {
      context.diagnostics.note("empty", "no such location lies there; a larger --radius or fewer options find more")
    }
    context.tell(unknownHours: reply.unknownHours)
    SourceNotes(sources: reply.sources).tell(context, rendering)
    return reply.rows.isEmpty ? .nothingFound : .found
  }
}
