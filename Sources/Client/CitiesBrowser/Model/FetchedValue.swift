internal import CitiesProtocol

/// One answer that a screen wants: asked for once, and again when it is outdated.
struct FetchedValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  /// The key of the value; another key makes the value worthless.
  private(set) var key: Key?
  /// The answer, if it is there.
  private(set) var value: Value?
  private(set) var problem: WireError?
  private var asked: UInt64?
  private var isOutdated = false

  mutating func setKey(_ key: Key?) {
    guard key != self.key else { return }
    self = FetchedValue()
    self.key = key
  }

  /// Turns to another key, but shows the value of the old one until the new one's is there.
  mutating func setKeyKeepingValue(_ key: Key?) {
    guard key != self.key else { return }
    (self.key, asked, problem, isOutdated) = (key, nil, nil, true)
  }

  /// Asks again if the data was not there yet.
  mutating func retry() { if problem?.mayPass == true { problem = nil } }

  /// Whether an answer is needed that has not been requested.
  var isMissing: Bool { key != nil && asked == nil && problem == nil && (value == nil || isOutdated) }

  /// Whether waiting brings nothing more: the value is there, or the reason why there is none, or none is wanted.
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

  /// Drops open requests after a loss of the connection, and problems, so that all is requested again.
  mutating func connectionLost() { (asked, problem) = (nil, nil) }

  mutating func outdated() { (asked, problem, isOutdated) = (nil, nil, true) }
}

extension WireError {
  /// Whether asking again in a while may help: the data is not there yet, or the server has too much to do.
  var mayPass: Bool { code == .unavailable || code == .busy }
}
