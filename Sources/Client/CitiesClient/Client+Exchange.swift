internal import CBOR
internal import CitiesProtocol

/// The way of every request: connect if need be, write all, read one frame per request, and all of it once more if the
/// connection breaks.
extension Client {
  /// What is done with the answer to the request at `index`; it returns a fault if answers can no longer be told apart.
  typealias Reader = (_ index: Int, _ payload: UnsafeRawBufferPointer) -> ClientError?

  /// Sends `requests` and hands the payload of every answer to `read`, in order.
  ///
  /// Where the connection breaks, everything is sent again on a new one, once; `read` then sees index 0 again.
  func exchange(_ requests: [Outgoing], timeout: Duration?, _ read: Reader) throws(ClientError) {
    do {
      try exchangePersistently(requests, timeout: timeout, read)
    } catch {
      throw explanation(of: error)
    }
  }

  /// The same without a look at what is behind an unreadable answer.
  ///
  /// One deadline bounds connecting, sending, receiving and the second attempt.
  func exchangePersistently(_ requests: [Outgoing], timeout: Duration?, _ read: Reader) throws(ClientError) {
    let limit = RequestLimit(timeout ?? configuration.timeout)
    do {
      try exchangeOnce(requests, limit, read)
    } catch {
      guard case .connectionLost = error else { throw error }
      try exchangeOnce(requests, limit, read)
    }
  }

  private func exchangeOnce(_ requests: [Outgoing], _ limit: RequestLimit, _ read: Reader) throws(ClientError) {
    let connection = try connected(limit)
    let began = Clock.now
    defer {
      timing.answer = .nanoseconds(Int64(clamping: Clock.now - began))
      totalTiming.answer += timing.answer
    }
    do {
      try move(requests, on: connection, limit, read)
    } catch {
      // Whatever is still on its way belongs to nobody.
      self.connection = nil
      throw error
    }
  }

  private func move(
    _ requests: [Outgoing], on connection: Connection, _ limit: RequestLimit, _ read: Reader
  ) throws(ClientError) {
    var refusal: Connection.Failure?
    if let onFrame {
      for request in requests {
        request.frame.withUnsafeBytes {
          onFrame(.sent, UnsafeRawBufferPointer(rebasing: $0.dropFirst(Frame.headerSize)))
        }
      }
    }
    do {
      try connection.send(requests.count == 1 ? requests[0].frame : requests.flatMap(\.frame), before: limit.deadline)
    } catch {
      // A server that closed the connection may have said why before it did: `busy`, for one.
      refusal = error
    }
    for index in requests.indices {
      let fault: ClientError?
      do {
        fault = try connection.receive(before: limit.deadline) {
          onFrame?(.received, $0)
          return read(index, $0)
        }
      } catch {
        throw (refusal ?? error).asClientError(path: connection.path, timeout: limit.timeout)
      }
      if let fault { throw fault }
    }
  }

  /// The typed answer to `request`, or why there is none.
  func answer<Message: RequestMessage>(
    _ type: Message.Type, in payload: UnsafeRawBufferPointer, to request: Outgoing
  ) -> Result<Message.Reply, ClientError> {
    do {
      let envelope = try CBORDecoder().decode(ServerEnvelope<Message>.self, from: payload)
      if let problem = mismatch(envelope.id, request, isError: envelope.error != nil) { return .failure(problem) }
      if let error = envelope.error { return .failure(.server(error)) }
      if let result = envelope.result { return .success(result) }
      return .failure(unreadable("a reply to \(request.method) with neither result nor error"))
    } catch {
      return .failure(unreadable("the reply to \(request.method) is \(error)"))
    }
  }

  /// A fault if an answer with `id` is none to `request`; id 0 stands on errors about a request that was unreadable.
  func mismatch(_ id: UInt64, _ request: Outgoing, isError: Bool) -> ClientError? {
    id == request.id || (id == 0 && isError)
      ? nil : unreadable("a reply with id \(id) to the request with id \(request.id)")
  }

  /// A fault of the bytes received, or of what a reply says.
  package func unreadable(_ reason: String) -> ClientError {
    .unreadableReply(path: connection?.path ?? "", reason: reason)
  }
}

extension Result where Failure == ClientError {
  /// The error that makes all further answers doubtful; an error that the server reports is none.
  var fault: ClientError? {
    guard case .failure(let error) = self else { return nil }
    if case .server = error { return nil }
    return error
  }
}

extension Connection.Failure {
  /// The failure as the user of the library sees it.
  func asClientError(path: String, timeout: Duration) -> ClientError {
    switch self {
    case .broken(let reason): .connectionLost(path: path, reason: reason)
    case .timedOut: .timedOut(path: path, after: timeout)
    case .notFramed(let reason): .unreadableReply(path: path, reason: reason)
    }
  }
}
