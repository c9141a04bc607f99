/// The open connections, by user.
struct ConnectionTable {
  private var accounts: [UInt32: UserAccount] = [:]
  /// Connections in all.
  private(set) var count = 0
  /// Connections of root and of the server's own user.
  private(set) var trusted = 0

  /// Whether there is none.
  var isEmpty: Bool { count == 0 }
  /// All of them, in no order; a copy, so that they may close meanwhile.
  var all: [Connection] { accounts.values.flatMap(\.connections) }
  /// Users with connections.
  var userCount: Int { accounts.count }

  /// The account of `peer`'s user, if it has connections.
  func account(of peer: Peer) -> UserAccount? { accounts[peer.uid] }

  /// Connections of one user.
  func count(of peer: Peer) -> Int { accounts[peer.uid]?.connections.count ?? 0 }

  /// The account of `peer`'s user, opened if it is the user's first connection.
  mutating func open(_ peer: Peer, in turns: ClientTurns) -> UserAccount {
    if let account = accounts[peer.uid] { return account }
    let account = UserAccount(peer, turns.open(peer.uid))
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
