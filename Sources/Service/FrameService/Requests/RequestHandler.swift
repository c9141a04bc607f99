@_exported public import Base
package import CBOR
package import CitiesProtocol
package import Coroutines

/// Answers one method.
///
/// Valid requests are read once: the service leaves the parameters to the handler, which checks every byte of them
/// because ``UncheckedRequest`` offers no other way of reading them, and answers only after ``read(_:)`` has returned.
package protocol RequestHandler: AnyObject {
  /// The parsed parameters: usually the message itself.
  associatedtype Params

  /// The method's name on the wire.
  var method: String { get }

  /// Parses the parameters, and does nothing else.
  ///
  /// - Throws: `invalid-params`.
  func read(_ request: UncheckedRequest) throws(WireError) -> Params

  /// Appends the result, one CBOR item, to `reply`, or throws the error to send instead.
  ///
  /// It runs on the loop thread and must not block. Its output is removed if it throws.
  func answer(_ params: Params, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer

  /// Reads the parameters and answers; for the service alone.
  func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer
}

extension RequestHandler {
  /// Reads the parameters and answers.
  @inlinable
  package func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try answer(try read(request), for: request.caller, into: &reply)
  }
}

extension RequestHandler where Params: RequestMessage {
  /// The name of the message.
  @inlinable
  package var method: String { Params.method }

  /// Decodes the message.
  @inlinable
  package func read(_ request: UncheckedRequest) throws(WireError) -> Params { try request.decode(Params.self) }
}

/// A request with unread parameters.
package struct UncheckedRequest {
  /// Bytes that start like a map.
  @usableFromInline let params: UnsafeRawBufferPointer
  /// The limits of the parameters.
  @usableFromInline let limits: CBORLimits
  @usableFromInline let caller: Caller

  init(params: UnsafeRawBufferPointer, limits: CBORLimits, caller: Caller) {
    (self.params, self.limits, self.caller) = (params, limits, caller)
  }

  /// The parameters as a message, after a check that they are one map in deterministic encoding.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  @usableFromInline func decode<Message: Decodable>(_ type: Message.Type) throws(WireError) -> Message {
    try Self.decoding {
      var reader = CBORReader(params, limits: limits)
      let message = try CBORDecoder().decode(type, from: try reader.readItem().bytes)
      try reader.finish()
      return message
    }
  }

  /// The parameters as `parse` reads them from a strict reader, which it must move to the end of the map.
  ///
  /// - Throws: `invalid-params`, also if `parse` leaves anything unread.
  @inlinable @inline(__always)
  package func read<Params>(
    _ parse: (inout CBORReader) throws(WireError) -> Params
  ) throws(WireError) -> Params {
    // It reads the values of the map, not the map as one item.
    var reader = CBORReader(params, limits: limits.inside)
    let params = try parse(&reader)
    guard reader.isAtEnd else { throw Self.unreadParams }
    return params
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

  /// `invalid-params` for bytes left unread.
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
  ///
  /// It must name all data that the function or the writer reads.
  case computed(from: [any ReplySource], (Budget) async throws -> ResultWriter)
}

// MARK: - All handlers

/// Handlers by method name: two dozen, searched linearly, frequent ones first.
struct HandlerTable: ~Copyable {
  /// A handler and its method's name.
  struct Entry {
    fileprivate let name: MethodName
    /// Retained by the table, not for each request.
    unowned(unsafe) let handler: any RequestHandler
  }

  // Allocated manually: an array would be retained and released for every request.
  private let entries: UnsafeMutableBufferPointer<Entry>
  private let names: UnsafeMutableRawBufferPointer
  private let handlers: [any RequestHandler]

  /// Creates a table; the first handler of a name wins.
  ///
  /// Frequently used ones should come first.
  init(_ handlers: [any RequestHandler]) {
    self.handlers = handlers
    entries = .allocate(capacity: handlers.count)
    names = .allocate(byteCount: handlers.reduce(0) { $0 + $1.method.utf8.count }, alignment: 1)
    var start = 0
    for (index, handler) in handlers.enumerated() {
      let name = UnsafeMutableRawBufferPointer(rebasing: names[start..<start + handler.method.utf8.count])
      name.copyBytes(from: handler.method.utf8)
      start += name.count
      entries.initializeElement(
        at: index, to: Entry(name: MethodName(UnsafeRawBufferPointer(name)), handler: handler))
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
