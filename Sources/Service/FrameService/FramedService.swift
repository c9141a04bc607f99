import CBOR
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
package final class FramedService {
  /// The program, for messages.
  package let name: String
  /// The loop that everything of this service runs on.
  package let loop: EventLoop
  /// Where it says what it does.
  package let log: Logger
  /// What peers may take.
  package let limits: ServiceLimits
  /// What it has done.
  @exclusivity(unchecked) package internal(set) var counts = ServiceCounts()
  /// Reads data again, and calls its argument when that is done (SIGHUP).
  package var onReload: ((_ done: @escaping () -> Void) -> Void)?
  /// Ends what would delay leaving: slow answers that are still pending, news for those who watch.
  package var onDrain: (() -> Void)?
  /// Counts reads of memory that was missing; nil where all memory is the process's own.
  @exclusivity(unchecked) package var faults: FaultCounter?
  /// Drops what the missing memory belongs to, and returns the answer to requests that cannot be answered from what is left;
  /// nil if no answer was made from that memory.
  package var onFault: () -> WireError? = { WireError(.internal, "memory went away") }
  /// Whether a request of the connection that is served now has met missing memory: its answers that are not sent yet
  /// may come from the same memory.
  @exclusivity(unchecked) var mustAnswerAgain = false
  /// Whether there is work that no connection waits for; it delays leaving when idle.
  package var isBusy: () -> Bool = { false }
  /// Leave after so many seconds without connection and work; nil to stay.
  package var idleExit: Int64?

  @exclusivity(unchecked) private var handlers: HandlerTable
  private let cborLimits: CBORLimits
  private var table = ConnectionTable()
  private var subscribers = 0
  /// The turn of the loop in which no connection could be closed to make room: it is not tried again in the same turn.
  private var turnWithoutRoom: UInt64 = 0
  private var reports = ClientReports()
  private var timeIsWatched = false
  @exclusivity(unchecked) private(set) var isAnswering = false
  var lifecycle = Lifecycle()
  /// Bytes that wait for slow readers in all.
  var queued = 0
  /// Where answers are gathered, for one connection at a time.
  @exclusivity(unchecked) var output = ReplyBuffer()
  /// Says who is at the other end of a descriptor.
  var identify: (Int32) -> Peer? = { Peer(of: $0) }
  /// Where requests are read, for one connection at a time; holds a whole frame of the largest size.
  let scratch: UnsafeMutableRawBufferPointer

  /// Makes a service; nothing happens before ``run(on:signals:)``.
  ///
  /// - Throws: if the kernel gives no descriptors.
  package init(
    name: String, handlers: [any RequestHandler] = [], limits: ServiceLimits = .init(), log: Logger
  ) throws(SystemError) {
    self.name = name
    self.limits = limits
    self.log = log
    self.handlers = HandlerTable(handlers)
    cborLimits = CBORLimits(depth: limits.requestDepth, items: limits.requestItems)
    loop = try EventLoop(limits: limits)
    scratch = .allocate(byteCount: limits.requestBytes + Frame.headerSize, alignment: 16)
    linux_ignore_broken_pipes()
  }

  deinit { scratch.deallocate() }

  /// Takes these handlers in the place of those before, for handlers that need the service itself.
  package func register(_ handlers: [any RequestHandler]) { self.handlers = HandlerTable(handlers) }

  // MARK: Answering

  /// Answers the request in `payload`, in ``output``.
  func answer(_ payload: UnsafeRawBufferPointer, for connection: Connection) {
    counts.answered += 1
    // A request with fewer bytes than items are allowed cannot hold too many.
    var head = RequestHead()
    if payload.count <= cborLimits.items, head.readUsual(payload),
      let handler = handlers.find(head.method), handler.readsAllOfItsParams
    {
      let failure: WireError
      do throws(WireError) { return try respond(to: head, handler, connection) } catch { failure = error }
      // Bytes that are no CBOR at all look like bad parameters to a handler. They are told apart only now, so that good
      // requests are read once.
      if head.hasAcceptableParams(cborLimits) { return fail(head.id, failure) }
    }
    head = RequestHead()
    do throws(CBORError) {
      try head.read(payload, limits: cborLimits)
    } catch {
      return answerUnusual(payload, error, id: head.id, for: connection)
    }
    dispatch(head, for: connection)
  }

  /// Answers what the strict reader refused: put into deterministic order if that helps, else as malformed.
  private func answerUnusual(
    _ payload: UnsafeRawBufferPointer, _ error: CBORError, id: UInt64, for connection: Connection
  ) {
    var head = RequestHead()
    head.id = id
    do throws(CBORError) {
      guard error.kind == .notDeterministic else { throw error }
      let bytes = try canonicalized(payload, limits: cborLimits)
      let failure = bytes.withUnsafeBytes { bytes -> CBORError? in
        do throws(CBORError) { try head.read(bytes, limits: cborLimits) } catch { return error }
        dispatch(head, for: connection)
        return nil
      }
      if let failure { throw failure }
    } catch {
      fail(head.id, .malformed(error, cborLimits))
    }
  }

  private func dispatch(_ head: RequestHead, for connection: Connection) {
    guard let handler = handlers.find(head.method) else {
      return fail(head.id, .unknownMethod(head.method, server: name))
    }
    do throws(WireError) { try respond(to: head, handler, connection) } catch { fail(head.id, error) }
  }

  /// Lets `handler` answer; nothing of its answer stays if it throws.
  ///
  /// An answer that was made from missing memory is taken back, and the request is answered again from what is left.
  private func respond(
    to head: RequestHead, _ handler: any RequestHandler, _ connection: Connection
  ) throws(WireError) {
    let start = output.count
    do throws(WireError) {
      try attempt(head, handler, connection)
    } catch {
      guard hasFault, try respondAgain(to: head, handler, connection, from: start) else { throw error }
      return
    }
    if hasFault { _ = try respondAgain(to: head, handler, connection, from: start) }
  }

  /// Takes back what was appended from `start` on, and lets `handler` answer from what is left.
  ///
  /// It stands apart so that a request without a fault pays one comparison.
  ///
  /// - Returns: false if the missing memory belongs to no answer, so that what was answered first stands.
  @inline(never)
  private func respondAgain(
    to head: RequestHead, _ handler: any RequestHandler, _ connection: Connection, from start: Int
  ) throws(WireError) -> Bool {
    var attempts = 1
    var failure: WireError?
    while hasFault {
      guard let refusal = dropFaulty() else { break }
      mustAnswerAgain = true
      // A slow answer is checked when it is finished.
      if connection.state.flags.contains(.waiting) { return true }
      output.writer.truncate(to: start)
      guard attempts < Self.maximumAttempts else { throw refusal }
      attempts += 1
      failure = nil
      do throws(WireError) { try attempt(head, handler, connection) } catch { failure = error }
    }
    if let failure { throw failure }
    return attempts > 1
  }

  private var hasFault: Bool { faults?.isRaised ?? false }

  /// Answers that one request is worth while the data goes away under it.
  static let maximumAttempts = 4

  private func dropFaulty() -> WireError? {
    faults?.acknowledge()
    return onFault()
  }

  private func attempt(
    _ head: RequestHead, _ handler: any RequestHandler, _ connection: Connection
  ) throws(WireError) {
    let mark = output.beginResult(head.id)
    let request = Request(id: head.id, params: head.params, limits: cborLimits.inside, connection: connection)
    isAnswering = true
    defer { isAnswering = false }
    do throws(WireError) {
      switch try handler.answer(request, into: &output.writer) {
      case .later: output.cancel(mark)
      case .written:
        try checkSize(output.length(since: mark))
        output.end(mark)
      case .sliced(let work):
        var slice = TimeSlice(nanoseconds: limits.turn)
        guard try work.advance(&slice) else {
          output.cancel(mark)
          connection.beginWork(work, id: head.id)
          break
        }
        try work.write(into: &output.writer)
        try checkSize(output.length(since: mark))
        output.end(mark)
      }
    } catch {
      connection.cancelWaiting()
      output.cancel(mark)
      throw error
    }
  }

  /// Appends the answer to `id` that `write` gives to `buffer`.
  func encode(id: UInt64, into buffer: inout ReplyBuffer, _ write: (inout CBORWriter) throws(WireError) -> Void) {
    let mark = buffer.beginResult(id)
    do throws(WireError) {
      try write(&buffer.writer)
      if hasFault, let refusal = dropFaulty() { throw refusal }
      try checkSize(buffer.length(since: mark))
      buffer.end(mark)
    } catch {
      counts.failed += 1
      buffer.cancel(mark)
      buffer.appendError(id, error)
    }
  }

  /// Continues `work` until about `deadline`, and appends its answer to `id` when it is finished.
  ///
  /// - Returns: whether it is finished.
  func advance(_ work: any SlicedWork, id: UInt64, until deadline: Int64) -> Bool {
    // Work that several clients share may answer others meanwhile.
    isAnswering = true
    defer { isAnswering = false }
    var slice = TimeSlice(until: deadline)
    var failure: WireError?
    do throws(WireError) {
      guard try work.advance(&slice) else { return false }
    } catch {
      failure = error
    }
    encode(id: id, into: &output) { (reply: inout CBORWriter) throws(WireError) in
      if let failure { throw failure }
      try work.write(into: &reply)
    }
    return true
  }

  private func checkSize(_ length: Int) throws(WireError) {
    guard length > limits.replyBytes else { return }
    throw .replyTooLarge(length, maximum: limits.replyBytes)
  }

  private func fail(_ id: UInt64, _ error: WireError) {
    counts.failed += 1
    output.appendError(id, error)
  }

  // MARK: Connections

  /// Connections open now.
  package var connectionCount: Int { table.count }
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
  /// It is closed without a word: a client that finds its connection closed between two requests connects again, while
  /// an error that nobody has asked for would be taken for the answer to its next request.
  ///
  /// - Returns: whether one was closed.
  func makeRoom(for peer: Peer) -> Bool {
    guard turnWithoutRoom != loop.turnNumber else { return false }
    guard let connection = table.disposable(for: peer) else {
      turnWithoutRoom = loop.turnNumber
      return false
    }
    counts.displaced += 1
    report(.displaced, connection.peer, "all places are taken, and this user has the most")
    connection.close()
    return true
  }

  /// Serves the client at `descriptor`.
  ///
  /// - Returns: the account to charge for it; nil if the loop cannot take it.
  func admit(_ descriptor: Int32, _ peer: Peer) -> ClientTurns.Account? {
    let account = table.open(peer, in: loop.clients)
    let connection = Connection(self, descriptor, peer: peer, account: account)
    do {
      try connection.open()
    } catch {
      report(.dropped, peer, "\(error)")
      Glibc.close(descriptor)
      table.closeIfEmpty(account, in: loop.clients)
      return nil
    }
    counts.accepted += 1
    table.insert(connection)
    connectionCame(connection)
    return account.turns
  }

  func forget(_ connection: Connection) {
    table.remove(connection)
    if connection.subscriptions > 0 {
      subscribers -= 1
      connection.account.subscribers -= 1
    }
    table.closeIfEmpty(connection.account, in: loop.clients)
    connectionLeft()
  }

  func countSubscriber(_ account: UserAccount) throws(WireError) {
    guard subscribers < limits.subscribers else { throw .busy(LimitName.subscribers, maximum: limits.subscribers) }
    guard account.subscribers < limits.subscribersPerUser else {
      throw .busy(LimitName.subscribersPerUser, maximum: limits.subscribersPerUser)
    }
    subscribers += 1
    account.subscribers += 1
  }

  // MARK: Reports

  /// Logs what was done to a connection of `peer`, once in a while for each user and reason.
  func report(_ action: ClientReports.Action, _ peer: Peer, _ reason: String) {
    let report = ClientReports.Report(action: action, user: peer.uid, reason: reason)
    guard let line = reports.add(report, now: linux_monotonic()) else { return }
    log.warning("\(line)")
    if reports.count == 1 { scheduleReports() }
  }

  private func scheduleReports() {
    loop.schedule(after: ClientReports.interval) { [unowned self] in
      logReports(now: linux_monotonic())
      if reports.count > 0 { scheduleReports() }
    }
  }

  /// Logs how many reports were left out in the intervals that are over at `now`.
  func logReports(now: Int64) {
    for line in reports.takeDue(now: now) { log.warning("\(line)") }
  }

  // MARK: Time limits

  /// Looks after frames that have begun and readers that do not read, once a second while there are any.
  func watchTime() {
    guard !timeIsWatched else { return }
    timeIsWatched = true
    let interval = min(limits.frameTime, limits.stallTime, 1_000_000_000)
    loop.schedule(after: interval) { [unowned self] in
      timeIsWatched = false
      let now = linux_monotonic()
      var goesOn = false
      for connection in table.all where connection.checkTime(now: now) { goesOn = true }
      if goesOn { watchTime() }
    }
  }
}

extension WireError {
  /// `frame-too-large` for an answer that has come to `length` bytes.
  package static func replyTooLarge(_ length: Int, maximum: Int) -> WireError {
    WireError(
      .frameTooLarge, "the answer has \(length) bytes, more than \(maximum); ask for less",
      data: ErrorData(limit: LimitName.reply, maximum: UInt64(maximum)))
  }

  /// `malformed` for bytes that are not a request, or for one beyond `limits`.
  static func malformed(_ error: CBORError, _ limits: CBORLimits) -> WireError {
    let data: ErrorData
    switch error.kind {
    case .limit("items"): data = ErrorData(limit: LimitName.items, maximum: UInt64(limits.items))
    case .limit("depth"): data = ErrorData(limit: LimitName.depth, maximum: UInt64(limits.depth))
    default: data = ErrorData(offset: UInt64(error.offset))
    }
    return WireError(.malformed, "no request: \(error)", data: data)
  }

  /// `unknown-method` for a name, shortened to what fits a line.
  static func unknownMethod(_ method: UnsafeRawBufferPointer, server: String) -> WireError {
    let name = String(decoding: method.prefix(64), as: UTF8.self)
    return WireError(.unknownMethod, "\(server) has no method \"\(name)\"; introspect lists those it has")
  }
}
