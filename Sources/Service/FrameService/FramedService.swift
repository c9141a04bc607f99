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
/// A request costs three system calls (wait, read, write; fewer when pipelined) and no allocation. It is generic: what
/// is asked and answered is the handlers' affair.
package final class FramedService: ConnectionOwner {
  /// The loop that everything of this service runs on.
  package let loop: EventLoop
  /// Its log.
  package let log: Logger
  /// What peers may take.
  package var limits: ServiceLimits { totals.limits }
  /// What it has done.
  package var counts: ServiceCounts { answerer.counts }
  /// Reads data again, and calls its argument when that is done (SIGHUP).
  package var onReload: ((_ done: @escaping () -> Void) -> Void)?
  /// Ends what would delay the exit: pending slow answers, and events for subscribers.
  package var onDrain: (() -> Void)?
  /// Counts reads of memory that was missing; nil where all memory is the process's own.
  package var faults: FaultCounter? {
    get { answerer.faults }
    set { answerer.faults = newValue }
  }
  /// Drops what the missing memory belongs to, and returns the answer to requests that cannot be answered from what is
  /// left; nil if no answer was made from that memory.
  package var onFault: () -> WireError? {
    get { answerer.onFault }
    set { answerer.onFault = newValue }
  }
  /// Whether there is work that no connection waits for; it delays the exit when idle.
  package var isBusy: () -> Bool = { false }
  /// Time without connection and work after which it exits, in nanoseconds; nil for never.
  package var idleExit: Int64?

  let answerer: Answerer
  let totals: ServiceTotals
  var lifecycle = Lifecycle()
  /// Returns the peer of a descriptor.
  var identify: (Int32) -> Peer? = { Peer(of: $0) }
  private var table: ConnectionTable
  /// The turn of the loop in which no connection could be closed to make room: it is not tried again in the same turn.
  private var turnWithoutRoom: UInt64 = 0
  private var reports = ClientReports()
  private var timeIsWatched = false

  /// Makes a service; nothing happens before ``run(on:signals:)``.
  ///
  /// - Throws: if the kernel gives no descriptors.
  package init(
    name: String, handlers: [any MethodHandler] = [], limits: ServiceLimits = .init(), log: Logger
  ) throws(SystemError) {
    self.log = log
    answerer = Answerer(name, handlers, limits)
    totals = ServiceTotals(limits)
    table = ConnectionTable(totals)
    loop = try EventLoop(limits: limits)
    linux_ignore_broken_pipes()
  }

  /// Takes these handlers in the place of those before, for handlers that need the service itself.
  package func register(_ handlers: [any MethodHandler]) { answerer.register(handlers) }

  // MARK: Connections

  /// Connections open now.
  package var connectionCount: Int { table.count }
  /// What there is to monitor, by the names of `status`.
  ///
  /// - Complexity: a file of `/proc` is read.
  package var counters: [String: UInt64] {
    var numbers = [
      "accepted": counts.accepted, "refused": counts.refused, "displaced": counts.displaced, "errors": counts.failed,
      "users": UInt64(table.userCount),
    ]
    numbers["memory"] = ProcessEnvironment.privateMemory
    return numbers
  }
  /// All connections.
  var connections: [Connection] { table.all }

  /// The limit that keeps `peer` out, if one does and no room can be made.
  func reasonToRefuse(_ peer: Peer) -> WireError? {
    if table.count(of: peer) >= limits.connectionsPerUser {
      return .busy(LimitName.connectionsPerUser, maximum: limits.connectionsPerUser)
    }
    let kept = peer.isTrusted ? 0 : max(0, limits.keptForTrusted - table.trusted)
    if table.count < limits.connections - kept || makeRoom(for: peer) { return nil }
    return .busy(LimitName.connections, maximum: limits.connections)
  }

  /// Closes the connection that another user misses least, so that `peer` gets its place.
  ///
  /// It is closed without a message: a client that finds its connection closed between two requests connects again,
  /// while an unexpected error would be taken for the reply to its next request.
  ///
  /// - Returns: whether one was closed.
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
  /// - Throws: if the loop cannot take it, which was logged; the descriptor is closed then.
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

  func didClose(_ connection: Connection) {
    table.remove(connection)
    table.closeIfEmpty(connection.account, in: loop.clients)
    connectionLeft()
  }

  func willDrop(_ connection: Connection, _ reason: String) { report(.dropped, connection.peer, reason) }

  // MARK: Reports

  /// Logs what was done to a connection of `peer`, once in a while for each user and reason.
  func report(_ action: ClientReports.Action, _ peer: Peer, _ reason: String) {
    let report = ClientReports.Report(action: action, user: peer.uid, reason: reason)
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

  /// Logs how many reports were left out in the intervals that are over at `now`.
  func logReports(now: Int64) {
    for (report, line) in reports.takeDue(now: now) { log.warning("\(line)", metadata: report.fields) }
  }

  // MARK: Time limits

  /// Checks incomplete frames and readers that do not read, every second while there are any.
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
