internal import CitiesClient
package import CitiesProtocol
internal import System

/// `here [PLACE]`: the position from which `near` starts by default.
struct HereVerb: Verb {
  static let command = CommandText(
    "here", usage: "[<options>] [<place>…]",
    abstract: "Save your position, for commands that start from it.",
    discussion: """
      With a place, 'here' saves its position in a file that only you can read, and says so on standard error; without \
      one, it prints the saved position as LAT,LON. The position is never guessed, and it is sent only to the server's \
      socket. 'near', 'map', 'bank near' and the full screen start from it; 'time' and 'distance' use it.

        # Save a position
        citiesctl here 59.437,24.7536
        # Save the position of a city
        citiesctl here tallinn
        # Find the cities nearest to it
        citiesctl near
      """)

  private var words: [String] = []
  var forget = false
  var choice = PlaceOptions()
  var connection = ConnectionOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("place", "LAT,LON, a geo: URI, or the id or name of a city.", completion: .places)
    forget = table.flag("--forget", "Remove the saved position.")
    try table.group(&choice)
  }

  /// Rejects invalid places and contradictory options.
  func validate() throws {
    _ = try choice.place(words)
    if forget && !words.isEmpty { throw ValidationError("--forget cannot be combined with a place") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let file = try HereFile(environment: context.environment)
    if forget {
      let wasThere = try file.remove()
      context.note("removed", wasThere ? "removed the saved position" : "no position is saved")
      return wasThere ? .found : .nothingFound
    }
    if let place = try choice.place(words) {
      let (position, title) = try position(of: place, in: context)
      try file.write(position)
      let name = title.map { " (\($0))" } ?? ""
      context.note("saved", "saved \(HereFile.text(position))\(name) in \(file.path)")
      return .found
    }
    guard let position = try file.read() else {
      context.note("empty", "no position is saved; 'citiesctl here PLACE' saves one")
      return .nothingFound
    }
    context.output.write(HereFile.text(position) + "\n")
    return .found
  }

  /// The position of a place, and the title of the city if a name was given; the server resolves an id or a name.
  private func position(of place: Place, in context: Context) throws -> (position: Position, title: String?) {
    if let position = place.at { return (position, nil) }
    // `city.near` resolves a place exactly as for the command `near`, so both give a name the same meaning.
    return try context.ask(about: place, choice) { (client, place) throws(ClientError) in
      let reply = try client.send(CityNear(place: place, limit: 1))
      return ((reply.origin, reply.resolved?.city.title), reply.resolved)
    }
  }
}

/// The file with the user's position: `$XDG_CONFIG_HOME/cities/here`, or else `~/.config/cities/here`, mode 0600.
package struct HereFile {
  /// The maximum number of bytes to read; a position is shorter.
  private static let largest = 256

  private let file: UserFile

  /// Determines the path of the file.
  package init(environment: (String) -> String?) throws(CommandFailure) {
    guard let file = UserFile("here", under: "XDG_CONFIG_HOME", orAtHomeIn: [".config"], environment) else {
      throw .usage("no folder for your position: neither XDG_CONFIG_HOME nor HOME is set")
    }
    self.file = file
  }

  /// The path of the file.
  package var path: String { file.path }

  /// The saved position; `nil` if there is none.
  package func read() throws -> Position? {
    guard let found = try file.read(atMost: Self.largest) else { return nil }
    let text = String(decoding: found, as: UTF8.self)
    guard let line = text.split(separator: "\n").first, let position = try? PlaceArgument.position(String(line)) else {
      throw CommandFailure(
        .badData, code: "bad-data", "\(path) does not hold a position; 'citiesctl here LAT,LON' writes it again")
    }
    return position
  }

  /// The saved position, or a failure that explains how to save one.
  package func required() throws -> Position {
    guard let position = try read() else {
      throw CommandFailure.usage("missing argument: a place; or save your position with 'citiesctl here PLACE'")
    }
    return position
  }

  /// The saved and printed form of a position: `59.437,24.7536`.
  static func text(_ position: Position) -> String { "\(decimalText(position.lat)),\(decimalText(position.lon))" }

  /// Saves `position` atomically.
  package func write(_ position: Position) throws {
    try file.replace(with: Array("\(Self.text(position))\n".utf8))
  }

  /// Removes the file.
  ///
  /// - Returns: Whether it existed.
  func remove() throws(SystemError) -> Bool { try file.remove() }
}
