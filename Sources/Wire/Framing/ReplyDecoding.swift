internal import CBOR
package import CitiesProtocol

extension ServerEnvelope {
  /// Decodes the payload of a frame from a server: a reply or an event.
  ///
  /// - Throws: an error of decoding.
  package init(payload: UnsafeRawBufferPointer) throws {
    self = try CBORDecoder(limits: .reply).decode(Self.self, from: payload.bytes)
  }

  /// The answer in the payload of a reply, or the server's error.
  ///
  /// - Throws: a decoding error, also for an event.
  package static func answer(in payload: UnsafeRawBufferPointer) throws -> Result<Message.Reply, WireError> {
    let envelope = try Self(payload: payload)
    if let result = envelope.result { return .success(result) }
    if let error = envelope.error { return .failure(error) }
    throw CBORError(.malformed("an event in place of an answer"), offset: 0)
  }
}
