public import CitiesProtocol
internal import Framing
internal import System

/// A stream of events about subjects, which continues after a restart of the server.
///
/// ```swift
/// var stream = WatchStream(.init())
/// while let news = try stream.next() { … }
/// ```
///
/// The first event, also after every reconnection, is the state, which shows missed changes.
public struct WatchStream {
  /// One event.
  public enum News: Sendable, Equatable {
    /// The state, at the start and after a reconnection.
    case state(Watch.Reply)
    /// Something changed.
    case event(Watch.Event)
    /// The connection was lost, or the server is too busy for one; the next calls try to reconnect, with pauses.
    case disconnected(ClientError)
  }

  /// The shortest and the longest pause between attempts to reconnect, in milliseconds; each pause is twice the one
  /// before.
  private static let (shortestPause, longestPause): (Int32, Int32) = (10, 1_000)

  private let client: Client
  private let message: Watch
  private var backOff: Int32 = Self.shortestPause
  /// Whether the caller knows that the connection is lost.
  private var isLost = false

  /// Makes a stream of events about `subjects`, about all if `nil`; nothing is connected yet.
  public init(_ configuration: Client.Configuration = .init(), subjects: [Subject]? = nil) {
    client = Client(configuration)
    message = Watch(subjects: subjects)
  }

  /// The total time of connecting and of answers, without waiting for events.
  public var timing: Timing { client.totalTiming }

  /// Waits for the next event.
  ///
  /// - Parameter patience: The longest time to wait; `nil` for no limit.
  /// - Returns: The event, or `nil` if none arrived in time.
  /// - Throws: ``ClientError`` if no server can be reached at the start, or if it refuses the request and is not busy.
  public mutating func next(patience: Duration? = nil) throws(ClientError) -> News? {
    let deadline = Deadline(patience)
    while true {
      do {
        guard let connection = client.connection else { return .state(try start()) }
        return try event(on: connection, before: deadline)
      } catch {
        guard client.wasConnected, error.mayPass else { throw error }
        client.disconnect()
        if !isLost {
          isLost = true
          return .disconnected(error)
        }
      }
      guard !deadline.isOver else { return nil }
      MonotonicClock.pause(milliseconds: deadline.isEndless ? backOff : min(backOff, deadline.milliseconds))
      backOff = min(2 * backOff, Self.longestPause)
    }
  }

  private mutating func start() throws(ClientError) -> Watch.Reply {
    let state = try client.send(message)
    (backOff, isLost) = (Self.shortestPause, false)
    return state
  }

  private func event(on connection: ServerConnection, before deadline: Deadline) throws(ClientError) -> News? {
    switch try connection.receive(before: deadline) {
    case nil: return nil
    case .event(_, let payload)?, .reply(_, let payload)?, .refusal(_, let payload)?, .unreadable(_, let payload)?:
      return unsafe .event(try decodeEvent(payload))
    case .fault?, .incomplete?: return nil
    }
  }

  private func decodeEvent(_ payload: UnsafeRawBufferPointer) throws(ClientError) -> Watch.Event {
    let envelope: ServerEnvelope<Watch>
    do { envelope = try unsafe ServerEnvelope(payload: payload) } catch {
      throw client.unreadable("the event is \(error)")
    }
    if let event = envelope.event { return event }
    throw envelope.error.map(ClientError.server) ?? client.unreadable("a frame without an event while watching")
  }
}

extension ClientError {
  /// Whether waiting may help: the server is unreachable, restarting or overloaded.
  package var mayPass: Bool {
    switch self {
    case .noServer, .connectionLost, .timedOut: true
    case .server(let error): error.code == .busy
    case .permissionDenied, .protocolMismatch, .unreadableReply, .unsendable: false
    }
  }
}
