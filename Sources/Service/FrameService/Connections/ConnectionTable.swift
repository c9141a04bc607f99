import CLinux
import CitiesProtocol
import Glibc

/// The open connections, by user.
struct ConnectionTable {
  private var accounts: [UInt32: UserAccount] = [:]
  /// The total number of connections.
  private(set) var count = 0
  /// The number of connections of root and of the server's own user.
  private(set) var trusted = 0
  private let totals: ServiceTotals

  init(_ totals: ServiceTotals) { self.totals = totals }

  /// All connections, unordered; a copy, so that they may close during an iteration.
  var all: [Connection] { accounts.values.flatMap(\.connections) }

  /// The number of users with open connections.
  var userCount: Int { accounts.count }

  /// The number of connections of one user.
  func count(of peer: Peer) -> Int { accounts[peer.account]?.connections.count ?? 0 }

  /// The account of `peer`'s user; created for the user's first connection.
  mutating func open(_ peer: Peer, in turns: ClientTurns) -> UserAccount {
    if let account = accounts[peer.account] { return account }
    let account = UserAccount(peer, turns.open(peer.account), totals)
    accounts[peer.account] = account
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

  /// Closes the account if it has no connections left.
  mutating func closeIfEmpty(_ account: UserAccount, in turns: ClientTurns) {
    guard account.connections.isEmpty, accounts.removeValue(forKey: account.peer.account) != nil else { return }
    turns.close(account.turns)
  }

  /// A connection that may be closed to make room for `peer`: one that can be spared, of the user with the most
  /// connections.
  ///
  /// A user without connections may displace any other user's, one with connections only those of a user with at least
  /// two more, so that two users do not displace each other in turn. Root and the server's own user may displace those
  /// of any user that is neither.
  ///
  /// - Complexity: O(*u* log *u*) in the users, plus ``UserAccount/nextDisposable()`` for those that qualify.
  func disposable(for peer: Peer) -> Connection? {
    let own = count(of: peer)
    let minimum = own == 0 ? 1 : own + 2
    let others = accounts.values.filter { account in
      account.peer.account != peer.account
        && (account.connections.count >= minimum || peer.isTrusted && !account.peer.isTrusted)
    }
    for account in others.sorted(by: { $0.connections.count > $1.connections.count }) {
      if let connection = account.nextDisposable() { return connection }
    }
    return nil
  }
}

/// The peer of a connection, as recorded by the kernel at connection time (`SO_PEERCRED`).
package struct Peer: Sendable, Equatable {
  /// The user id.
  package var uid: UInt32
  /// The process id; 0 if it is in another namespace.
  package var pid: Int32
  /// The user whose account it uses; see ``SubordinateUsers``.
  var account: UInt32

  /// Creates a peer from its ids.
  package init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
    account = uid
  }

  /// The peer of `descriptor`; `nil` if unknown.
  init?(of descriptor: Int32) {
    var credentials = linux_credentials()
    guard linux_peer_credentials(descriptor, &credentials) >= 0 else { return nil }
    self.init(uid: credentials.uid, pid: credentials.pid)
  }

  /// Whether the user is root or the user of this process.
  package var isTrusted: Bool { uid == 0 || uid == Self.own }

  /// The user of this process; cached, as each call is a system call.
  private static let own = geteuid()
}

/// The resources used by all users of a service.
final class ServiceTotals {
  let limits: ServiceLimits
  /// The number of bytes queued for slow readers.
  fileprivate(set) var queued = 0
  /// The number of subscribed connections.
  fileprivate(set) var subscribers = 0

  init(_ limits: ServiceLimits) { self.limits = limits }
}

/// One user's connections and resources, with the limits per user and in total.
final class UserAccount {
  let peer: Peer
  /// The account of the user's turns.
  let turns: ClientTurns.Account
  /// The open connections, unordered.
  private(set) var connections: [Connection] = []
  private let totals: ServiceTotals
  private var subscribers = 0
  private var promises = 0
  private var queued = 0
  /// Connections that may be closed for another user's, the next one last; collected on demand.
  private var disposable: [Candidate] = []

  private struct Candidate {
    let connection: Connection
    let disposal: Disposal
    let lastTurn: UInt64
  }

  /// The number of candidates for closing to collect at a time.
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

  /// Adds a subscribed connection.
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

  /// Checks that another answer may be promised.
  ///
  /// - Throws: `busy` at the limit.
  func requireRoomForPromise() throws(WireError) {
    guard promises < limits.pendingPerUser else {
      throw .busy(LimitName.pendingPerUser, maximum: limits.pendingPerUser)
    }
  }

  func addPromise() { promises += 1 }

  func removePromise() { promises -= 1 }

  /// The reason why `bytes` more must not be queued for a slow reader; `nil` if they may.
  func reasonNotToHold(_ bytes: Int) -> String? {
    let (inAll, perUser) = (limits.queuedBytes, limits.queuedBytesPerUser)
    guard totals.queued + bytes <= inAll else { return "answers for slow readers take \(inAll) bytes" }
    guard queued + bytes <= perUser else { return "answers for slow readers of this user take \(perUser) bytes" }
    return nil
  }

  /// Adds to the bytes queued for readers; `bytes` is negative when they were sent.
  func hold(_ bytes: Int) {
    totals.queued += bytes
    queued += bytes
  }

  // MARK: Making room

  /// The connection whose closing costs its user least; `nil` if all are subscribed or wait for an answer.
  ///
  /// It is the one that has been idle longest; if none is idle, one with an incomplete request, an unread answer or an
  /// unread request, in this order.
  ///
  /// - Complexity: O(*n* log *n*) in the user's connections per 64 calls.
  func nextDisposable() -> Connection? {
    for _ in 0..<2 {
      while let candidate = disposable.popLast() {
        let connection = candidate.connection
        guard connection.isOpen, connection.lastTurn == candidate.lastTurn,
          connection.disposal == candidate.disposal
        else { continue }
        // A request may have arrived that no event has reported yet.
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

/// The cost of closing a connection, in ascending order.
enum Disposal: Comparable {
  /// Nothing is in progress.
  case idle
  /// A frame has arrived only partly.
  case partialRequest
  /// An answer has not been read completely.
  case unreadAnswer
  /// Requests wait for a turn.
  case unreadRequest
}
