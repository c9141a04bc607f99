internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `show ID|TITLE`: one city.
struct Show: Verb {
  static let configuration = CommandConfiguration.verb(
    "show", usage: "[<options>] <id or title>",
    abstract: "Show one city, by its id or its title.",
    discussion: """
      Digits alone are an id, everything else is a title: 'name, country', or the name alone. A title that several \
      cities share is exit status 3, and standard error lists them with ids and positions; --near chooses the nearest.

        citiesctl show 588409
        citiesctl show 'Springfield, US' --near 39.8,-89.6
        citiesctl show --columns lat,lon 'Tallinn, EE'
      """)

  @Argument(
    help: ArgumentHelp("The city's id or title.", valueName: "id or title"),
    completion: .custom(TitleCompletion.complete))
  var city: Word

  @Option(
    name: .customLong("near"),
    help: ArgumentHelp("Of several cities, the one nearest to this place.", valueName: "place"),
    completion: .custom(TitleCompletion.complete))
  private var nearWord: String?

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  private var near: Place? {
    get throws { try nearWord.map { try PlaceArgument.parse(Word(argument: $0)) } }
  }

  /// Refuses the empty title, and what is no place.
  func validate() throws {
    if city.text.isEmpty { throw ValidationError("an id or a title is wanted") }
    _ = try near
  }

  func perform(in context: Context) throws -> ExitStatus {
    let near = try near
    let isNumber = city.text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let id = PlaceArgument.cityID(city.text)
    if isNumber && id == nil {
      throw CommandFailure(.nothingFound, code: "not-found", "no city has the id \(city.text)")
    }
    let request = id.map { CityGet(id: $0) } ?? CityGet(title: city.text, near: near)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    SourceNotes.warnOfFallback(reply.sources, context)
    try context.render(CityListing.of([reply.city], total: 1, generation: reply.generation), rendering)
    return .found
  }
}
