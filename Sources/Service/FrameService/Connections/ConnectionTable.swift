import CLinux
import CitiesProtocol
import Glibc

/// The open connections, by user.
struct ConnectionTable {
  private var accounts: [UInt32: UserAccount] = [:]
  /// Connections in all.
  private(set) var count = 0
  /// Connections of root and of the server's own user.
  private(set) var trusted = 0
  private let totals: ServiceTotals

  init(_ totals: ServiceTotals) { self.totals = totals }

  /// All of them, in no order; a copy, so that they may close meanwhile.
  var all: [Connection] { accounts.values.flatMap(\.connections) }

  /// Users with open connections.
  var userCount: Int { accounts.count }

  /// Connections of one user.
  func count(of peer: Peer) -> Int { accounts[peer.uid]?.connections.count ?? 0 }

  /// The account of `peer`'s user, opened if it is the user's first connection.
  mutating func open(_ peer: Peer, in turns: ClientTurns) -> UserAccount {
    if let account = accounts[peer.uid] { return account }
    let account = UserAccount(peer, turns.open(peer.uid), totals)
    accounts[peer.uid] = account
    return account
  }

  mutating func insert(_ connection: Connection) {
    connection.account.insert(connection)
    count += 1
    if connection.peer.isTrusted { trusted += 1 }
  }

  mutating func remove(_ connection: Connection) {
    connection.account.remove(connection)
    count -= 1
    if connection.peer.isTrusted { trusted -= 1 }
  }

  /// Closes the account if no connection is left.
  mutating func closeIfEmpty(_ account: UserAccount, in turns: ClientTurns) {
    guard account.connections.isEmpty, accounts.removeValue(forKey: account.peer.uid) != nil else { return }
    turns.close(account.turns)
  }

  /// A connection that may be closed so that `peer` gets its place: one of the user with the most connections that has
  /// one to spare.
  ///
  /// A user without connections gets a place from any other, one with connections only from a user that has at least
  /// two more, so that two users do not take places from each other in turn. Root and the server's own user get theirs
  /// from any user that is neither.
  ///
  /// - Complexity: O(*u* log *u*) in the users, and what ``UserAccount/nextDisposable()`` needs for those that qualify.
  func disposable(for peer: Peer) -> Connection? {
    let own = count(of: peer)
    let minimum = own == 0 ? 1 : own + 2
    let others = accounts.values.filter { account in
      account.peer.uid != peer.uid
        && (account.connections.count >= minimum || peer.isTrusted && !account.peer.isTrusted)
    }
    for account in others.sorted(by: { $0.connections.count > $1.connections.count }) {
      if let connection = account.nextDisposable() { return connection }
    }
    return nil
  }
}

/// The peer of a connection, as the kernel recorded it when the connection was made (`SO_PEERCRED`).
package struct Peer: Sendable, Equatable {
  /// The user.
  package var uid: UInt32
  /// The process; 0 if it is in another namespace.
  package var pid: Int32

  /// Names a peer.
  package init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
  }

  /// The peer of `descriptor`; nil if unknown.
  init?(of descriptor: Int32) {
    var credentials = linux_credentials()
    guard linux_peer_credentials(descriptor, &credentials) >= 0 else { return nil }
    self.init(uid: credentials.uid, pid: credentials.pid)
  }

  /// Whether it is root or the user this process runs as.
  package var isTrusted: Bool { uid == 0 || uid == Self.own }

  /// The user this process runs as; asked once, as each call is one to the kernel.
  private static let own = geteuid()
}

/// What all users of a service hold together.
final class ServiceTotals {
  let limits: ServiceLimits
  /// Bytes that wait for slow readers.
  fileprivate(set) var queued = 0
  /// Connections that watch.
  fileprivate(set) var subscribers = 0

  init(_ limits: ServiceLimits) { self.limits = limits }
}

/// One user's connections and what they hold, against the limits for each user and for all.
final class UserAccount {
  let peer: Peer
  /// Where the user's work waits for its turns.
  let turns: ClientTurns.Account
  /// The open connections, in no order.
  private(set) var connections: [Connection] = []
  private let totals: ServiceTotals
  private var subscribers = 0
  private var promises = 0
  private var queued = 0
  /// Connections that may be closed for another user's, the next one last; gathered when they are needed.
  private var disposable: [Candidate] = []

  private struct Candidate {
    let connection: Connection
    let disposal: Disposal
    let lastTurn: UInt64
  }

  /// Connections that are gathered at a time for closing.
  private static let batch = 64

  init(_ peer: Peer, _ turns: ClientTurns.Account, _ totals: ServiceTotals) {
    self.peer = peer
    self.turns = turns
    self.totals = totals
  }

  var limits: ServiceLimits { totals.limits }

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

  // MARK: Quotas

  /// Counts one more connection that watches.
  ///
  /// - Throws: `busy` at a limit.
  func addSubscriber() throws(WireError) {
    guard totals.subscribers < limits.subscribers else {
      throw .busy(LimitName.subscribers, maximum: limits.subscribers)
    }
    guard subscribers < limits.subscribersPerUser else {
      throw .busy(LimitName.subscribersPerUser, maximum: limits.subscribersPerUser)
    }
    totals.subscribers += 1
    subscribers += 1
  }

  func removeSubscriber() {
    totals.subscribers -= 1
    subscribers -= 1
  }

  /// Checks that one more answer may be promised for later.
  ///
  /// - Throws: `busy` at the limit.
  func requireRoomForPromise() throws(WireError) {
    guard promises < limits.pendingPerUser else {
      throw .busy(LimitName.pendingPerUser, maximum: limits.pendingPerUser)
    }
  }

  func addPromise() { promises += 1 }

  func removePromise() { promises -= 1 }

  /// Why `bytes` more may not wait for a slow reader; nil if they may.
  func reasonNotToHold(_ bytes: Int) -> String? {
    let (inAll, perUser) = (limits.queuedBytes, limits.queuedBytesPerUser)
    guard totals.queued + bytes <= inAll else { return "answers for slow readers take \(inAll) bytes" }
    guard queued + bytes <= perUser else { return "answers for slow readers of this user take \(perUser) bytes" }
    return nil
  }

  /// Counts bytes that wait for a reader from now on, or no longer if `bytes` is negative.
  func hold(_ bytes: Int) {
    totals.queued += bytes
    queued += bytes
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
  /// Nothing is in progress.
  case idle
  /// A frame has arrived in part.
  case partialRequest
  /// An answer was not taken yet.
  case unreadAnswer
  /// Requests wait for their turn.
  case unreadRequest

  static func < (one: Disposal, other: Disposal) -> Bool { one.rawValue < other.rawValue }
}
