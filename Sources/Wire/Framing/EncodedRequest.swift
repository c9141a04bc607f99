internal import CBOR
package import CitiesProtocol

/// A request ready to send: its frame, and the data for matching its reply.
package struct EncodedRequest {
  /// Why a request cannot be sent.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    /// The payload has this many bytes, more than the protocol allows.
    case tooLarge(Int)
    /// A value cannot be encoded; the reason, for people.
    case unencodable(String)

    /// The fault, in a few words.
    package var description: String {
      switch self {
      case .tooLarge(let count):
        "it has \(count) bytes, and the wire allows \(Frame.maximumRequest) for a request"
      case .unencodable(let reason): reason
      }
    }
  }

  /// The id, which the reply repeats; at least 1, because 0 marks errors about unreadable requests.
  package let id: UInt64
  /// The method, for messages.
  package let method: String
  /// Whether events follow the reply, as for `watch`.
  package let expectsEvents: Bool
  /// The frame, header and payload.
  package let frame: [UInt8]

  /// Encodes a typed request.
  ///
  /// - Throws: `Failure` if the payload is too large or cannot be encoded.
  package init<Message: RequestMessage>(_ message: Message, id: UInt64) throws(Failure) {
    try self.init(
      encoding: RequestEnvelope(id: id, message), id: id, method: Message.method,
      expectsEvents: Message.Event.self != NoEvent.self)
  }

  /// Encodes an envelope of any shape, for tools that forward unknown methods.
  ///
  /// - Throws: `Failure` if the payload is too large or cannot be encoded.
  package init<Envelope: Encodable>(
    encoding envelope: Envelope, id: UInt64, method: String, expectsEvents: Bool = false
  ) throws(Failure) {
    let payload: [UInt8]
    do { payload = try CBOREncoder().encode(envelope) } catch { throw .unencodable("\(error)") }
    guard payload.count <= Frame.maximumRequest else { throw .tooLarge(payload.count) }
    (self.id, self.method, self.expectsEvents) = (id, method, expectsEvents)
    frame = Frame.framed(payload)
  }

  /// Passes the payload to `body`; the bytes are valid during the call.
  package func withPayload(_ body: (UnsafeRawBufferPointer) -> Void) {
    frame.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropFirst(Frame.headerSize))) }
  }
}
