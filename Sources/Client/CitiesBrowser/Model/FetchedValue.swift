internal import CitiesProtocol

/// A value that a screen needs: requested once, and again when it is outdated.
struct FetchedValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  /// The key of the value; another key makes the value worthless.
  private(set) var key: Key?
  /// The answer, once it has come.
  private(set) var value: Value?
  private(set) var problem: WireError?
  /// The request without an answer, and what of its reply is the value.
  private var asked: (id: UInt64, value: @Sendable (any Sendable) -> Value?)?
  private var isOutdated = false

  mutating func setKey(_ key: Key?) {
    guard key != self.key else { return }
    self = FetchedValue()
    self.key = key
  }

  /// Turns to another key, but keeps the old value until the new one comes.
  mutating func setKeyKeepingValue(_ key: Key?) {
    guard key != self.key else { return }
    (self.key, asked, problem, isOutdated) = (key, nil, nil, true)
  }

  /// Whether an answer is needed that has not been requested.
  var isMissing: Bool { key != nil && asked == nil && problem == nil && (value == nil || isOutdated) }

  /// Whether there is nothing to wait for: the value or an error has come, or there is no key.
  var isSettled: Bool { key == nil || problem != nil || (value != nil && !isOutdated) }

  /// Requests the value if it is missing, by a message if there is one; `value` makes it of the reply.
  mutating func ask<Message: RequestMessage>(
    _ window: inout RequestWindow, _ message: Message?, _ value: @escaping @Sendable (Message.Reply) -> Value
  ) {
    guard isMissing, let message, let id = window.ask(message) else { return }
    asked = (id, { ($0 as? Message.Reply).map(value) })
  }

  /// Takes an answer, if it is waited for; an error leaves the old value.
  ///
  /// - Returns: whether it was.
  mutating func take(_ id: UInt64, _ answer: BrowserAnswer) -> Bool {
    guard let asked, asked.id == id else { return false }
    self.asked = nil
    switch answer {
    case .success(let reply): (value, problem, isOutdated) = (asked.value(reply), nil, false)
    case .failure(let error): problem = error
    }
    return true
  }

  /// Makes what a change of the data or of the connection calls for be requested again.
  mutating func apply(_ change: DataChange) {
    switch change {
    case .connectionLost: (asked, problem) = (nil, nil)
    case .outdated: (asked, problem, isOutdated) = (nil, nil, true)
    case .retry: if problem?.mayPass == true { problem = nil }
    }
  }
}

/// A reason to request data again.
enum DataChange: Sendable {
  /// The connection was lost, and open requests with it.
  case connectionLost
  /// The data of a subject has changed; the old data stays until the new data comes.
  case outdated(Subject)
  /// The server may have by now what it did not have.
  case retry

  /// Whether it is about data of a subject.
  func concerns(_ subject: Subject) -> Bool {
    if case .outdated(let changed) = self { changed == subject } else { true }
  }
}

extension WireError {
  /// Whether a later request may succeed: the server has no data yet, or is too busy.
  var mayPass: Bool { code == .unavailable || code == .busy }
}
