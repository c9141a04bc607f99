/// A request in a frame: `{"id", "method", "params"}`.
public struct RequestEnvelope<Message: RequestMessage>: Codable, Sendable {
  /// Chosen by the client, from 1 up; repeated in the reply.
  public var id: UInt64
  /// The parameters.
  public var params: Message

  /// Makes an envelope for `params`.
  public init(id: UInt64, _ params: Message) {
    self.id = id
    self.params = params
  }

  private enum CodingKeys: String, CodingKey { case id, method, params }

  /// Reads the three keys.
  ///
  /// - Throws: if the method is not that of `Message`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UInt64.self, forKey: .id)
    let method = try container.decode(String.self, forKey: .method)
    guard method == Message.method else {
      throw DecodingError.dataCorruptedError(
        forKey: .method, in: container,
        debugDescription: "expected \"\(Message.method)\", found \"\(method.prefix(64))\"")
    }
    params = try container.decode(Message.self, forKey: .params)
  }

  /// Writes the three keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(Message.method, forKey: .method)
    try container.encode(params, forKey: .params)
  }
}

/// A frame from a server: a reply with a result or an error, or an event.
public struct ServerEnvelope<Message: RequestMessage>: Codable, Sendable {
  /// The id of the request; 0 if it was unreadable.
  public var id: UInt64
  /// The answer, if the request succeeded.
  public var result: Message.Reply?
  /// The reason, if it failed.
  public var error: WireError?
  /// An event, after a successful `watch`.
  public var event: Message.Event?

  /// A successful reply.
  public init(id: UInt64, result: Message.Reply) {
    self.id = id
    self.result = result
  }

  /// A failed reply.
  public init(id: UInt64, error: WireError) {
    self.id = id
    self.error = error
  }

  /// An event.
  public init(id: UInt64, event: Message.Event) {
    self.id = id
    self.event = event
  }

  private enum CodingKeys: String, CodingKey { case id, result, error, event }

  /// Reads a reply or an event.
  ///
  /// - Throws: unless exactly one of `result`, `error` and `event` is present.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UInt64.self, forKey: .id)
    result = try container.decodeIfPresent(Message.Reply.self, forKey: .result)
    error = try container.decodeIfPresent(WireError.self, forKey: .error)
    event = try container.decodeIfPresent(Message.Event.self, forKey: .event)
    guard [result != nil, error != nil, event != nil].count(where: \.self) == 1 else {
      let problem = "expected exactly one of \"result\", \"error\" and \"event\""
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
    }
  }
}
