internal import CitiesProtocol

/// A value that a screen needs: requested once, and again when outdated.
struct FetchedValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  /// The key of the value; a change of the key discards the value.
  private(set) var key: Key?
  /// The value, once it has arrived.
  private(set) var value: Value?
  private(set) var problem: WireError?
  /// The pending request, and the conversion of its reply to the value.
  private var asked: (id: UInt64, value: @Sendable (any Sendable) -> Value?)?
  private var isOutdated = false

  /// Starts without the value.
  init(_ key: Key? = nil) { self.key = key }

  mutating func setKey(_ key: Key?) { if key != self.key { self = FetchedValue(key) } }

  /// Changes the key, but keeps the old value until the new one arrives.
  mutating func setKeyKeepingValue(_ key: Key?) {
    guard key != self.key else { return }
    (self.key, asked, problem, isOutdated) = (key, nil, nil, true)
  }

  /// Whether the value has to be requested.
  var isMissing: Bool { key != nil && asked == nil && problem == nil && (value == nil || isOutdated) }

  /// Whether nothing is pending: the value or an error has arrived, or there is no key.
  var isSettled: Bool { key == nil || problem != nil || (value != nil && !isOutdated) }

  /// Requests the value with `message`, if any, if it is missing; `value` extracts it from the reply.
  mutating func ask<Message: RequestMessage>(
    _ window: inout RequestWindow, _ message: Message?, _ value: @escaping @Sendable (Message.Reply) -> Value
  ) {
    guard isMissing, let message, let id = window.ask(message) else { return }
    asked = (id, { ($0 as? Message.Reply).map(value) })
  }

  /// Takes an answer if it belongs to the pending request; after an error, the old value stays.
  ///
  /// - Returns: Whether it did.
  mutating func take(_ id: UInt64, _ answer: BrowserAnswer) -> Bool {
    guard let asked, asked.id == id else { return false }
    self.asked = nil
    switch answer {
    case .success(let reply): (value, problem, isOutdated) = (asked.value(reply), nil, false)
    case .failure(let error): problem = error
    }
    return true
  }

  /// Invalidates the value or its pending request, as a change of the data or the connection requires.
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
  /// The connection and all open requests were lost.
  case connectionLost
  /// The data of a subject has changed; the old data stays until the new data arrives.
  case outdated(Subject)
  /// The server may have missing data by now.
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
