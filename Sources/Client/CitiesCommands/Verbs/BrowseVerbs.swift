package import ArgumentParser
internal import CitiesClient
package import CitiesProtocol

/// `browse [PREFIX]`: the full screen.
package struct BrowseVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "browse", usage: "[<options>] [<prefix>]",
    abstract: "Look around on a full screen.",
    discussion: """
      Every key that is typed narrows the list; Enter shows details, Esc goes back, '?' or F1 shows the keys, and \
      'q' or Ctrl-C exits. The screen is on the terminal of the process, wherever standard output leads.

        citiesctl browse
        citiesctl browse 'new y'
      """)

  @Argument(help: "The filter at the start.", completion: .custom(TitleCompletion.complete))
  private var prefix: Word?

  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Where you are, for the banks nearest to you (default: what 'citiesctl here' keeps).", valueName: "place"),
    completion: .custom(TitleCompletion.complete))
  private var atWord: String?

  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// The filter at the start.
  package var initialPrefix: String { prefix?.text ?? "" }

  /// For the parser.
  package init() {}

  /// Where the user says to be; an id or a title is asked for.
  package func position(in context: Context) throws -> Position? {
    guard let atWord else { return nil }
    let place = try PlaceArgument.parse(Word(argument: atWord))
    if let position = place.at { return position }
    let request = CityNear(place: place, limit: 1)
    return try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }.origin
  }
}

/// `pick [PREFIX]`: a city chosen on the full screen.
package struct PickVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "pick", usage: "[<options>] [<prefix>]",
    abstract: "Choose a city on a full screen, and print it.",
    discussion: """
      The screen is on the terminal of the process, so that a script can read standard output. Enter prints the \
      selected city as a row, as 'search' does; Esc and Ctrl-C print nothing, with exit status 130.

        city=$(citiesctl pick par) && citiesctl near "$(cut -f4 <<< "$city")"
        title=$(citiesctl pick --columns title --select-1 reykj)
      """)

  @Argument(help: "The filter at the start.", completion: .custom(TitleCompletion.complete))
  private var prefix: Word?

  @Flag(name: .customLong("select-1"), help: "Print the city without a screen if only one starts with the prefix.")
  private var select1 = false

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// The filter at the start.
  package var initialPrefix: String { prefix?.text ?? "" }

  /// For the parser.
  package init() {}

  /// The city whose title starts with the prefix, if there is just one and `--select-1` is given.
  ///
  /// - Throws: ``CommandFailure`` for columns that there are not, before any screen is shown, and what the server says.
  package func singleMatch(in context: Context) throws -> CityGet.Reply? {
    _ = try CityListing.of([CityRow](), total: 0, generation: "").choosing(rendering.columns, for: .rows)
    guard select1 else { return nil }
    let request = CitySearch(prefix: initialPrefix, match: .folded, limit: 2)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    guard reply.total == 1, let city = reply.rows.first else { return nil }
    return CityGet.Reply(city: city, generation: reply.generation)
  }

  /// Writes the city that was chosen from a generation.
  package func write(_ city: CityRow, generation: String, in context: Context) throws {
    try context.render(CityListing.of([city], total: 1, generation: generation), rendering)
  }
}
