public import CBOR
internal import CitiesProtocol

extension Client {
  /// Sends a request of any method and waits for its answer, for tools that forward what they do not know.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: A map; its keys are texts.
  ///   - timeout: How long the request may take, if not as configured.
  /// - Returns: The `result` of the reply as it came.
  /// - Throws: ``ClientError``, `.server` for an error that the server reports.
  public func call(
    method: String, params: CBORValue = .map([]), timeout: Duration? = nil
  ) throws(ClientError) -> CBORValue {
    let id = nextID()
    let envelope = RawRequest(id: id, method: method, params: params)
    let request = try Outgoing(encoding: envelope, id: id, method: method)
    var reply: Result<CBORValue, ClientError>?
    try exchange([request], timeout: timeout) { _, payload in
      let answer = self.rawAnswer(in: payload, to: request)
      reply = answer
      return answer.fault
    }
    guard let reply else { throw unreadable("no answer came") }
    return try reply.get()
  }

  private func rawAnswer(in payload: UnsafeRawBufferPointer, to request: Outgoing) -> Result<CBORValue, ClientError> {
    do {
      let envelope = try CBORDecoder().decode(RawReply.self, from: payload)
      if let problem = mismatch(envelope.id, request, isError: envelope.error != nil) { return .failure(problem) }
      if let error = envelope.error { return .failure(.server(error)) }
      return .success(envelope.result ?? .null)
    } catch {
      return .failure(unreadable("the reply to \(request.method) is \(error)"))
    }
  }
}

/// The envelope of a request whose parameters have no type here.
private struct RawRequest: Encodable {
  var id: UInt64
  var method: String
  var params: CBORValue
}

/// The envelope of a reply whose result has no type here.
private struct RawReply: Decodable {
  var id: UInt64
  var result: CBORValue?
  var error: WireError?
}
