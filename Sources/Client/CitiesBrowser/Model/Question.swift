internal import CitiesProtocol

/// What the browser asks the server.
enum Question: Sendable {
  /// A page of the cities that begin with a prefix.
  case cities(CitySearch)
  /// The neighbours of a place.
  case neighbours(CityNear)
}

/// What the server answers, each to the question of the same name.
enum Answer: Sendable {
  case cities(CitySearch.Reply)
  case neighbours(CityNear.Reply)
}

/// A question on its way, with the id that its answer will carry.
struct Asked: Sendable {
  /// Unique in a browser's life, from 1 up.
  var id: UInt64
  /// What is asked.
  var question: Question

  /// Puts it together.
  init(id: UInt64, question: Question) { (self.id, self.question) = (id, question) }
}

/// Hands out ids for questions, as long as not too many are under way.
///
/// A server that is slow to answer thus never has a pile of questions before it that nobody waits for any more: what is
/// wanted then is asked when an answer has made room.
struct Asker {
  /// Questions under way at once.
  static let window = 8

  private(set) var lastID: UInt64 = 0
  private(set) var underWay: Set<UInt64> = []
  private var made: [Asked] = []

  /// Asks, and returns the id; `nil` if there is no room.
  mutating func ask(_ question: Question) -> UInt64? {
    guard underWay.count < Self.window else { return nil }
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

  /// Forgets all, because the connection is gone.
  mutating func lost() { (underWay, made) = ([], []) }
}
