internal import CitiesProtocol

/// A request and the id that its reply repeats.
struct IssuedRequest: Sendable {
  /// Unique in the life of a browser, from 1 up.
  var id: UInt64
  var message: any RequestMessage
}

/// A reply of the type that the message of its request names, or the server's error.
typealias BrowserAnswer = Result<any Sendable, WireError>

/// Limits the requests that wait for a reply, and numbers them.
///
/// A slow server therefore never has a queue of requests whose answers are no longer wanted: a screen asks for what it
/// shows when a reply has made room.
struct RequestWindow: Sendable {
  /// Requests that may wait for a reply at once: a character that is typed makes two.
  static let capacity = 16

  private var lastID: UInt64 = 0
  private var pending: Set<UInt64> = []
  private var issued: [IssuedRequest] = []
  private var isConnected = true

  /// Issues a request and returns its id; `nil` if the window is full or there is no connection.
  mutating func ask(_ message: any RequestMessage) -> UInt64? {
    guard isConnected, pending.count < Self.capacity else { return nil }
    lastID += 1
    pending.insert(lastID)
    issued.append(IssuedRequest(id: lastID, message: message))
    return lastID
  }

  /// The requests that were issued since the last call.
  mutating func takeIssued() -> [IssuedRequest] {
    defer { issued = [] }
    return issued
  }

  /// Makes room after a reply.
  mutating func answered(_ id: UInt64) { pending.remove(id) }

  /// Drops all requests; none is issued before the next connection.
  mutating func connectionLost() { (pending, issued, isConnected) = ([], [], false) }

  mutating func connected() { isConnected = true }
}
