internal import ArgumentParser
package import CitiesClient

/// The options that every command has about its connection.
package struct ConnectionOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      "The server's socket.",
      discussion: """
        Without it: CITIES_SOCKET, else the first that exists of $XDG_RUNTIME_DIR/cities/citiesd.sock and \
        /run/cities/citiesd.sock.
        """,
      valueName: "path"),
    completion: .file())
  private var socketWord: String?

  @Option(
    name: .customLong("timeout"),
    help: ArgumentHelp("How long a whole request may take (default: 2).", valueName: "seconds"))
  private var timeoutWord: String?

  @Option(
    name: .customLong("wait"),
    help: ArgumentHelp(
      "How long to wait for data that is being downloaded or loaded (default: 30).", valueName: "seconds"))
  private var waitWord: String?

  @Flag(help: "Say on standard error how long connecting, waiting for the server and the whole took.")
  var timing = false

  /// How long a whole request may take.
  var timeout: Duration { (try? RangedNumbers.duration("--timeout", timeoutWord)) ?? .seconds(2) }

  /// How long to wait for data that is on its way.
  var wait: Duration { (try? RangedNumbers.duration("--wait", waitWord)) ?? .seconds(30) }

  /// Takes it that a server without data has none.
  mutating func waitNoMore() { waitWord = "0" }

  /// For the parser.
  package init() {}

  /// A configuration for the client.
  package var configuration: Client.Configuration {
    .init(location: SocketLocation(path: socketWord), timeout: timeout, name: Product.title)
  }

  /// Refuses what is no time, and an empty path: it is a variable that is not set.
  package func validate() throws {
    _ = try RangedNumbers.duration("--wait", waitWord)
    let timeout = try RangedNumbers.duration("--timeout", timeoutWord)
    if timeout == .zero { throw ValidationError("--timeout wants more than 0 seconds") }
    if socketWord == "" { throw ValidationError("--socket wants a path") }
  }
}
