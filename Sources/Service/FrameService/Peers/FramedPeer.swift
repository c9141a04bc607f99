import CBOR
import CLinux
package import CitiesProtocol
import Glibc

/// A connection to another service, as one more descriptor of the loop: requests out, answers by id.
///
/// It never blocks and never retries: when the connection cannot be made or breaks, every open request gets the reason,
/// and the next request connects anew.
package final class FramedPeer: EventSource {
  /// Why a request has no answer.
  package enum Failure: Error, Equatable {
    /// No connection, or it broke; a sentence for people.
    case unreachable(String)
    /// There is a connection, but no answer came within the time given to a request; when that was sent, in seconds since
    /// 1970.
    case silent(since: Int64)
    /// The peer answered with an error.
    case refused(WireError)
  }

  /// The socket that is connected to.
  package let path: String
  private let loop: EventLoop
  private var descriptor: Int32 = -1
  private var registration: Registration?
  private var input = FrameAssembler(maximum: Frame.maximumReply)
  private var output = ByteBuffer()
  private var issued: UInt64 = 0
  private var waiting: [UInt64: Question] = [:]
  private let scratch: UnsafeMutableRawBufferPointer

  /// A request without an answer.
  private struct Question {
    let then: (Result<[UInt8], Failure>) -> Void
    /// The timer that ends the wait.
    var timer: TimerID?
  }

  /// A peer at `path`; nothing is connected yet.
  package init(_ loop: EventLoop, path: String) {
    self.loop = loop
    self.path = path
    scratch = .allocate(byteCount: 64 * 1024, alignment: 16)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    scratch.deallocate()
  }

  // MARK: Asking

  /// Asks, and calls `then` on the loop's thread with the answer or the reason why there is none.
  ///
  /// If no answer comes within `time` nanoseconds, the connection ends: answers come in the order of requests, so a later
  /// one would not come either. Every open request then fails with ``Failure/silent(since:)``. Without `time` it waits as
  /// long as the connection lasts.
  package func ask<Message: RequestMessage>(
    _ message: Message, within time: Int64? = nil, then: @escaping (Result<Message.Reply, Failure>) -> Void
  ) {
    issued += 1
    let id = issued
    var question = Question { answer in then(answer.flatMap { Self.decode(Message.self, from: $0) }) }
    if let time {
      let since = linux_realtime() / 1_000_000_000
      question.timer = loop.schedule(after: time) { [weak self] in self?.fail(.silent(since: since)) }
    }
    waiting[id] = question
    do {
      let payload = try CBOREncoder().encode(RequestEnvelope(id: id, message))
      Frame.framed(payload).withUnsafeBytes { output.append($0) }
      try connectIfNeeded()
      write()
    } catch {
      // In the next turn, so that `then` never runs before this call returns.
      loop.soon { [self] in fail("\(error)") }
    }
  }

  private static func decode<Message: RequestMessage>(
    _ type: Message.Type, from payload: [UInt8]
  ) -> Result<Message.Reply, Failure> {
    do {
      let envelope = try CBORDecoder().decode(ServerEnvelope<Message>.self, from: payload)
      if let result = envelope.result { return .success(result) }
      return .failure(envelope.error.map { .refused($0) } ?? .unreachable("an answer without result"))
    } catch {
      return .failure(.unreachable("an answer that cannot be read: \(error)"))
    }
  }

  /// Ends the connection, if there is one; the next request makes another.
  ///
  /// The loop keeps a connected peer alive, so who drops a peer without this leaves the connection open for ever.
  package func hangUp() { hangUp(because: "\(path) was hung up on") }

  /// The same, with the reason that open requests get.
  package func hangUp(because reason: String) { fail(reason) }

  // MARK: The connection

  private func connectIfNeeded() throws(SystemError) {
    guard registration == nil else { return }
    let descriptor = linux_socket()
    guard descriptor >= 0 else { throw SystemError("socket", path, result: descriptor) }
    // On a Unix socket connecting is immediate: it succeeds, or the queue is full, or nobody listens.
    let result = linux_connect(descriptor, path)
    guard result >= 0 else {
      close(descriptor)
      throw SystemError("connect", path, result: result)
    }
    self.descriptor = descriptor
    registration = try loop.add(self, descriptor, interest: linux_readable)
  }

  package func ready(_ events: UInt32) {
    if events & linux_writable != 0 { write() }
    guard registration != nil, events & ~linux_writable != 0 else { return }
    switch SocketIO.receive(descriptor, into: scratch) {
    case .nothing: break
    case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    case .end, .broken: fail("\(path) has closed the connection")
    }
  }

  private func take(_ chunk: UnsafeRawBufferPointer) {
    var rest = chunk
    while registration != nil {
      switch input.next(from: &rest) {
      case .needsMore: return
      case .tooLarge(let declared): return fail("\(path) announced a frame of \(declared) bytes")
      case .frame(let payload): finish(Array(payload))
      }
    }
  }

  private func finish(_ payload: [UInt8]) {
    struct Head: Decodable { var id: UInt64 }
    guard let head = try? CBORDecoder().decode(Head.self, from: payload) else {
      return fail("\(path) sent what is no answer")
    }
    guard let question = waiting.removeValue(forKey: head.id) else {
      // Id 0 is about the connection itself, such as `busy`.
      return fail("\(path) refused the connection: \(Self.reason(payload))")
    }
    if let timer = question.timer { loop.cancel(timer) }
    question.then(.success(payload))
  }

  private static func reason(_ payload: [UInt8]) -> String {
    struct Reason: Decodable { var error: WireError? }
    return (try? CBORDecoder().decode(Reason.self, from: payload))?.error?.message ?? "no reason given"
  }

  private func write() {
    guard let registration, !output.isEmpty else { return }
    guard let count = SocketIO.send(descriptor, output.bytes) else { return fail("\(path) has closed the connection") }
    output.consume(count)
    let write = output.isEmpty ? 0 : linux_writable
    loop.change(registration, interest: linux_readable | write)
  }

  private func fail(_ reason: String) { fail(.unreachable(reason)) }

  /// Ends the connection, and gives `failure` to every open request.
  private func fail(_ failure: Failure) {
    if let registration {
      loop.remove(registration)
      close(descriptor)
    }
    registration = nil
    descriptor = -1
    input = FrameAssembler(maximum: Frame.maximumReply)
    output = ByteBuffer()
    let abandoned = waiting.sorted { $0.key < $1.key }
    waiting = [:]
    for (_, question) in abandoned { if let timer = question.timer { loop.cancel(timer) } }
    for (_, question) in abandoned { question.then(.failure(failure)) }
  }
}
