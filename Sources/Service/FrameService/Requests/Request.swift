package import CBOR
package import CitiesProtocol

/// One request, as a handler gets it.
///
/// Its slices point into a buffer that is used again: it must not be kept.
package struct Request {
  /// Chosen by the client, from 1 up.
  package let id: UInt64
  /// The parameters: one CBOR map, in deterministic encoding; for a handler that promises to read all of them, bytes that
  /// begin like one.
  package let params: UnsafeRawBufferPointer
  /// What the parameters may hold.
  package let limits: CBORLimits
  // The loop holds it while a request is answered.
  unowned(unsafe) let connection: Connection

  /// Who asks.
  package var peer: Peer { connection.peer }

  /// Four numbers that handlers may keep with the connection, 0 at first; each belongs to one subject.
  package var marks: SIMD4<UInt64> {
    get { connection.marks }
    nonmutating set { connection.marks = newValue }
  }

  /// The parameters as a message.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  package func decode<Message: Decodable>(_ type: Message.Type) throws(WireError) -> Message {
    do {
      return try CBORDecoder().decode(type, from: params)
    } catch let error as CBORError {
      throw .invalidParams(error)
    } catch {
      throw WireError(.invalidParams, "the parameters cannot be read: \(error)")
    }
  }

  /// Promises an answer for later; the handler must return `.later` then.
  ///
  /// Until it comes, requests after this one on the same connection wait; other connections do not. The answer is no
  /// longer wanted once the connection closes: see ``PendingReply/onCancel(_:)``.
  ///
  /// - Throws: `busy` if the user has too many requests waiting.
  package func later() throws(WireError) -> PendingReply { try connection.beginWaiting(id: id) }

  /// Makes the connection one that gets events, under this request's id.
  ///
  /// - Throws: `busy` if there are too many.
  package func subscribe() throws(WireError) -> Subscription { try connection.subscribe(id: id) }
}

/// What became of a request.
package enum Answer {
  /// The result stands in the reply.
  case written
  /// ``Request/later()`` was called.
  case later
  /// The result takes long: the work is done in slices and then appends it.
  case sliced(any SlicedWork)
}

/// Answers one method.
package protocol RequestHandler: AnyObject {
  /// The method's name on the wire.
  var method: String { get }

  /// Whether it reads every byte of its parameters strictly and throws, before it does anything, unless they are one map
  /// in deterministic encoding. Such parameters are not checked before; `false` unless a handler says otherwise.
  var readsAllOfItsParams: Bool { get }

  /// Appends the result, one CBOR item, to `reply`, or throws what is answered in its place.
  ///
  /// It runs on the loop's thread and must not block. What it has written is taken back if it throws.
  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer
}

extension RequestHandler {
  /// No promise.
  package var readsAllOfItsParams: Bool { false }
}

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
    if case .missingKey(let name) = error.kind { return invalidParam(name, "it is missing") }
    let param = error.path.isEmpty ? nil : error.path
    let subject = param.map { "the parameter \"\($0)\"" } ?? "the parameters"
    return WireError(.invalidParams, "\(subject): \(error.problem)", data: param.map { ErrorData(param: $0) })
  }

  /// `invalid-params` for `param`.
  package static func invalidParam(_ param: String, _ problem: String) -> WireError {
    WireError(.invalidParams, "the parameter \"\(param)\": \(problem)", data: ErrorData(param: param))
  }

  /// `busy` for the limit `name`.
  package static func busy(_ name: String, maximum: Int) -> WireError {
    WireError(
      .busy, "the limit \"\(name)\" of \(maximum) is reached; try again later",
      data: ErrorData(limit: name, maximum: UInt64(maximum)))
  }
}
