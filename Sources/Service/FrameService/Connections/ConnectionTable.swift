/// The open connections, with their number by user.
struct ConnectionTable {
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var perUser: [UInt32: Int] = [:]

  /// Connections in all.
  var count: Int { connections.count }
  /// Whether there is none.
  var isEmpty: Bool { connections.isEmpty }
  /// All of them, in no order; a copy, so that they may close meanwhile.
  var all: [Connection] { Array(connections.values) }

  /// Connections of one user.
  func count(of user: UInt32) -> Int { perUser[user] ?? 0 }

  mutating func insert(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = connection
    perUser[connection.peer.uid, default: 0] += 1
  }

  mutating func remove(_ connection: Connection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    let left = count(of: connection.peer.uid) - 1
    perUser[connection.peer.uid] = left > 0 ? left : nil
  }
}
