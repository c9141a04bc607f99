internal import CitiesProtocol

/// What the browser asks the server.
enum Question: Sendable {
  /// A page of the cities that begin with a prefix, or the largest of all.
  case cities(CitySearch)
  /// The neighbours of a place.
  case neighbours(CityNear)
  /// Countries with their regions.
  case regions(BankRegions)
  /// A page of the locations that hold words.
  case locations(BankSearch)
  /// The locations nearest to a place.
  case nearLocations(BankNear)
  /// One location.
  case location(BankGet)
  /// A page of products.
  case products(ProductList)
  /// A page of a product's transactions.
  case transactions(ProductGet)
  /// The rates, for the currencies that there are.
  case rates(RateList)
  /// To bring feeds up to date, which may take long: it has a connection of its own.
  case refresh(Refresh)
}

/// What the server answers, each to the question of the same name.
enum Answer: Sendable {
  case cities(CitySearch.Reply)
  case neighbours(CityNear.Reply)
  case regions(BankRegions.Reply)
  case locations(BankPage)
  case nearLocations(BankNear.Reply)
  case location(BankGet.Reply)
  case products(ProductList.Reply)
  case transactions(ProductGet.Reply)
  case rates(RateList.Reply)
  case refresh(Refresh.Reply)
}

/// A question on its way, with the id that its answer will carry.
struct Asked: Sendable {
  /// Unique in a browser's life, from 1 up.
  var id: UInt64
  /// What is asked.
  var question: Question
}

/// What the browser was started for.
enum Purpose: Hashable, Sendable {
  /// Looking around.
  case browse
  /// Choosing one city.
  case pick
}

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
