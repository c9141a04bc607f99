internal import CitiesProtocol

/// A request with its id, which the reply repeats.
struct IssuedRequest: Sendable {
  /// Counts up from 1; unique per browser.
  var id: UInt64
  var message: any RequestMessage
}

/// A reply of the request's type, or the server's error.
typealias BrowserAnswer = Result<any Sendable, WireError>

/// Limits the requests that wait for a reply, and numbers them.
///
/// Therefore a slow server never has a long queue of obsolete requests: a screen requests its current data when a reply
/// has made room.
struct RequestWindow: Sendable {
  /// The maximum number of pending requests: each typed character makes two.
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

  /// Drops all requests; issues none until the next connection.
  mutating func connectionLost() { (pending, issued, isConnected) = ([], [], false) }

  mutating func connected() { isConnected = true }
}
