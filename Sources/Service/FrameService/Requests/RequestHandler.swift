import Base
package import CBOR
package import CitiesProtocol
package import Coroutines

/// Answers one method: a ``RequestHandler`` or a ``StrictRequestHandler``, which differ in who validates the
/// parameters.
package protocol MethodHandler: AnyObject {
  /// The method's name on the wire.
  var method: String { get }
  /// Whether it reads unchecked parameters; determined by the kind of handler.
  var isStrict: Bool { get }
  /// Reads the parameters according to the kind of handler, and appends the result; for the service alone.
  func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer
}

/// A handler of a message whose encoding the service has already checked: one map in deterministic encoding.
package protocol RequestHandler: MethodHandler {
  /// The message to answer.
  associatedtype Message: RequestMessage

  /// Appends the result, one CBOR item, to `reply`, or throws the error to send instead.
  ///
  /// It runs on the loop thread and must not block. Its output is removed if it throws.
  func answer(_ params: Message, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer
}

/// A handler that validates its parameters itself, because it reads every byte of them: valid requests are read once.
///
/// The types enforce that. It gets only a strict reader, it answers only after ``read(_:)`` has returned, and the
/// service requires that the reader is at its end.
package protocol StrictRequestHandler: MethodHandler {
  /// The parsed parameters.
  associatedtype Params

  /// Parses the map of parameters to its end, and does nothing else.
  ///
  /// - Throws: `invalid-params`.
  func read(_ params: inout CBORReader) throws(WireError) -> Params

  /// Answers like ``RequestHandler/answer(_:for:into:)``.
  func answer(_ params: Params, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer
}

extension RequestHandler {
  /// The name of its message.
  @inlinable
  package var method: String { Message.method }
  /// Always `false`: the service checks its parameters.
  @inlinable
  package var isStrict: Bool { false }

  /// Answers a checked request.
  @inlinable
  package func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try answer(try request.decode(Message.self), for: request.caller, into: &reply)
  }
}

extension StrictRequestHandler {
  /// Always `true`: it checks its parameters.
  @inlinable
  package var isStrict: Bool { true }

  /// Reads all of the parameters and answers.
  @inlinable
  package func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    // It reads the values of the map, not the map as one item.
    var reader = CBORReader(request.params, limits: request.limits.inside)
    let params = try read(&reader)
    guard reader.isAtEnd else { throw UncheckedRequest.unreadParams }
    return try answer(params, for: request.caller, into: &reply)
  }
}

/// A request with unread parameters.
///
/// Only the two kinds of handlers can read them.
package struct UncheckedRequest {
  /// Bytes that start like a map.
  @usableFromInline let params: UnsafeRawBufferPointer
  /// The limits of the parameters.
  @usableFromInline let limits: CBORLimits
  @usableFromInline let caller: Caller

  init(params: UnsafeRawBufferPointer, limits: CBORLimits, caller: Caller) {
    (self.params, self.limits, self.caller) = (params, limits, caller)
  }

  /// The parameters as a message.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  @usableFromInline func decode<Message: Decodable>(_ type: Message.Type) throws(WireError) -> Message {
    try Self.decoding { try CBORDecoder().decode(type, from: params.bytes) }
  }

  /// The result of decoding parameters in `body`.
  ///
  /// - Throws: `invalid-params` if it cannot be decoded.
  package static func decoding<Message>(_ body: () throws -> Message) throws(WireError) -> Message {
    do {
      return try body()
    } catch let error as CBORError {
      throw .invalidParams(error)
    } catch {
      throw WireError(.invalidParams, "the parameters cannot be read: \(error)")
    }
  }

  /// `invalid-params` for bytes left unread by a strict handler.
  @usableFromInline package static var unreadParams: WireError {
    WireError(.invalidParams, "the parameters are not one map")
  }
}

/// The connection of the current request.
package struct Caller {
  /// The request's id.
  package let id: UInt64
  // The loop retains it while a request is answered.
  unowned(unsafe) let connection: Connection

  init(_ connection: Connection, id: UInt64) { (self.connection, self.id) = (connection, id) }

  /// The peer that sent the request.
  package var peer: Peer { connection.peer }

  /// Identifies the connection, for values that handlers keep per connection; see ``PerConnection``.
  package var connectionID: ConnectionID { connection.id }

  /// Creates a deferred answer, which the handler promises by returning it as ``Answer/later(_:)``.
  ///
  /// Until it is given, later requests on the same connection wait; other connections do not. The promise ends when the
  /// connection closes: see ``PendingReply/onCancel(_:)``.
  ///
  /// - Throws: `busy` if too many requests of the user are waiting.
  package func later() throws(WireError) -> PendingReply {
    try connection.account.requireRoomForPromise()
    return PendingReply(connection, id: id)
  }

  /// Subscribes the connection to events, under this request's id.
  ///
  /// - Throws: `busy` if there are too many subscriptions.
  package func subscribe() throws(WireError) -> Subscription { try connection.subscribe(id: id) }
}

/// The outcome of a request.
package enum Answer {
  /// The result is in the reply.
  case written
  /// The answer of ``Caller/later()`` follows.
  case later(PendingReply)
  /// The result may take long: the function runs in slices, and returns a writer of the result; see ``Computation``.
  case computed((Budget) async throws -> ResultWriter)
}

// MARK: - All handlers

/// Handlers by method name: two dozen, searched linearly, frequent ones first.
struct HandlerTable: ~Copyable {
  /// A handler and its method's name.
  struct Entry {
    fileprivate let name: MethodName
    let isStrict: Bool
    /// Retained by the table, not for each request.
    unowned(unsafe) let handler: any MethodHandler
  }

  // Allocated manually: an array would be retained and released for every request.
  private let entries: UnsafeMutableBufferPointer<Entry>
  private let names: UnsafeMutableRawBufferPointer
  private let handlers: [any MethodHandler]

  /// Creates a table; the first handler of a name wins.
  ///
  /// Frequently used ones should come first.
  init(_ handlers: [any MethodHandler]) {
    self.handlers = handlers
    entries = .allocate(capacity: handlers.count)
    names = .allocate(byteCount: handlers.reduce(0) { $0 + $1.method.utf8.count }, alignment: 1)
    var start = 0
    for (index, handler) in handlers.enumerated() {
      let name = UnsafeMutableRawBufferPointer(rebasing: names[start..<start + handler.method.utf8.count])
      name.copyBytes(from: handler.method.utf8)
      start += name.count
      entries.initializeElement(
        at: index,
        to: Entry(name: MethodName(UnsafeRawBufferPointer(name)), isStrict: handler.isStrict, handler: handler))
    }
  }

  deinit {
    entries.deinitialize()
    entries.deallocate()
    names.deallocate()
  }

  /// The entry of the handler for `method`; valid as long as the table.
  ///
  /// - Complexity: O(handlers), no allocation.
  @inline(__always)
  func find(_ method: UnsafeRawBufferPointer) -> UnsafePointer<Entry>? {
    guard let first = entries.baseAddress else { return nil }
    let method = MethodName(method)
    for index in 0..<entries.count where first[index].name.isEqual(to: method) {
      return UnsafePointer(first + index)
    }
    return nil
  }
}

/// A method name for fast comparison: up to 16 bytes are compared by their first and their last eight.
private struct MethodName {
  private let bytes: UnsafeRawBufferPointer
  private let first: UInt64
  private let last: UInt64

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    if bytes.count >= 8 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
    } else {
      first = bytes.reduce(0) { $0 << 8 | UInt64($1) }
      last = 0
    }
  }

  @inline(__always)
  func isEqual(to other: MethodName) -> Bool {
    guard first == other.first, last == other.last, bytes.count == other.bytes.count else { return false }
    return bytes.count <= 16 || bytes.elementsEqual(other.bytes)
  }
}

// MARK: - Output of handlers

extension CBORWriter {
  /// Appends the deterministic encoding of `value`.
  ///
  /// - Throws: `internal` if it has none, such as NaN.
  package mutating func write<Value: Encodable>(_ value: Value) throws(WireError) {
    do {
      writeEncoded(try CBOREncoder().encode(value))
    } catch {
      throw WireError(.internal, "an answer cannot be encoded: \(error)")
    }
  }
}

extension WireError {
  /// `invalid-params` for the parameter named in `error`.
  package static func invalidParams(_ error: CBORError) -> WireError {
    if case .missingKey(let name) = error.kind {
      // The path is that of the map or array with the missing value; a missing element is named `[1]`.
      let separator = error.path.isEmpty || name.hasPrefix("[") ? "" : "."
      return invalidParam("\(error.path)\(separator)\(name)", "it is missing")
    }
    let param = error.path.isEmpty ? nil : error.path
    let subject = param.map { "the parameter \"\($0)\"" } ?? "the parameters"
    return WireError(
      .invalidParams, "\(subject): \(error.problem)",
      data: param.map { ErrorData(param: $0, problem: error.problem) })
  }

  /// `invalid-params` for `param`.
  package static func invalidParam(_ param: String, _ problem: String) -> WireError {
    WireError(
      .invalidParams, "the parameter \"\(param)\": \(problem)", data: ErrorData(param: param, problem: problem))
  }

  /// `invalid-params` for a `value` of `param` that is not one of `known`; the list in `problem` is for people.
  ///
  /// - Complexity: O(n) in the names.
  package static func unknownName(
    _ param: String, _ value: String, _ problem: String, of known: some Collection<String>
  ) -> WireError {
    var error = invalidParam(param, problem)
    let word = value.excerpt(shownScalars)
    error.data?.value = word
    error.data?.known = known.nearest(to: word, atMost: ErrorData.maximumKnown)
    error.data?.knownTotal = UInt64(known.count)
    return error
  }

  /// The maximum number of code points of a name in an error: a single character may have thousands of them.
  private static var shownScalars: Int { 80 }

  /// `busy` for the limit `name`.
  package static func busy(_ name: String, maximum: Int) -> WireError {
    WireError(
      .busy, "the limit \"\(name)\" of \(maximum) is reached; try again later",
      data: ErrorData(limit: name, maximum: UInt64(maximum)))
  }
}
