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
  package var begin: String { prefix?.text ?? "" }

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
