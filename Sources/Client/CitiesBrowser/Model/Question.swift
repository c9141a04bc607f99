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
