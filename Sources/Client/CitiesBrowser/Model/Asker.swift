/// Hands out ids for questions, as long as not too many are under way.
///
/// A server that is slow to answer thus never has a pile of questions before it that nobody waits for any more: what is
/// wanted then is asked when an answer has made room.
struct Asker: Sendable {
  /// Questions under way at once.
  static let window = 8

  private var lastID: UInt64 = 0
  private var underWay: Set<UInt64> = []
  private var made: [Asked] = []
  private var isConnected = true

  /// Asks, and returns the id; `nil` if there is no room, or nobody to ask.
  mutating func ask(_ question: Question) -> UInt64? {
    guard isConnected, underWay.count < Self.window else { return nil }
    lastID += 1
    underWay.insert(lastID)
    made.append(Asked(id: lastID, question: question))
    return lastID
  }

  /// What was asked since the last call.
  mutating func takeMade() -> [Asked] {
    defer { made = [] }
    return made
  }

  /// Notes an answer.
  mutating func answered(_ id: UInt64) { underWay.remove(id) }

  /// Forgets all, because the connection is gone; nothing is asked before it is there again.
  mutating func lost() { (underWay, made, isConnected) = ([], [], false) }

  /// Goes on.
  mutating func connected() { isConnected = true }
}
