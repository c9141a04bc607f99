internal import ArgumentParser
internal import CitiesClient

/// The options that every command has about its connection.
struct ConnectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server's socket.",
      discussion: """
        Without it: CITIES_SOCKET, else the first that exists of $XDG_RUNTIME_DIR/cities/citiesd.sock and \
        /run/cities/citiesd.sock.
        """,
      valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp("How long the server may be silent (default: 2).", valueName: "seconds"),
    transform: RangedNumbers.duration)
  var timeout: Duration = .seconds(2)

  @Option(
    help: ArgumentHelp("How long to wait for a server that has no data yet (default: 30).", valueName: "seconds"),
    transform: RangedNumbers.duration)
  var wait: Duration = .seconds(30)

  @Flag(help: "Say on standard error how long connecting, waiting for the server and the whole took.")
  var timing = false

  /// A configuration for the client.
  var configuration: Client.Configuration {
    .init(location: SocketLocation(path: socket), timeout: timeout, name: Product.title)
  }

  /// Refuses an empty path: it is a variable that is not set.
  func validate() throws {
    if socket == "" { throw ValidationError("--socket wants a path") }
    if timeout == .zero { throw ValidationError("--timeout wants more than 0 seconds") }
  }
}
