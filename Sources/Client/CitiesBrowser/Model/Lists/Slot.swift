internal import CitiesProtocol

/// One answer that a screen wants: asked for once, and again when it is outdated.
struct Slot<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  /// What it is about; another key makes the value worthless.
  private(set) var key: Key?
  /// The answer, if it is there.
  private(set) var value: Value?
  /// Why there is none.
  private(set) var problem: WireError?
  private var asked: UInt64?
  private var isOutdated = false

  /// Turns to another key.
  mutating func turn(to key: Key?) {
    guard key != self.key else { return }
    self = Slot()
    self.key = key
  }

  /// Turns to another key, but shows the value of the old one until the new one's is there.
  mutating func turnKeeping(to key: Key?) {
    guard key != self.key else { return }
    (self.key, asked, problem, isOutdated) = (key, nil, nil, true)
  }

  /// Asks again if the data was not there yet.
  mutating func retry() { if problem?.mayPass == true { problem = nil } }

  /// Whether an answer is wanted that nobody was asked for.
  var isMissing: Bool { key != nil && asked == nil && problem == nil && (value == nil || isOutdated) }

  /// Notes that the answer was asked for.
  mutating func note(_ id: UInt64) { asked = id }

  /// Whether the answer with this id is waited for; it no longer is, then.
  mutating func awaits(_ id: UInt64) -> Bool {
    guard asked == id else { return false }
    asked = nil
    return true
  }

  /// Takes the answer.
  mutating func fill(_ value: Value) { (self.value, problem, isOutdated) = (value, nil, false) }

  /// Takes the reason why there is none.
  mutating func fail(_ problem: WireError) { self.problem = problem }

  /// Forgets what is under way, because the connection is gone; what failed is tried again.
  mutating func lost() { (asked, problem) = (nil, nil) }

  /// The data has changed.
  mutating func outdated() { (asked, problem, isOutdated) = (nil, nil, true) }
}
