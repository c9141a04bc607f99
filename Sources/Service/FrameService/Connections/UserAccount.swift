import CLinux

/// One user's connections and what they hold, for the limits per user.
final class UserAccount {
  /// The user.
  let peer: Peer
  /// Where the user's work waits for its turns.
  let turns: ClientTurns.Account
  /// The open connections, in no order.
  private(set) var connections: [Connection] = []
  /// Connections that watch.
  var subscribers = 0
  /// Requests whose answers are promised for later.
  var pending = 0
  /// Bytes that wait for slow readers.
  var queued = 0
  /// Connections that may be closed for another user's, the next one last; gathered when they are needed.
  private var disposable: [Candidate] = []

  private struct Candidate {
    let connection: Connection
    let disposal: Disposal
    let lastTurn: UInt64
  }

  /// Connections that are gathered at a time for closing.
  private static let batch = 64

  init(_ peer: Peer, _ turns: ClientTurns.Account) {
    self.peer = peer
    self.turns = turns
  }

  func insert(_ connection: Connection) {
    connection.place = connections.count
    connections.append(connection)
  }

  func remove(_ connection: Connection) {
    let place = connection.place
    let last = connections.removeLast()
    if place < connections.count {
      connections[place] = last
      last.place = place
    }
  }

  // MARK: Making room

  /// The connection that its user misses least; nil if all of them watch or wait for an answer.
  ///
  /// It is the one that has been idle longest; if none is idle, one with half a request, an unread answer or an unread
  /// request, in this order.
  ///
  /// - Complexity: O(*n* log *n*) in the user's connections for each 64 calls.
  func nextDisposable() -> Connection? {
    for _ in 0..<2 {
      while let candidate = disposable.popLast() {
        let connection = candidate.connection
        guard connection.isOpen, connection.lastTurn == candidate.lastTurn,
          connection.disposal == candidate.disposal
        else { continue }
        // A request may have come that no event has announced yet.
        if candidate.disposal == .idle, connection.hasUnreadInput { continue }
        return connection
      }
      gather()
    }
    return nil
  }

  private func gather() {
    var candidates: [Candidate] = []
    for connection in connections {
      guard let disposal = connection.disposal else { continue }
      candidates.append(Candidate(connection: connection, disposal: disposal, lastTurn: connection.lastTurn))
    }
    candidates.sort { ($0.disposal, $0.lastTurn) < ($1.disposal, $1.lastTurn) }
    disposable = candidates.prefix(Self.batch).reversed()
  }
}

/// How little is lost if a connection is closed; less comes first.
enum Disposal: Int, Comparable {
  /// Nothing is under way.
  case idle
  /// A frame has arrived in part.
  case partialRequest
  /// An answer was not taken yet.
  case unreadAnswer
  /// Requests wait for their turn.
  case unreadRequest

  static func < (one: Disposal, other: Disposal) -> Bool { one.rawValue < other.rawValue }
}
