/// A blocking client of `citiesd`: one connection, made at the first request and made anew when it breaks.
///
/// ```swift
/// let client = Client()
/// let reply = try client.send(CitySearch(prefix: "alb", limit: 5))
/// for city in reply.rows { print(city.title) }
/// ```
///
/// One request costs one round trip, several at once (``send(all:)``, ``send(_:_:)``) cost one together. Requests of
/// this wire change nothing that a second one would change again, so a request whose connection broke is sent once more
/// on a new one; the caller sees an error only if that fails too. An instance belongs to one thread at a time.
public final class Client {
  /// How a client finds and waits for its server.
  public struct Configuration: Sendable {
    /// Where the socket is looked for.
    public var location: SocketLocation
    /// How long a request may take, from connecting to the last byte of its answer; requests that are sent together
    /// share it.
    public var timeout: Duration
    /// Name and version of the program, for messages about mismatched versions.
    public var name: String

    /// Makes a configuration; the defaults are those of `citiesctl`.
    public init(location: SocketLocation = .init(), timeout: Duration = .seconds(2), name: String = "CitiesClient") {
      self.location = location
      self.timeout = timeout
      self.name = name
    }
  }

  /// Requests that ``send(all:)`` keeps under way at once.
  public static let window = 16

  /// Which way a frame went.
  public enum Direction: Sendable {
    /// From the client to the server.
    case sent
    /// From the server to the client.
    case received
  }

  /// How this client finds and waits for its server.
  public let configuration: Configuration
  /// Sees the payload of every frame, if set; the bytes are valid during the call.
  public var onFrame: ((Direction, UnsafeRawBufferPointer) -> Void)?
  /// How long the last connect and the last exchange took.
  public internal(set) var timing = Timing()
  /// How long all connects and all exchanges took together.
  public internal(set) var totalTiming = Timing()

  /// The connection, if there is one.
  var connection: Connection?
  /// Whether a server was ever reached: then its absence may be a restart, which is worth waiting for.
  var wasConnected = false
  private var lastID: UInt64 = 0

  /// Makes a client; nothing is connected yet.
  public init(_ configuration: Configuration = .init()) { self.configuration = configuration }

  /// Closes the connection; the next request makes a new one.
  public func disconnect() { connection = nil }

  /// The id of the next request: from 1 up, never used twice.
  func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }
}

/// How long the parts of one or more requests took.
public struct Timing: Sendable, Equatable {
  /// From socket(2) to the return of connect(2); zero if the connection was there already.
  public internal(set) var connect = Duration.zero
  /// From the first byte sent to the last byte received, or to the failure.
  public internal(set) var answer = Duration.zero

  /// Nothing was timed yet.
  public init() {}
}
