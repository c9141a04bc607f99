internal import CitiesProtocol

/// A value that a screen needs: requested once, and again when it is outdated.
struct FetchedValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  /// The key of the value; another key makes the value worthless.
  private(set) var key: Key?
  /// The answer, once it has come.
  private(set) var value: Value?
  private(set) var problem: WireError?
  private var asked: UInt64?
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

  /// Repeats the request if the server did not have the data yet.
  mutating func retry() { if problem?.mayPass == true { problem = nil } }

  /// Whether an answer is needed that has not been requested.
  var isMissing: Bool { key != nil && asked == nil && problem == nil && (value == nil || isOutdated) }

  /// Whether there is nothing to wait for: the value or an error has come, or there is no key.
  var isSettled: Bool { key == nil || problem != nil || (value != nil && !isOutdated) }

  /// Records that the answer was requested.
  mutating func didSend(_ id: UInt64) { asked = id }

  /// Whether the answer with this id is waited for; it no longer is, then.
  mutating func claim(_ id: UInt64) -> Bool {
    guard asked == id else { return false }
    asked = nil
    return true
  }

  mutating func fill(_ value: Value) { (self.value, problem, isOutdated) = (value, nil, false) }

  /// Takes the reason why there is none.
  mutating func fail(_ problem: WireError) { self.problem = problem }

  /// Drops open requests and problems after a loss of the connection, so that all is requested again.
  mutating func connectionLost() { (asked, problem) = (nil, nil) }

  mutating func outdated() { (asked, problem, isOutdated) = (nil, nil, true) }
}

extension WireError {
  /// Whether a later request may succeed: the server has no data yet, or is too busy.
  var mayPass: Bool { code == .unavailable || code == .busy }
}
