internal import ArgumentParser
import Base
internal import CBOR
internal import CitiesClient
package import CitiesProtocol
internal import Glibc
internal import System

/// `here [PLACE]`: the position from which `near` starts by default.
struct HereVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "here", usage: "[<options>] [<place>…]",
    abstract: "Save your position, for commands that start from it.",
    discussion: """
      With a place, 'here' saves its position in a file that only you can read; without one, it prints the saved \
      position as LAT,LON. The position is never guessed, and it is sent only to the server's socket. 'near', 'map', \
      'bank near' and the full screen start from it.

        # Save a position
        citiesctl here 59.437,24.7536
        # Save the position of a city
        citiesctl here tallinn
        # Find the cities nearest to it
        citiesctl near
      """)

  @Argument(
    help: ArgumentHelp("LAT,LON, a geo: URI, or the id or name of a city.", valueName: "place"),
    completion: .custom(PlaceCompletion.complete))
  private var words: [String] = []

  @Flag(help: "Remove the saved position.")
  var forget = false

  @OptionGroup var choice: PlaceOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses invalid places and contradictions.
  func validate() throws {
    _ = try choice.place(words)
    if forget && !words.isEmpty { throw ValidationError("--forget cannot be combined with a place") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let file = try HereFile(environment: context.environment)
    if forget { return try file.remove() ? .found : .nothingFound }
    if let place = try choice.place(words) {
      try file.write(try position(of: place, in: context))
      return .found
    }
    guard let position = try file.read() else {
      context.diagnostics.note("empty", "no position is saved; 'citiesctl here PLACE' saves one")
      return .nothingFound
    }
    context.output.write("\(decimalText(position.lat)),\(decimalText(position.lon))\n")
    return .found
  }

  /// The position of a place; an id or a name is resolved by the server.
  private func position(of place: Place, in context: Context) throws -> Position {
    if let position = place.at { return position }
    // `city.near` resolves a place as the server does for `near`, so both mean the same by a name.
    return try context.ask(about: place, choice, connection) { (client, place) throws(ClientError) in
      let reply = try client.send(CityNear(place: place, limit: 1))
      return (reply.origin, reply.resolved)
    }
  }
}

/// The file that keeps the user's position: `$XDG_CONFIG_HOME/cities/here`, else `~/.config/cities/here`, mode 0600.
package struct HereFile {
  /// Where it is.
  package let path: String
  private let folder: String
  private let parent: String

  /// Finds the place of the file; relative variables are ignored, as the XDG Base Directory Specification demands.
  package init(environment: (String) -> String?) throws(CommandFailure) {
    if let base = environment("XDG_CONFIG_HOME"), base.hasPrefix("/") {
      parent = base
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      parent = home + "/.config"
    } else {
      throw .usage("no folder for your position: neither XDG_CONFIG_HOME nor HOME is set")
    }
    folder = parent + "/cities"
    path = folder + "/here"
  }

  /// The position, or `nil` if none is saved.
  package func read() throws(CommandFailure) -> Position? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("cannot be read")
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw failure("cannot be read") }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    guard let line = text.split(separator: "\n").first, let position = try? PlaceArgument.position(String(line)) else {
      throw CommandFailure(
        .badData, code: "bad-data", "\(path) does not hold a position; 'citiesctl here LAT,LON' writes it again")
    }
    return position
  }

  /// The position, or a failure that says how to save one.
  package func required() throws(CommandFailure) -> Position {
    guard let position = try read() else {
      throw .usage("missing argument: a place; or save your position with 'citiesctl here PLACE'")
    }
    return position
  }

  /// Saves `position` atomically.
  package func write(_ position: Position) throws(CommandFailure) {
    for folder in [parent, folder] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw failure("cannot be written: \(folder) cannot be created")
    }
    // Other users cannot guess the name and create a file or link with it; an existing one is never opened.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("cannot be written") }
    let line = Array("\(decimalText(position.lat)),\(decimalText(position.lon))\n".utf8)
    let isWritten = (try? OutputStream.write(line, to: descriptor)) != nil
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
      let failure = failure("cannot be written")
      unlink(temporary)
      throw failure
    }
  }

  /// Removes the file.
  ///
  /// - Returns: whether there was one.
  func remove() throws(CommandFailure) -> Bool {
    if unlink(path) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure("cannot be removed") }
    return false
  }

  private func failure(_ what: String) -> CommandFailure {
    .init(.inputOutput, code: "input-output", "\(path) \(what): \(SystemError.text(errno))")
  }
}
