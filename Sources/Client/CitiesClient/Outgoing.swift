internal import CBOR
internal import CitiesProtocol

/// A request that is ready to be sent: its frame and what the answer is compared with.
struct Outgoing {
  /// The id, which the answer repeats.
  let id: UInt64
  /// The method, for messages.
  let method: String
  /// The frame, header and payload.
  let frame: [UInt8]

  /// Encodes a typed request.
  init<Message: RequestMessage>(_ message: Message, id: UInt64) throws(ClientError) {
    try self.init(encoding: RequestEnvelope(id: id, message), id: id, method: Message.method)
  }

  /// Encodes an envelope of any shape.
  init<Envelope: Encodable>(encoding envelope: Envelope, id: UInt64, method: String) throws(ClientError) {
    let payload: [UInt8]
    do { payload = try CBOREncoder().encode(envelope) } catch { throw .unsendable(reason: "\(error)") }
    guard payload.count <= Frame.maximumRequest else {
      throw .unsendable(
        reason: "it has \(payload.count) bytes, and the wire allows \(Frame.maximumRequest) for a request")
    }
    (self.id, self.method, self.frame) = (id, method, Frame.framed(payload))
  }
}
