import Glibc
import Logging
package import System

/// The state of a service between its start and its end.
struct Lifecycle {
  /// The listener, while the service runs.
  var listener: Listener?
  /// It is stopping: only connections that were already waiting are accepted.
  var isDraining = false
  /// It is stopping, and some of the waiting connections may not be accepted yet.
  var hasBacklog = false
  /// It serves a single connection that it inherited, and ends with it.
  var isPrivate = false
  /// The timer that ends an idle service.
  var idle: TimerID?
  /// The timer that wakes a paused listener.
  var pause: TimerID?
  /// The last time at which ``FramedService/warnOfLimit(_:)`` logged.
  var lastWarning = Int64.min / 2
}

extension FramedService {
  /// Whether it is stopping.
  package var isDraining: Bool { lifecycle.isDraining }

  /// Serves `socket` until a signal, ``stop(_:)`` or idleness ends it; returns after answering everything received.
  ///
  /// It reports READY to the service manager at once: resident data was loaded before, and clients may already be
  /// waiting.
  /// - Parameters:
  ///   - socket: The listening socket; its path is removed at the end if this process created it.
  ///   - signals: Whether to handle SIGTERM, SIGINT and SIGHUP, which ``Signals/block()`` has blocked.
  /// - Throws: ``SystemError`` if no descriptor is available or waiting fails.
  package func run(on socket: ListeningSocket, signals: Bool = true) throws(SystemError) {
    let listener = Listener(self, socket)
    lifecycle.listener = listener
    if signals { _ = try Signals(loop) { [unowned self] in handle($0) } }
    listener.resume()
    defer { finish(listener) }
    ServiceManager.ready()
    feedWatchdog()
    watchIdleness()
    try loop.run()
  }

  /// Serves the one client at `descriptor`, a connected Unix socket, until it disconnects.
  ///
  /// It does not listen, handles no signals, and reports nothing to the service manager.
  ///
  /// - Throws: ``ServiceError`` with the exit code for wrong usage if `descriptor` is not such a socket; with another
  ///   one if no descriptor is available or waiting fails.
  package func serve(connection descriptor: Int32) throws(ServiceError) {
    guard let peer = identify(descriptor) else {
      throw ServiceError("standard input is not a connected Unix socket: citiesctl starts a private server", .usage)
    }
    lifecycle.isPrivate = true
    do throws(SystemError) {
      try admit(descriptor, peer)
      try loop.run()
    } catch {
      throw ServiceError(error)
    }
  }

  /// Stops the service: answers everything received, then lets ``run(on:signals:)`` return.
  package func stop(_ reason: String) {
    guard !isDraining else { return }
    lifecycle.isDraining = true
    log.info("stopping: \(reason)", metadata: .event(.stopping))
    ServiceManager.stopping()
    stopListening()
    onDrain?()
    for connection in connections { connection.drain() }
    acceptBacklog()
    loop.schedule(after: limits.drainTime) { [unowned self] in
      if connectionCount > 0 {
        log.warning(
          "\(connectionCount) connections were not served to their end in time", metadata: .event(.limitReached))
      }
      loop.stop()
    }
    leaveIfDone()
  }

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGHUP: reload()
    case SIGINT: stop("SIGINT")
    default: stop("SIGTERM")
    }
  }

  private func reload() {
    guard !isDraining else { return }
    ServiceManager.reloading()
    guard let onReload else { return ServiceManager.ready() }
    onReload { ServiceManager.ready() }
  }

  private func feedWatchdog() {
    guard let interval = ServiceManager.watchdogInterval else { return }
    ServiceManager.watchdog()
    loop.schedule(after: interval) { [unowned self] in feedWatchdog() }
  }

  private func finish(_ listener: Listener) {
    for connection in connections { connection.close() }
    logReports(now: .max)
    listener.pause()
    listener.socket.removePath()
    close(listener.socket.descriptor)
    lifecycle.listener = nil
    ServiceManager.waitUntilRead()
  }

  // MARK: Stopping

  /// Stops accepting connections.
  ///
  /// With a socket of the service manager, waiting clients stay for the next instance; with our own there is none, so
  /// they are accepted and answered.
  private func stopListening() {
    guard let listener = lifecycle.listener else { return }
    if let pause = lifecycle.pause { loop.cancel(pause) }
    listener.pause()
    guard !listener.socket.isActivated else { return }
    listener.socket.removePath()
    lifecycle.hasBacklog = true
  }

  /// Accepts the connections that were waiting when listening ended, some per turn: there may be hundreds, and others
  /// wait for their answers meanwhile.
  private func acceptBacklog() {
    guard lifecycle.hasBacklog, let listener = lifecycle.listener else { return }
    guard !listener.acceptSome() else { return loop.soon { [unowned self] in acceptBacklog() } }
    lifecycle.hasBacklog = false
    leaveIfDone()
  }

  private func leaveIfDone() {
    guard connectionCount == 0, !lifecycle.hasBacklog else { return }
    if isDraining || lifecycle.isPrivate { loop.stop() }
  }

  // MARK: Connections

  func connectionCame(_ connection: Connection) {
    if let idle = lifecycle.idle {
      loop.cancel(idle)
      lifecycle.idle = nil
    }
    if isDraining { connection.drain() }
  }

  func connectionLeft() {
    if lifecycle.pause != nil { resumeListening() }
    guard connectionCount == 0 else { return }
    leaveIfDone()
    watchIdleness()
  }

  /// Logs that connections have reached a limit of the process, at most once in ten seconds.
  func warnOfLimit(_ message: @autoclosure () -> Logger.Message) {
    let now = MonotonicClock.nanoseconds()
    guard now - lifecycle.lastWarning > 10_000_000_000 else { return }
    lifecycle.lastWarning = now
    log.warning(message(), metadata: .event(.limitReached))
  }

  /// Pauses the listener after descriptors or memory ran out, until a connection closes, or briefly: others may free
  /// some.
  func listenerPaused() {
    lifecycle.pause = loop.schedule(after: limits.acceptPause) { [unowned self] in resumeListening() }
  }

  private func resumeListening() {
    if let pause = lifecycle.pause { loop.cancel(pause) }
    lifecycle.pause = nil
    if !isDraining { lifecycle.listener?.resume() }
  }

  // MARK: Idleness

  private func watchIdleness() {
    guard let idleExit, lifecycle.idle == nil, connectionCount == 0, !isDraining else { return }
    scheduleLeaving(after: idleExit)
  }

  private func scheduleLeaving(after delay: Int64) {
    lifecycle.idle = loop.schedule(after: delay) { [unowned self] in
      lifecycle.idle = nil
      leaveIfIdle()
    }
  }

  /// Stops, unless a client waits at the socket or work is in progress.
  func leaveIfIdle() {
    let mayHaveMore = lifecycle.listener?.acceptSome() ?? false
    guard connectionCount == 0, lifecycle.idle == nil else { return }
    // Clients that did not fit in the time of this turn come first, in the next one.
    if mayHaveMore { return scheduleLeaving(after: 0) }
    guard loop.offloaded == 0, !isBusy() else { return watchIdleness() }
    stop("idle for \((idleExit ?? 0) / 1_000_000_000) s")
  }
}
