import CBOR
import CLinux
import CitiesProtocol
import Glibc

/// Takes connections from a listening socket, or tells them why not.
final class Listener: EventSource {
  private unowned let service: FramedService
  let socket: ListeningSocket
  private var registration: Registration?
  /// A descriptor kept for the day there is none left: with it a waiting client can be told so.
  private var spare: Int32

  init(_ service: FramedService, _ socket: ListeningSocket) {
    self.service = service
    self.socket = socket
    spare = linux_open_spare()
  }

  deinit { if spare >= 0 { close(spare) } }

  // MARK: In and out of the loop

  /// Takes connections from now on.
  func resume() {
    guard registration == nil else { return }
    registration = try? service.loop.add(self, socket.descriptor, interest: linux_readable)
  }

  /// Takes none until ``resume()``; they wait in the kernel.
  func pause() {
    guard let registration else { return }
    self.registration = nil
    service.loop.remove(registration)
  }

  /// Whether it takes connections.
  var isListening: Bool { registration != nil }

  func ready(_ events: UInt32) { _ = acceptSome() }

  // MARK: Accepting

  /// Accepts what waits, up to the limit a turn.
  ///
  /// - Returns: whether more may wait.
  func acceptSome() -> Bool {
    for _ in 0..<service.limits.acceptsPerTurn {
      let descriptor = linux_accept(socket.descriptor)
      switch -descriptor {
      case ...0: take(descriptor)
      case EAGAIN: return false
      case EMFILE, ENFILE:
        refuseForLackOfDescriptors()
        return false
      case ENOBUFS, ENOMEM:
        pauseBriefly()
        return false
      // EINTR, ECONNABORTED and whatever concerns this one connection only: on to the next.
      default: continue
      }
    }
    return true
  }

  private func take(_ descriptor: Int32) {
    // Without knowing its user no limit could hold it.
    guard let peer = Peer(of: descriptor) else {
      close(descriptor)
      return
    }
    if let reason = service.reasonToRefuse(peer) { return refuse(descriptor, reason) }
    service.admit(descriptor, peer)
  }

  /// Tells the client why and closes.
  ///
  /// What it has sent already is read first: closing on unread bytes would reset the connection, and the reason might
  /// be lost with it.
  private func refuse(_ descriptor: Int32, _ reason: WireError) {
    service.counts.refused += 1
    _ = linux_receive(descriptor, service.scratch.baseAddress, service.scratch.count)
    var buffer = ReplyBuffer()
    buffer.appendError(0, reason)
    buffer.writer.withUnsafeBytes { _ = linux_send(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  // MARK: Without descriptors

  /// Gives up the spare descriptor to tell waiting clients, then pauses: a listener that stays readable and cannot be
  /// served would keep the loop spinning.
  private func refuseForLackOfDescriptors() {
    if spare >= 0 {
      close(spare)
      for _ in 0..<service.limits.acceptsPerTurn {
        let descriptor = linux_accept(socket.descriptor)
        guard descriptor >= 0 else { break }
        refuse(descriptor, .busy(LimitName.descriptors, maximum: service.connectionCount))
      }
    }
    spare = linux_open_spare()
    pauseBriefly()
  }

  private func pauseBriefly() {
    guard isListening else { return }
    pause()
    service.listenerPaused()
  }
}
