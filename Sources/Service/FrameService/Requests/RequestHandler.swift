import Base
package import CBOR
package import CitiesProtocol
package import Coroutines

/// Answers one method: a ``RequestHandler`` or a ``StrictRequestHandler``, which differ in who checks the parameters.
package protocol MethodHandler: AnyObject {
  /// The method's name on the wire.
  var method: String { get }
  /// Whether it reads unchecked parameters; each kind of handler decides for itself.
  var isStrict: Bool { get }
  /// Reads the parameters as its kind of handler does, and appends the result; for the service alone.
  func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer
}

/// A handler of a message whose encoding the service has checked before: one map in deterministic encoding.
package protocol RequestHandler: MethodHandler {
  /// The message that it answers.
  associatedtype Message: RequestMessage

  /// Appends the result, one CBOR item, to `reply`, or throws the error that is answered in its place.
  ///
  /// It runs on the loop's thread and must not block. What it has written is removed if it throws.
  func answer(_ params: Message, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer
}

/// A handler that checks its parameters itself, because it reads every byte of them: good requests are read once.
///
/// The types hold it to that. It gets no bytes but a strict reader, it answers nothing before ``read(_:)`` has
/// returned, and the service demands that the reader has come to the end.
package protocol StrictRequestHandler: MethodHandler {
  /// The parameters, read.
  associatedtype Params

  /// Reads the one map of parameters to its end, and does nothing else.
  ///
  /// - Throws: `invalid-params`.
  func read(_ params: inout CBORReader) throws(WireError) -> Params

  /// Answers as ``RequestHandler/answer(_:for:into:)`` does.
  func answer(_ params: Params, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer
}

extension RequestHandler {
  /// That of its message.
  @inlinable
  package var method: String { Message.method }
  /// The service checks its parameters.
  @inlinable
  package var isStrict: Bool { false }

  /// Answers a request that was checked.
  @inlinable
  package func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try answer(try request.decode(Message.self), for: request.caller, into: &reply)
  }
}

extension StrictRequestHandler {
  /// It checks its parameters.
  @inlinable
  package var isStrict: Bool { true }

  /// Reads all of the parameters and answers.
  @inlinable
  package func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    var reader = CBORReader(request.params, limits: request.limits)
    let params = try read(&reader)
    guard reader.isAtEnd else { throw UncheckedRequest.unreadParams }
    return try answer(params, for: request.caller, into: &reply)
  }
}

/// A request with unread parameters.
///
/// Only the two kinds of handlers can open it.
package struct UncheckedRequest {
  /// Bytes that start like a map.
  @usableFromInline let params: UnsafeRawBufferPointer
  /// What the parameters may hold.
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

  /// What `body` decodes of the parameters.
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

  /// `invalid-params` for bytes that a strict handler has left unread.
  @usableFromInline package static var unreadParams: WireError {
    WireError(.invalidParams, "the parameters are not one map")
  }
}

/// The connection of the request, while it is handled.
package struct Caller {
  /// The request's id.
  package let id: UInt64
  // The loop holds it while a request is answered.
  unowned(unsafe) let connection: Connection

  init(_ connection: Connection, id: UInt64) { (self.connection, self.id) = (connection, id) }

  /// The peer that sends the request.
  package var peer: Peer { connection.peer }

  /// Names the connection, for values that handlers keep for each; see ``PerConnection``.
  package var connectionID: ConnectionID { connection.id }

  /// Offers an answer for later, which the handler promises by returning it as ``Answer/later(_:)``.
  ///
  /// Until it comes, requests after this one on the same connection wait; other connections do not. The promise ends
  /// when the connection closes: see ``PendingReply/onCancel(_:)``.
  ///
  /// - Throws: `busy` if the user has too many requests waiting.
  package func later() throws(WireError) -> PendingReply {
    try connection.account.requireRoomForPromise()
    return PendingReply(connection, id: id)
  }

  /// Makes the connection one that gets events, under this request's id.
  ///
  /// - Throws: `busy` if there are too many.
  package func subscribe() throws(WireError) -> Subscription { try connection.subscribe(id: id) }
}

/// The outcome of a request.
package enum Answer {
  /// The result is in the reply.
  case written
  /// The answer of ``Caller/later()`` comes later.
  case later(PendingReply)
  /// The result may take long: the function runs in slices, and returns what appends it; see ``Computation``.
  case computed((Budget) async throws -> ResultWriter)
}

// MARK: - All handlers

/// Handlers by method name: a handful, compared one after the other.
struct HandlerTable: ~Copyable {
  /// A handler and its method's name.
  struct Entry {
    fileprivate let name: MethodName
    let isStrict: Bool
    /// Held by the table; not counted again for each request.
    unowned(unsafe) let handler: any MethodHandler
  }

  // In its own memory: an array would be retained and released for every request.
  private let entries: UnsafeMutableBufferPointer<Entry>
  private let names: UnsafeMutableRawBufferPointer
  private let handlers: [any MethodHandler]

  /// Takes the handlers; the first of a name wins.
  ///
  /// Frequent ones should come first.
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

/// A method's name in a form that is compared fast: up to 16 bytes are compared by their first and their last eight.
private struct MethodName {
  private let bytes: UnsafeRawBufferPointer
  private let first: UInt64
  private let last: UInt64

  /// A view of `bytes`.
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

// MARK: - What handlers write

extension CBORWriter {
  /// Appends the deterministic encoding of `value`.
  ///
  /// - Throws: `internal` if it has none, such as a NaN.
  package mutating func write<Value: Encodable>(_ value: Value) throws(WireError) {
    do {
      writeEncoded(try CBOREncoder().encode(value))
    } catch {
      throw WireError(.internal, "an answer cannot be encoded: \(error)")
    }
  }
}

extension WireError {
  /// `invalid-params` for the parameter that `error` names.
  package static func invalidParams(_ error: CBORError) -> WireError {
    if case .missingKey(let name) = error.kind {
      // The path is that of the map or array in which something is missing; a missing element is called `[1]`.
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

  /// `invalid-params` for a `value` of `param` that is none of the `known` ones; the list in `problem` is for people.
  ///
  /// - Complexity: O(n) in the names.
  package static func unknownName(
    _ param: String, _ value: String, _ problem: String, of known: some Collection<String>
  ) -> WireError {
    var error = invalidParam(param, problem)
    let word = String(String.UnicodeScalarView(value.unicodeScalars.prefix(shownScalars)))
    error.data?.value = word
    error.data?.known = known.nearest(to: word, atMost: ErrorData.maximumKnown)
    error.data?.knownTotal = UInt64(known.count)
    return error
  }

  /// Code points of a name in an error: a single character may have thousands of them.
  private static var shownScalars: Int { 80 }

  /// `busy` for the limit `name`.
  package static func busy(_ name: String, maximum: Int) -> WireError {
    WireError(
      .busy, "the limit \"\(name)\" of \(maximum) is reached; try again later",
      data: ErrorData(limit: name, maximum: UInt64(maximum)))
  }
}
