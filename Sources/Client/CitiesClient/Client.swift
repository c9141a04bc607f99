public import CBOR
public import CitiesProtocol
internal import Framing

/// A blocking client of `citiesd` with one connection, which is made at the first request and again after it breaks.
///
/// ```swift
/// let client = Client()
/// let reply = try client.send(CitySearch(prefix: "alb", limit: 5))
/// for city in reply.rows { print(city.title) }
/// ```
///
/// A request takes one round trip; requests sent together (``send(all:)``) share one. All requests are idempotent, so a
/// request whose connection broke is sent once more on a new one; the caller sees an error only if that fails too. An
/// instance may be used by one thread at a time.
@safe public final class Client {
  /// How a client finds and waits for its server.
  public struct Configuration: Sendable {
    /// Where to look for the socket.
    public var location: SocketLocation
    /// The time limit of a request, from connecting to the last byte of its answer; requests that are sent together
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

  /// The most requests that ``send(all:)`` has in flight at once.
  public static let window = 16

  /// The direction of a frame.
  public enum Direction: Sendable {
    /// From the client to the server.
    case sent
    /// From the server to the client.
    case received
  }

  /// How this client finds and waits for its server.
  public let configuration: Configuration
  /// Called with the payload of every frame, if set; the bytes are valid during the call only.
  public var onFrame: ((Direction, UnsafeRawBufferPointer) -> Void)?
  /// Called with a socket that was not used because another user could have made it, at each connection.
  package var onForeignSocket: ((ClientError.Attempt) -> Void)?
  /// How long the last connect and the last exchange took.
  public internal(set) var timing = Timing()
  /// How long all connects and all exchanges took together.
  public internal(set) var totalTiming = Timing()

  /// The connection, if any.
  var connection: ServerConnection?
  /// Whether a server was ever reached: if so, its absence may be a restart, which is worth waiting for.
  var wasConnected = false
  /// Whether that was a private server, which never replaces a shared one: their data may differ.
  var wasPrivate = false
  private var lastID: UInt64 = 0

  /// Makes a client; nothing is connected yet.
  public init(_ configuration: Configuration = .init()) { self.configuration = configuration }

  /// The path of the connected server's socket, or of a private server's program.
  public var serverPath: String? { connection?.path }

  /// The user id of the connected server, or of the systemd that made its socket.
  package var serverUser: UInt32? { connection?.serverUser }

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
  /// From socket(2) to the return of connect(2); zero if it was already connected.
  public internal(set) var connect = Duration.zero
  /// From the first byte sent to the last byte received, or to the failure.
  public internal(set) var answer = Duration.zero

  /// Zero for both.
  public init() {}
}

extension Client {
  /// Sends a request and waits for its answer.
  ///
  /// - Parameters:
  ///   - message: The request.
  ///   - timeout: The time limit, if not the configured one.
  /// - Returns: The answer.
  /// - Throws: ``ClientError``, `.server` for an error that the server reports.
  public func send<Message: RequestMessage>(
    _ message: Message, timeout: Duration? = nil
  ) throws(ClientError) -> Message.Reply {
    try explained(try exchange(Message.self, [try encoded(message)], timeout: timeout)[0])
  }

  /// Sends requests of one kind, at most ``window`` of them in flight at once.
  ///
  /// - Parameter messages: The requests.
  /// - Returns: The answers, in the order of the requests.
  /// - Throws: The first error, also one from the server; no answer is returned then.
  public func send<Message: RequestMessage>(all messages: [Message]) throws(ClientError) -> [Message.Reply] {
    var replies: [Message.Reply] = []
    replies.reserveCapacity(messages.count)
    for start in stride(from: 0, to: messages.count, by: Self.window) {
      var requests: [EncodedRequest] = []
      for message in messages[start..<min(start + Self.window, messages.count)] {
        requests.append(try encoded(message))
      }
      for reply in try exchange(Message.self, requests) { replies.append(try explained(reply)) }
    }
    return replies
  }

  /// The reply of an exchange, or its error, which names a version mismatch if that is the cause.
  private func explained<Reply>(_ reply: Result<Reply, WireError>) throws(ClientError) -> Reply {
    do { return try reply.get() } catch { throw explanation(of: .server(error)) }
  }
}

extension Client {
  /// Sends a request with any method and waits for its answer, for tools that forward methods unknown to them.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: A map with text keys.
  ///   - timeout: The time limit, if not the configured one.
  /// - Returns: The `result` of the reply, as received.
  /// - Throws: ``ClientError``, `.server` for an error that the server reports.
  public func call(
    method: String, params: CBORValue = .map([]), timeout: Duration? = nil
  ) throws(ClientError) -> CBORValue {
    let id = nextID()
    let envelope = RawRequest(id: id, method: method, params: params)
    let request: EncodedRequest
    do { request = try EncodedRequest(encoding: envelope, id: id, method: method) } catch {
      throw .unsendable(reason: "\(error)")
    }
    // The caller chose the method, so an unknown one does not mean another version.
    switch try exchange(RawCall.self, [request], timeout: timeout)[0] {
    case .success(let result): return result
    case .failure(let error): throw .server(error)
    }
  }
}

/// An envelope with untyped parameters.
private struct RawRequest: Encodable {
  var id: UInt64
  var method: String
  var params: CBORValue
}

/// A message with an untyped reply.
private struct RawCall: RequestMessage {
  typealias Reply = CBORValue
  static let method = ""
}
