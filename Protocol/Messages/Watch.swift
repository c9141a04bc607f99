/// `watch`: sends an event for every change of a subject's data until the connection ends.
public struct Watch: RequestMessage {
  /// The method's name.
  public static let method = "watch"
  /// The subjects; all if absent or empty.
  public var subjects: [Subject]?

  /// Asks for `subjects`.
  public init(subjects: [Subject]? = nil) { self.subjects = subjects }

  /// The state when watching starts.
  public struct Reply: Codable, Equatable, Sendable {
    /// For each watched subject: whether it has data.
    public var ready: [String: Bool]
    /// For each subject with data: its generation, 16 hexadecimal digits.
    public var generations: [String: String]

    /// Makes a reply.
    public init(ready: [String: Bool], generations: [String: String]) {
      self.ready = ready
      self.generations = generations
    }
  }

  /// One event.
  public struct Event: Codable, Equatable, Sendable {
    /// The kind of event: `changed`, `refused` (a new file that cannot be used) or `stopping`; open.
    public var event: String
    /// The subject; absent for events about the server.
    public var subject: Subject?
    /// The generation served from now on, 16 hexadecimal digits.
    public var generation: String?
    /// The time of the event.
    public var at: Timestamp
    /// Further information for people, such as the reason for a refusal.
    public var message: String?

    /// Makes an event.
    public init(
      event: String, subject: Subject? = nil, generation: String? = nil, at: Timestamp, message: String? = nil
    ) {
      self.event = event
      self.subject = subject
      self.generation = generation
      self.at = at
      self.message = message
    }
  }
}
