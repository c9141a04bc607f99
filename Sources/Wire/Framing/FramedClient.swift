@_exported public import Base
internal import CitiesProtocol

/// The client side of a connection, as a value: requests and received bytes in, bytes to send and answers out.
///
/// ```swift
/// var client = FramedClient()
/// client.send(try EncodedRequest(CitySearch(prefix: "alb"), id: 1), at: now, deadline: now + 2_000_000_000)
/// client.didSend(write(client.unsent))
/// while case .incomplete = client.next() { _ = client.receive { memory in read(memory) } }
/// ```
///
/// It makes no system calls and reads no clock: a driver owns the socket, waits, and passes in the time. The blocking
/// client, the full-screen browser and the connection between the servers are its three drivers.
///
/// Replies arrive in the order of requests (`Protocol/README.md`, "Order and pipelining"), so a reply belongs to the
/// oldest pending request, and any other id is a fault, after which no frame can be attributed. A request that expects
/// events leaves a subscription; its events may arrive between the replies to later requests.
///
/// Times are nanoseconds on one monotonic clock of the driver's choice.
package struct FramedClient: ~Copyable {
  /// Why no further frame can be attributed, so that the connection is unusable.
  package enum Fault: Error, Equatable {
    /// A header declares more bytes than the protocol allows for a reply.
    case oversized(declared: UInt32)
    /// A frame carries an id that is neither that of the oldest request nor of a subscription.
    case unexpectedReply(id: UInt64, expected: UInt64?)
  }

  /// Something received from the server; payloads are valid until the client is used again.
  package enum Incoming {
    /// The reply to the oldest request: a result or an error.
    case reply(id: UInt64, UnsafeRawBufferPointer)
    /// An event for a subscription.
    case event(id: UInt64, UnsafeRawBufferPointer)
    /// An error with id 0: the server could not read the oldest request, or refuses the connection.
    case refusal(id: UInt64?, UnsafeRawBufferPointer)
    /// A payload without a readable head, instead of the reply to the oldest request.
    case unreadable(id: UInt64?, UnsafeRawBufferPointer)
    /// The connection is unusable; further calls repeat the fault.
    case fault(Fault)
    /// No complete frame is left: receive more.
    case incomplete
  }

  /// Bytes of memory kept between replies.
  private static let keptMemory = 256 * 1024

  struct Pending {
    var id: UInt64
    var sentAt: Int64
    var deadline: Int64?
    var expectsEvents: Bool
  }

  private var input = FrameAssembler(maximum: Frame.maximumReply, keeping: keptMemory)
  private var output = ByteBuffer()
  /// The pending requests, oldest first.
  private(set) var pending: [Pending] = []
  private var subscriptions: [UInt64] = []
  private var fault: Fault?

  /// Makes a client for a new connection.
  package init() {}

  // MARK: Requests

  /// Queues `request` at the time `now`; its reply is due at `deadline`, if there is one.
  package mutating func send(_ request: EncodedRequest, at now: Int64, deadline: Int64? = nil) {
    request.frame.withUnsafeBytes { output.append($0) }
    pending.append(
      Pending(id: request.id, sentAt: now, deadline: deadline, expectsEvents: request.expectsEvents))
  }

  /// The bytes to send next; valid until the client is used again.
  package var unsent: UnsafeRawBufferPointer { output.bytes }

  /// Whether there are bytes to send.
  package var hasUnsent: Bool { !output.isEmpty }

  /// Drops the first `count` bytes of ``unsent``, which were sent.
  package mutating func didSend(_ count: Int) { output.consume(count) }

  // MARK: Time

  /// When the oldest pending request was sent; `nil` if none is pending.
  package var oldestSending: Int64? { pending.first?.sentAt }

  /// The earliest deadline of a pending request; `nil` if there is none.
  ///
  /// - Complexity: O(*n*) in the pending requests.
  package var nextDeadline: Int64? { pending.lazy.compactMap(\.deadline).min() }

  /// When the first request that is overdue at `now` was sent; `nil` if none is.
  ///
  /// Later replies cannot overtake an overdue one, so a driver then closes the connection.
  package func overdueSending(at now: Int64) -> Int64? {
    pending.first { $0.deadline.map { $0 <= now } ?? false }?.sentAt
  }

  // MARK: Answers

  /// Calls `read` to receive bytes into the client's memory and return their number, like recv(2).
  ///
  /// - Returns: The result of `read`; 0 or less changes nothing.
  package mutating func receive(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int { input.fill(read) }

  /// The next item among the bytes received.
  package mutating func next() -> Incoming {
    if let fault { return .fault(fault) }
    switch input.nextReceived() {
    case .needsMore: return .incomplete
    case .tooLarge(let declared): return fail(.oversized(declared: declared))
    case .frame(let payload): return incoming(payload)
    }
  }

  private mutating func incoming(_ payload: UnsafeRawBufferPointer) -> Incoming {
    guard let head = ReplyHead(payload.bytes) else { return .unreadable(id: removeOldest()?.id, payload) }
    if let oldest = pending.first, oldest.id == head.id {
      pending.removeFirst()
      if oldest.expectsEvents && head.kind == .result { subscriptions.append(head.id) }
      return .reply(id: head.id, payload)
    }
    if head.id == 0 && head.kind == .error { return .refusal(id: removeOldest()?.id, payload) }
    if let index = subscriptions.firstIndex(of: head.id) {
      if head.kind == .event { return .event(id: head.id, payload) }
      subscriptions.remove(at: index)
      return .reply(id: head.id, payload)
    }
    return fail(.unexpectedReply(id: head.id, expected: pending.first?.id))
  }

  private mutating func removeOldest() -> Pending? { pending.isEmpty ? nil : pending.removeFirst() }

  private mutating func fail(_ fault: Fault) -> Incoming {
    self.fault = fault
    return .fault(fault)
  }
}
