import CLinux
package import CitiesProtocol
import Glibc
package import Logging
package import System

/// A resident service on a Unix socket: framed CBOR requests in, replies and events out, one thread.
///
/// ```swift
/// Signals.block()
/// let service = try FramedService(name: "citiesd", handlers: handlers, log: log)
/// service.onReload = { done in checkFiles(then: done) }
/// try service.run(on: socket)
/// ```
///
/// A request takes three system calls (wait, read, write; fewer when pipelined) and no allocation. The service is
/// generic: the handlers define the requests.
package final class FramedService {
  /// The event loop of the service.
  package let loop: EventLoop
  /// The log.
  package let log: Logger
  /// The limits for clients.
  package var limits: ServiceLimits { totals.limits }
  /// The counters.
  package var counts: ServiceCounts { answerer.counts }
  /// Reloads the data, and calls its argument when finished (SIGHUP).
  package var onReload: ((_ done: @escaping () -> Void) -> Void)?
  /// Ends work that would delay the exit: pending slow answers, and events for subscribers.
  package var onDrain: (() -> Void)?
  /// Counts reads of missing memory; `nil` if all memory belongs to the process itself.
  package var faults: FaultCounter? {
    get { answerer.faults }
    set { answerer.faults = newValue }
  }
  /// Drops the data with missing memory, and returns the error for requests that cannot be answered from the remaining
  /// data; `nil` if no data was dropped.
  package var onFault: () -> WireError? {
    get { answerer.onFault }
    set { answerer.onFault = newValue }
  }
  /// Returns whether there is work for which no connection waits; it delays the exit of an idle service.
  package var isBusy: () -> Bool = { false }
  /// The time without connections and work after which it exits, in nanoseconds; `nil` for never.
  package var idleExit: Int64?
  /// The ranges of user ids that are one user each; a change concerns new connections only.
  package var subordinates = SubordinateUsers([])

  let answerer: Answerer
  let totals: ServiceTotals
  var lifecycle = Lifecycle()
  /// Returns the peer of a descriptor.
  var identify: (Int32) -> Peer? = { Peer(of: $0) }
  private var table: ConnectionTable
  /// The turn of the loop in which no connection could be closed to make room: there is no second attempt in it.
  private var turnWithoutRoom: UInt64 = 0
  private var reports = ClientReports()
  private var timeIsWatched = false

  /// Creates a service; nothing happens before ``run(on:signals:)``.
  ///
  /// - Throws: ``SystemError`` if no descriptors are available.
  package init(
    name: String, handlers: [any RequestHandler] = [], limits: ServiceLimits = .init(), log: Logger
  ) throws(SystemError) {
    self.log = log
    answerer = Answerer(name, handlers, limits)
    totals = ServiceTotals(limits)
    table = ConnectionTable(totals)
    loop = try EventLoop(limits: limits)
    linux_ignore_broken_pipes()
  }

  /// Replaces the handlers, for those that need the service itself.
  package func register(_ handlers: [any RequestHandler]) { answerer.register(handlers) }

  // MARK: Connections

  /// The number of open connections.
  package var connectionCount: Int { table.count }
  /// The counters for monitoring, by their names in `status`.
  ///
  /// - Complexity: Reads a file in `/proc`.
  package var counters: [String: UInt64] {
    var numbers = [
      "accepted": counts.accepted, "refused": counts.refused, "displaced": counts.displaced, "errors": counts.failed,
      "users": UInt64(table.userCount), "longest_step": UInt64(clamping: loop.longestStep / 1_000),
    ]
    numbers["memory"] = ProcessEnvironment.privateMemory
    return numbers
  }
  var connections: [Connection] { table.all }

  /// The peer of a new connection, with its account; `nil` if unknown.
  func peer(of descriptor: Int32) -> Peer? {
    guard var peer = identify(descriptor) else { return nil }
    peer.account = subordinates.account(of: peer)
    return peer
  }

  /// The limit because of which `peer` is refused; `nil` if it is accepted, possibly after making room.
  func reasonToRefuse(_ peer: Peer) -> WireError? {
    if table.count(of: peer) >= limits.connectionsPerUser {
      return .busy(LimitName.connectionsPerUser, maximum: limits.connectionsPerUser)
    }
    let kept = peer.isTrusted ? 0 : max(0, limits.keptForTrusted - table.trusted)
    if table.count < limits.connections - kept || makeRoom(for: peer) { return nil }
    return .busy(LimitName.connections, maximum: limits.connections)
  }

  /// Closes another user's connection that can best be spared, to make room for `peer`.
  ///
  /// It is closed without a message: a client whose connection closes between two requests connects again, but it would
  /// take an unexpected error for the reply to its next request.
  ///
  /// - Returns: Whether one was closed.
  func makeRoom(for peer: Peer) -> Bool {
    guard turnWithoutRoom != loop.turnNumber else { return false }
    guard let connection = table.disposable(for: peer) else {
      turnWithoutRoom = loop.turnNumber
      return false
    }
    answerer.counts.displaced += 1
    report(.displaced, connection.peer, "all connections are in use, and this user has the most")
    connection.close()
    return true
  }

  /// Serves the client at `descriptor`.
  ///
  /// - Throws: ``SystemError`` if the loop cannot add it, which is logged; the descriptor is then closed.
  func admit(_ descriptor: Int32, _ peer: Peer) throws(SystemError) {
    let account = table.open(peer, in: loop.clients)
    let connection = Connection(descriptor, account, peer, answerer, in: loop, of: self)
    do throws(SystemError) {
      try connection.open()
    } catch {
      report(.dropped, peer, "\(error)")
      Glibc.close(descriptor)
      table.closeIfEmpty(account, in: loop.clients)
      throw error
    }
    answerer.counts.accepted += 1
    table.insert(connection)
    connectionCame(connection)
  }

  /// Forgets a connection that has left the loop.
  func didClose(_ connection: Connection) {
    table.remove(connection)
    table.closeIfEmpty(connection.account, in: loop.clients)
    connectionLeft()
  }

  /// Logs that a connection is about to be closed because its peer violated a limit.
  func willDrop(_ connection: Connection, _ reason: String) { report(.dropped, connection.peer, reason) }

  // MARK: Reports

  /// Logs what was done to a connection of `peer`, rate-limited per user and reason.
  func report(_ action: ClientReports.Action, _ peer: Peer, _ reason: String) {
    let report = ClientReports.Report(action: action, user: peer.account, reason: reason)
    guard let line = reports.add(report, now: MonotonicClock.nanoseconds()) else { return }
    log.warning("\(line)", metadata: report.fields)
    if reports.count == 1 { scheduleReports() }
  }

  private func scheduleReports() {
    loop.schedule(after: ClientReports.interval) { [unowned self] in
      logReports(now: MonotonicClock.nanoseconds())
      if reports.count > 0 { scheduleReports() }
    }
  }

  /// Logs the number of suppressed reports in the intervals that have ended by `now`.
  func logReports(now: Int64) {
    for (report, line) in reports.takeDue(now: now) { log.warning("\(line)", metadata: report.fields) }
  }

  // MARK: Time limits

  /// Checks incomplete frames and slow readers every second while there are any.
  func watchTime() {
    guard !timeIsWatched else { return }
    timeIsWatched = true
    let interval = min(limits.frameTime, limits.stallTime, 1_000_000_000)
    loop.schedule(after: interval) { [unowned self] in
      timeIsWatched = false
      let now = MonotonicClock.nanoseconds()
      var goesOn = false
      for connection in table.all where connection.checkTime(now: now) { goesOn = true }
      if goesOn { watchTime() }
    }
  }
}
