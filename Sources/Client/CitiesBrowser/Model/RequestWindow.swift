internal import CitiesProtocol

/// A request of the full screen.
enum BrowserRequest: Sendable {
  /// A page of the cities whose titles start with a prefix, or of the largest.
  case cities(CitySearch)
  /// The cities that people may mean by a name.
  case found(CityFind)
  /// The neighbours of a place.
  case neighbours(CityNear)
  /// The largest cities of an area.
  case within(CityWithin)
  /// A city with its other names.
  case city(CityGet)
  case regions(BankRegions)
  /// A page of the locations whose names and addresses contain words.
  case locations(BankSearch)
  /// The locations nearest to a place.
  case nearLocations(BankNear)
  case location(BankGet)
  case products(ProductList)
  /// A page of a product's transactions.
  case transactions(ProductGet)
  /// The rates, which list the known currencies.
  case rates(RateList)
  /// An update of feeds, which may take long: it has its own connection.
  case refresh(Refresh)
}

/// The reply to the request of the same name.
enum BrowserReply: Sendable {
  case cities(CitySearch.Reply)
  case found(CityFind.Reply)
  case neighbours(CityNear.Reply)
  case within(CityWithin.Reply)
  case city(CityGet.Reply)
  case regions(BankRegions.Reply)
  case locations(BankPage)
  case nearLocations(BankNear.Reply)
  case location(BankGet.Reply)
  case products(ProductList.Reply)
  case transactions(ProductGet.Reply)
  case rates(RateList.Reply)
  case refresh(Refresh.Reply)
}

/// A request and the id that its reply repeats.
struct IssuedRequest: Sendable {
  /// Unique in the life of a browser, from 1 up.
  var id: UInt64
  var request: BrowserRequest
}

/// Limits the requests that wait for a reply, and numbers them.
///
/// A slow server therefore never has a queue of requests whose answers are no longer wanted: a screen asks for what it
/// shows when a reply has made room.
struct RequestWindow: Sendable {
  /// Requests that may wait for a reply at once: a character that is typed makes two.
  static let capacity = 16

  private var lastID: UInt64 = 0
  private var pending: Set<UInt64> = []
  private var issued: [IssuedRequest] = []
  private var isConnected = true

  /// Issues a request and returns its id; `nil` if the window is full or there is no connection.
  mutating func ask(_ request: BrowserRequest) -> UInt64? {
    guard isConnected, pending.count < Self.capacity else { return nil }
    lastID += 1
    pending.insert(lastID)
    issued.append(IssuedRequest(id: lastID, request: request))
    return lastID
  }

  /// The requests that were issued since the last call.
  mutating func takeIssued() -> [IssuedRequest] {
    defer { issued = [] }
    return issued
  }

  /// Makes room after a reply.
  mutating func answered(_ id: UInt64) { pending.remove(id) }

  /// Drops all requests; none is issued before the next connection.
  mutating func connectionLost() { (pending, issued, isConnected) = ([], [], false) }

  mutating func connected() { isConnected = true }
}
