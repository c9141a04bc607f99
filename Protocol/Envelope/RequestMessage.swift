/// A request: the conforming type has its parameters; it names the method and the types of reply and events.
///
/// A message is one file in `Protocol/Messages`; ``MessageRegistry`` lists them all.
public protocol RequestMessage: Codable, Sendable {
  /// The contents of a successful reply.
  associatedtype Reply: Codable & Sendable
  /// The method's name on the wire, `noun.verb` or a single word for the server itself.
  static var method: String { get }
  /// The events that follow the reply while the connection lives; `NoEvent` for all but `watch`.
  associatedtype Event: Codable & Sendable = NoEvent
}

/// The event type of messages that have none.
public enum NoEvent: Codable, Sendable {
  /// Always fails: there is no such event.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no event is defined"))
  }

  /// Never called: there is no value.
  public func encode(to encoder: any Encoder) throws {}
}
