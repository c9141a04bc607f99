internal import CBOR
public import CitiesProtocol

/// News about subjects, as they come; it goes on by itself when the server restarts.
///
/// ```swift
/// var stream = WatchStream(.init())
/// while let news = try stream.next() { … }
/// ```
///
/// The first news is the state, and so is the first after every reconnection: what was missed in between shows in it.
public struct WatchStream {
  /// One piece of news.
  public enum News: Sendable, Equatable {
    /// Where things stand, at the begin and after a reconnection.
    case state(Watch.Reply)
    /// Something changed.
    case event(Watch.Event)
    /// The server went away; the next call tries to reach it again.
    case disconnected(ClientError)
  }

  /// The longest pause between attempts to reach the server again, in milliseconds.
  private static let longestPause: Int32 = 1_000

  private let client: Client
  private let message: Watch
  private var pause: Int32 = 10

  /// Makes a stream of news about `subjects`, about all if `nil`; nothing is connected yet.
  public init(_ configuration: Client.Configuration = .init(), subjects: [Subject]? = nil) {
    client = Client(configuration)
    message = Watch(subjects: subjects)
  }

  /// How long connecting and the answers took so far; waiting for news does not count.
  public var timing: Timing { client.totalTiming }

  /// Waits for the next news, at most for `patience`, without end if that is `nil`.
  ///
  /// - Parameter patience: How long to wait.
  /// - Returns: The news, or `nil` when the patience is over.
  /// - Throws: ``ClientError`` if no server can be reached at the begin, or if it refuses to be watched.
  public mutating func next(patience: Duration? = nil) throws(ClientError) -> News? {
    let deadline = Deadline(patience)
    while true {
      do {
        guard let connection = client.connection else { return .state(try begin()) }
        return try event(on: connection, before: deadline)
      } catch {
        guard client.wasConnected, error.mayPass else { throw error }
        let isNews = client.connection != nil
        client.disconnect()
        if isNews { return .disconnected(error) }
      }
      guard !deadline.isOver else { return nil }
      Clock.pause(milliseconds: deadline.isEndless ? pause : min(pause, deadline.milliseconds))
      pause = min(2 * pause, Self.longestPause)
    }
  }

  private mutating func begin() throws(ClientError) -> Watch.Reply {
    let state = try client.send(message)
    pause = 10
    return state
  }

  private func event(on connection: Connection, before deadline: Deadline) throws(ClientError) -> News? {
    let outcome: Result<Watch.Event, ClientError>
    do {
      outcome = try connection.receive(before: deadline) { payload in decodeEvent(payload) }
    } catch {
      if case .timedOut = error { return nil }
      throw error.asClientError(path: connection.path, timeout: .zero)
    }
    return .event(try outcome.get())
  }

  private func decodeEvent(_ payload: UnsafeRawBufferPointer) -> Result<Watch.Event, ClientError> {
    do {
      let envelope = try CBORDecoder().decode(ServerEnvelope<Watch>.self, from: payload)
      if let event = envelope.event { return .success(event) }
      if let error = envelope.error { return .failure(.server(error)) }
      return .failure(client.unreadable("a frame without an event while watching"))
    } catch {
      return .failure(client.unreadable("the event is \(error)"))
    }
  }
}

extension ClientError {
  /// Whether waiting may help: the server is away, restarting or overloaded.
  fileprivate var mayPass: Bool {
    switch self {
    case .noServer, .connectionLost, .timedOut: true
    case .server(let error): error.code == .busy
    case .permissionDenied, .protocolMismatch, .unreadableReply, .unsendable: false
    }
  }
}
