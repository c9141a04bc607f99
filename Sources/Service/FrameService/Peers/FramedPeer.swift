import CBOR
import CLinux
package import CitiesProtocol
import Framing
import Glibc
import System

/// A client connection to another service on the same event loop, with replies matched by id.
///
/// It never blocks and never retries: if it cannot connect or the connection breaks, every open request fails with the
/// reason, and the next request connects again.
package final class FramedPeer: EventSource {
  /// The reason why a request has no reply.
  package enum Failure: Error, Equatable {
    /// There is no connection, or it broke; the text is a sentence for people.
    case unreachable(String)
    /// There was no reply within the timeout of a request, which was sent at this time in seconds since 1970.
    case silent(since: Int64)
    /// The peer replied with an error.
    case refused(WireError)
  }

  /// The path of the peer's socket.
  package let path: String
  private let loop: EventLoop
  private let isNamed: Bool
  private var descriptor: Int32 = -1
  private var registration: Registration?
  private var client = FramedClient()
  private var lastID: UInt64 = 0
  /// The completions of open requests; the bytes are valid during the call.
  private var completions: [UInt64: (Result<UnsafeRawBufferPointer, Failure>) -> Void] = [:]
  /// The timer for the earliest deadline, and that deadline.
  private var timer: (id: TimerID, deadline: Int64)?

  /// Creates a peer at `path`, not connected yet.
  ///
  /// At a path that no user has named, only a service of root, of this user or of a system user is used: others may
  /// have put theirs there.
  package init(_ loop: EventLoop, path: String, isNamed: Bool = true) {
    (self.loop, self.path, self.isNamed) = (loop, path, isNamed)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  // MARK: Asking

  /// Sends a request, and calls `then` on the loop thread with the reply or the reason why there is none.
  ///
  /// After `time` nanoseconds without a reply, the connection is closed: replies arrive in the order of requests, so a
  /// later one would not arrive either. Every open request then fails with ``Failure/silent(since:)``. Without `time`
  /// it waits as long as the connection exists.
  package func ask<Message: RequestMessage>(
    _ message: Message, within time: Int64? = nil, then: @escaping (Result<Message.Reply, Failure>) -> Void
  ) {
    lastID += 1
    completions[lastID] = { payload in then(payload.flatMap { Self.decode(Message.self, from: $0) }) }
    do {
      let now = MonotonicClock.nanoseconds()
      client.send(try EncodedRequest(message, id: lastID), at: now, deadline: time.map { now &+ max(0, $0) })
      try connectIfNeeded()
      setTimer()
      // Later, like the failure below: if sending fails, `then` must not run before this call returns.
      loop.soon { [self] in write() }
    } catch {
      let reason = (error as? SystemError)?.operationFirst ?? "\(error)"
      loop.soon { [self] in fail(reason) }
    }
  }

  private static func decode<Message: RequestMessage>(
    _ type: Message.Type, from payload: UnsafeRawBufferPointer
  ) -> Result<Message.Reply, Failure> {
    do {
      return try ServerEnvelope<Message>.answer(in: payload).mapError { .refused($0) }
    } catch {
      return .failure(.unreachable("an answer that cannot be read: \(error)"))
    }
  }

  /// Closes the connection, if there is one; open requests fail with `reason`, and the next request opens another.
  ///
  /// The loop retains a connected peer: releasing a peer without this call leaves the connection open.
  package func hangUp(because reason: String? = nil) { fail(reason ?? "the connection to \(path) was closed here") }

  // MARK: The connection

  private func connectIfNeeded() throws(SystemError) {
    guard registration == nil else { return }
    let descriptor = UnixSocket.make()
    guard descriptor >= 0 else { throw SystemError("socket", path, result: descriptor) }
    // Connecting to a Unix socket is immediate: it succeeds, the queue is full, or there is no listener.
    let result = UnixSocket.connect(descriptor, to: path)
    guard result >= 0 else {
      close(descriptor)
      throw SystemError("connect", path, result: result)
    }
    do throws(SystemError) {
      if !isNamed { try requireTrusted(UnixSocket.peerUser(descriptor)) }
      registration = try loop.add(self, descriptor, interest: linux_readable)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  private func requireTrusted(_ user: UInt32?) throws(SystemError) {
    if let user, user == geteuid() || user <= ProcessEnvironment.highestSystemUser { return }
    let owner = user.map { "user \($0)" } ?? "an unknown user"
    throw SystemError(path: path, refused: "it belongs to \(owner), so it is not used")
  }

  package func ready(_ events: UInt32) {
    if events & linux_writable != 0 { write() }
    guard registration != nil, events & ~linux_writable != 0 else { return }
    let received = client.receive { linux_receive(descriptor, $0.baseAddress, $0.count) }
    if received > 0 { return takeIncoming() }
    if received != -Int(EAGAIN) && received != -Int(EINTR) { fail("\(path) has closed the connection") }
  }

  private func takeIncoming() {
    while registration != nil {
      switch client.next() {
      case .incomplete: return setTimer()
      case .reply(let id, let payload): completions.removeValue(forKey: id)?(.success(payload))
      case .refusal(_, let payload): fail("\(path) refused the connection: \(Self.reason(payload))")
      case .unreadable, .event: fail("\(path) sent something other than an answer")
      case .fault(.oversized(let declared)): fail("\(path) announced a frame of \(declared) bytes")
      case .fault(.unexpectedReply(let id, _)): fail("\(path) answered the request \(id), which is not open")
      }
    }
  }

  private static func reason(_ payload: UnsafeRawBufferPointer) -> String {
    struct Reason: Decodable { var error: WireError? }
    return (try? CBORDecoder(limits: .reply).decode(Reason.self, from: payload.bytes))?.error?.message
      ?? "no reason given"
  }

  private func write() {
    guard let registration, client.hasUnsent else { return }
    guard let count = SocketIO.send(descriptor, client.unsent) else { return fail("\(path) has closed the connection") }
    client.didSend(count)
    loop.change(registration, interest: linux_readable | (client.hasUnsent ? linux_writable : 0))
  }

  /// Schedules a call at the earliest deadline; an unnecessarily early call sets the timer again.
  private func setTimer() {
    let deadline = client.nextDeadline
    if let timer {
      if let deadline, timer.deadline <= deadline { return }
      loop.cancel(timer.id)
    }
    timer = deadline.map { deadline in
      (
        loop.schedule(after: deadline &- MonotonicClock.nanoseconds()) { [weak self] in self?.checkDeadline() },
        deadline
      )
    }
  }

  private func checkDeadline() {
    timer = nil
    let now = MonotonicClock.nanoseconds()
    guard let sent = client.overdueSending(at: now) else { return setTimer() }
    fail(.silent(since: (SystemClock.nanoseconds() &- (now &- sent)) / 1_000_000_000))
  }

  private func fail(_ reason: String) { fail(.unreachable(reason)) }

  /// Closes the connection, and fails every open request with `failure`.
  private func fail(_ failure: Failure) {
    if let registration {
      loop.remove(registration)
      close(descriptor)
    }
    if let timer { loop.cancel(timer.id) }
    (registration, descriptor, timer) = (nil, -1, nil)
    client = FramedClient()
    let abandoned = completions.sorted { $0.key < $1.key }
    completions = [:]
    for (_, completion) in abandoned { completion(.failure(failure)) }
  }
}
