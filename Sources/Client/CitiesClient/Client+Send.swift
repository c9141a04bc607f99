public import CitiesProtocol

extension Client {
  /// Sends a request and waits for its answer.
  ///
  /// - Parameters:
  ///   - message: The request.
  ///   - timeout: How long the request may take, if not as configured.
  /// - Returns: The answer.
  /// - Throws: ``ClientError``, `.server` for an error that the server reports.
  public func send<Message: RequestMessage>(
    _ message: Message, timeout: Duration? = nil
  ) throws(ClientError) -> Message.Reply {
    let request = try Outgoing(message, id: nextID())
    var reply: Result<Message.Reply, ClientError>?
    try exchange([request], timeout: timeout) { _, payload in
      let answer = self.answer(Message.self, in: payload, to: request)
      reply = answer
      return answer.fault
    }
    return try explained(reply)
  }

  /// Sends two requests in one write and waits for both answers; each may be an error of the server's.
  public func send<First: RequestMessage, Second: RequestMessage>(
    _ first: First, _ second: Second
  ) throws(ClientError) -> (first: Result<First.Reply, ClientError>, second: Result<Second.Reply, ClientError>) {
    let requests = [try Outgoing(first, id: nextID()), try Outgoing(second, id: nextID())]
    var one: Result<First.Reply, ClientError>?
    var two: Result<Second.Reply, ClientError>?
    try exchange(requests, timeout: nil) { index, payload in
      if index == 0 {
        one = self.answer(First.self, in: payload, to: requests[0])
      } else {
        two = self.answer(Second.self, in: payload, to: requests[1])
      }
      return index == 0 ? one?.fault : two?.fault
    }
    guard let one, let two else { throw unanswered }
    return (one, two)
  }

  /// Sends requests of one kind, at most ``window`` of them ahead of their answers.
  ///
  /// - Parameter messages: The requests.
  /// - Returns: The answers, in the order of the requests.
  /// - Throws: The first error, the server's too; then no answer is returned.
  public func send<Message: RequestMessage>(all messages: [Message]) throws(ClientError) -> [Message.Reply] {
    var replies: [Message.Reply] = []
    replies.reserveCapacity(messages.count)
    for start in stride(from: 0, to: messages.count, by: Self.window) {
      var requests: [Outgoing] = []
      for message in messages[start..<min(start + Self.window, messages.count)] {
        requests.append(try Outgoing(message, id: nextID()))
      }
      var failure: ClientError?
      try exchange(requests, timeout: nil) { index, payload in
        // After a broken connection the answers begin again with the first one of this window.
        if index == 0 { replies.removeLast(replies.count - start) }
        switch self.answer(Message.self, in: payload, to: requests[index]) {
        case .success(let reply): replies.append(reply)
        case .failure(let error): failure = failure ?? error
        }
        return nil
      }
      if let failure { throw explanation(of: failure) }
    }
    return replies
  }

  /// What an exchange has left behind, with a mismatch of versions called by its name.
  func explained<Reply>(_ reply: Result<Reply, ClientError>?) throws(ClientError) -> Reply {
    guard let reply else { throw unanswered }
    do { return try reply.get() } catch { throw explanation(of: error) }
  }

  private var unanswered: ClientError { .unreadableReply(path: connection?.path ?? "", reason: "no answer came") }
}
