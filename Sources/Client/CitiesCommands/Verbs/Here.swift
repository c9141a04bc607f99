internal import ArgumentParser
import Base
internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// `here [PLACE]`: the position that `near` starts from when it is given none.
struct Here: Verb {
  static let configuration = CommandConfiguration.verb(
    "here", usage: "[<options>] [<place>]",
    abstract: "Keep the position that 'near' starts from.",
    discussion: """
      With a place it is kept, in a file that only you can read; without one it is printed as LAT,LON; --forget removes \
      it. It is never guessed, and sent nowhere but to the server's socket.

        citiesctl here 59.437,24.7536
        citiesctl here 'Tallinn, EE'
        citiesctl near
      """)

  @Argument(help: "LAT,LON, a geo: URI, an id or a title.", completion: .custom(TitleCompletion.complete))
  private var place: Word?

  @Flag(help: "Remove the position.")
  var forget = false

  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses what is no place and what contradicts itself.
  func validate() throws {
    _ = try place.map(PlaceArgument.parse)
    if forget && place != nil { throw ValidationError("--forget takes no place") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let file = try HereFile(environment: context.environment)
    if forget { return try file.remove() ? .found : .nothingFound }
    if let place {
      let position = try position(of: PlaceArgument.parse(place), in: context)
      try file.write(position)
      return .found
    }
    guard let position = try file.read() else {
      context.diagnostics.note("empty", "no position is kept: citiesctl here LAT,LON keeps one")
      return .nothingFound
    }
    context.output.write("\(decimalText(position.lat)),\(decimalText(position.lon))\n")
    return .found
  }

  /// The position of a place; an id or a title is asked for.
  private func position(of place: Place, in context: Context) throws -> Position {
    if let position = place.at { return position }
    // `city.near` resolves a place as the server does for `near`, so both mean the same by a title.
    let request = CityNear(place: place, limit: 1)
    return try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }.origin
  }
}
