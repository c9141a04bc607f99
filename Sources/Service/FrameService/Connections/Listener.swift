import CBOR
import CLinux
import CitiesProtocol
import Glibc
import System

/// Accepts connections from a listening socket, or refuses them with the reason.
final class Listener: EventSource {
  private unowned let service: FramedService
  let socket: ListeningSocket
  private var registration: Registration?
  /// A descriptor in reserve: without any other, waiting clients can still be refused with the reason.
  private var spare: Int32
  /// The last turn of the loop in which connections were accepted.
  private var lastTurn: UInt64 = 0
  /// Accepts a connection from a listening descriptor; returns its descriptor, or a negative error number.
  var accept: (Int32) -> Int32 = { linux_accept($0) }

  init(_ service: FramedService, _ socket: ListeningSocket) {
    self.service = service
    self.socket = socket
    spare = linux_open_spare()
  }

  deinit { if spare >= 0 { close(spare) } }

  // MARK: In and out of the loop

  /// Starts to accept connections.
  func resume() {
    guard registration == nil else { return }
    do throws(SystemError) {
      registration = try service.loop.add(self, socket.descriptor, interest: linux_readable)
    } catch {
      service.warnOfLimit("no new connections for now: \(error)")
      service.listenerPaused()
    }
  }

  /// Stops accepting until ``resume()``; clients wait in the kernel.
  func pause() {
    guard let registration else { return }
    self.registration = nil
    service.loop.remove(registration)
  }

  /// Whether it accepts connections.
  var isListening: Bool { registration != nil }

  func ready(_ events: UInt32) {
    // The event repeats while clients are waiting, even within one turn of the loop.
    guard lastTurn != service.loop.turnNumber else { return }
    lastTurn = service.loop.turnNumber
    _ = acceptSome()
  }

  // MARK: Accepting

  /// Accepts waiting clients, up to the limits per turn.
  ///
  /// - Returns: Whether more may be waiting.
  func acceptSome() -> Bool {
    var now = MonotonicClock.nanoseconds()
    let end = now &+ service.limits.acceptTime
    for _ in 0..<service.limits.acceptsPerTurn where now < end {
      let descriptor = accept(socket.descriptor)
      switch -descriptor {
      case ...0: now = take(descriptor, since: now)
      case EAGAIN: return false
      case EMFILE, ENFILE:
        return acceptWithoutDescriptors(until: end)
      case ENOBUFS, ENOMEM:
        service.warnOfLimit("no memory for another connection beside \(service.connectionCount)")
        pauseBriefly()
        return false
      // EINTR, ECONNABORTED and other errors of this connection alone: try the next.
      default: now = MonotonicClock.nanoseconds()
      }
    }
    return true
  }

  /// Serves or refuses a client, and charges its user for the time since `start`.
  ///
  /// A refused client is charged, too: otherwise a user at the limit would get free time by trying to connect.
  ///
  /// - Returns: The current time.
  private func take(_ descriptor: Int32, since start: Int64) -> Int64 {
    // Without a known user, no limit could apply.
    guard let peer = service.peer(of: descriptor) else {
      close(descriptor)
      return MonotonicClock.nanoseconds()
    }
    if let reason = service.reasonToRefuse(peer) {
      refuse(descriptor, reason)
    } else {
      try? service.admit(descriptor, peer)
    }
    return charge(peer, since: start)
  }

  /// Charges the user of `peer`, who may have no connection, for the time since `start`.
  ///
  /// - Returns: The current time.
  private func charge(_ peer: Peer, since start: Int64) -> Int64 {
    let now = MonotonicClock.nanoseconds()
    service.loop.clients.charge(user: peer.account, time: now &- start)
    return now
  }

  /// Sends the client the reason and closes.
  ///
  /// Its input is read first: closing with unread bytes would reset the connection, and the reason might be lost.
  private func refuse(_ descriptor: Int32, _ reason: WireError) {
    service.answerer.counts.refused += 1
    withUnsafeTemporaryAllocation(byteCount: service.limits.requestBytes + Frame.headerSize, alignment: 1) { memory in
      _ = SocketIO.receive(descriptor, into: memory)
    }
    var reply = ReplyBuffer(capacity: 256)
    reply.appendError(0, reason)
    reply.writer.withUnsafeBytes { _ = SocketIO.send(descriptor, $0) }
    close(descriptor)
  }

  // MARK: Out of descriptors

  /// Accepts waiting clients with the spare descriptor: for each, another user's connection is closed, or it is
  /// refused.
  ///
  /// Then the listener pauses: a readable socket that cannot be served would keep the loop spinning.
  ///
  /// - Returns: Whether clients may be left at `end`, the end of this turn's time.
  private func acceptWithoutDescriptors(until end: Int64) -> Bool {
    service.warnOfLimit("out of descriptors with \(service.connectionCount) connections; raise LimitNOFILE=")
    var mayHaveMore = false
    if spare >= 0 {
      close(spare)
      mayHaveMore = acceptWithSpare(until: end)
    }
    spare = linux_open_spare()
    if !mayHaveMore { pauseBriefly() }
    return mayHaveMore
  }

  /// Accepts at least one client, and others until `end`, up to the limit per turn, while there is a descriptor.
  ///
  /// - Returns: Whether more may be waiting.
  private func acceptWithSpare(until end: Int64) -> Bool {
    var now = MonotonicClock.nanoseconds()
    var left = service.limits.acceptsPerTurn
    repeat {
      left -= 1
      let descriptor = accept(socket.descriptor)
      guard descriptor >= 0 else { return false }
      let peer = service.peer(of: descriptor)
      if let peer, service.makeRoom(for: peer) {
        now = take(descriptor, since: now)
      } else {
        refuse(descriptor, .busy(LimitName.descriptors, maximum: service.connectionCount))
        now = peer.map { charge($0, since: now) } ?? MonotonicClock.nanoseconds()
      }
    } while now < end && left > 0
    return true
  }

  private func pauseBriefly() {
    guard isListening else { return }
    pause()
    service.listenerPaused()
  }
}
