import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy
import Resident

/// What a request's place was found to be.
struct FoundPlace {
  /// Where it is.
  let point: GeoPoint
  /// The rank of the city that it is, or of the one nearest to a position if that is wanted; `nil` if there is none.
  let city: Int?
  /// What its query was taken for.
  let resolved: CityHit?

  /// A position, whose nearest city is `city`.
  init(_ point: GeoPoint, nearest city: Int? = nil) { (self.point, self.city, resolved) = (point, city, nil) }

  /// The city at `rank`; `resolved` if a query was taken for it.
  init(_ rank: Int, _ index: CityIndex, _ resolved: CityHit? = nil) {
    (point, city, self.resolved) = (index.point(at: rank), rank, resolved)
  }
}

/// The search for a request's place: over at once, unless thousands of cities have its title or name.
enum PlaceSearch {
  /// The part of a place that a question needs.
  enum Goal {
    /// Where it is.
    case point
    /// Its city: of a position the nearest one.
    case city
  }

  /// The place is known.
  case found(FoundPlace)
  /// It is the one place of a title's cities.
  case choosing(String, NamesakeChoice)
  /// It is the city that people call so.
  case resolving(CityResolution)
  /// It is the city nearest to a position.
  case nearest(CityNearSearch, Neighbours)

  /// Leaves of the tree that are looked into in one step, in a few microseconds: nearly always enough for one city.
  private static let leavesPerStep = 64

  /// Continues for a few microseconds.
  ///
  /// - Returns: the place, or nil if the search is not over.
  /// - Throws: `ambiguous` if the cities are not one place.
  mutating func step(_ index: CityIndex) throws(WireError) -> FoundPlace? {
    switch self {
    case .found(let place): return place
    case .choosing(let title, var choice):
      let isUnderWay = choice.step(index)
      self = .choosing(title, choice)
      guard !isUnderWay else { return nil }
      guard let rank = choice.rank else { throw try CityFinder.ambiguous(title, choice.matches, index) }
      self = .found(FoundPlace(rank, index))
    case .resolving(var resolution):
      let hit = try resolution.step(index)
      self = .resolving(resolution)
      guard let hit else { return nil }
      self = .found(FoundPlace(hit.rank, index, hit))
    case .nearest(let search, var neighbours):
      let isOver = search.advance(leaves: Self.leavesPerStep, into: &neighbours)
      self = .nearest(search, neighbours)
      guard isOver else { return nil }
      self = .found(FoundPlace(search.origin, nearest: neighbours.count > 0 ? neighbours[0].item : nil))
    }
    return place
  }

  /// Steps that are made at once, in a few microseconds: in real lists enough for all that are called alike.
  fileprivate var stepsInPlace: Int {
    switch self {
    case .found: 0
    case .choosing, .nearest: 1
    case .resolving: 8
    }
  }

  /// Continues until the place is known.
  ///
  /// - Throws: `ambiguous` if the cities are not one place; ``Stopped``.
  func complete(_ index: CityIndex, _ budget: Budget) async throws -> FoundPlace {
    var search = self
    while true {
      if let place = try search.step(index) { return place }
      try await budget.check(64)
    }
  }

  /// The place, if the search is over.
  var place: FoundPlace? {
    guard case .found(let place) = self else { return nil }
    return place
  }
}

extension CityFinder {
  /// The search for a place, which goes as far as a few microseconds take it; `param` names the place in errors.
  ///
  /// - Throws: `invalid-params`, `not-found`, or `ambiguous` if a title's cities are not one place.
  func search(
    _ place: Place, _ param: String, for goal: PlaceSearch.Goal = .point, _ index: CityIndex
  ) throws(WireError) -> PlaceSearch {
    var search = try start(place, param, for: goal, index)
    var steps = search.stepsInPlace
    while steps > 0, try search.step(index) == nil { steps -= 1 }
    return search
  }

  /// Finds a place among `cities`; `param` names the place in errors.
  ///
  /// - Throws: `invalid-params`, `not-found`, `ambiguous` if a title's cities are not one place, `unavailable` if the
  ///   file turns out to be damaged; ``Stopped``.
  func find(
    _ place: Place, _ param: String, for goal: PlaceSearch.Goal = .point,
    in cities: ServedGeneration<ResidentCities>, _ budget: Budget
  ) async throws -> FoundPlace {
    let found = try await start(place, param, for: goal, cities.data.index).complete(cities.data.index, budget)
    try cities.requireInService()
    return found
  }

  private func start(
    _ place: Place, _ param: String, for goal: PlaceSearch.Goal, _ index: CityIndex
  ) throws(WireError) -> PlaceSearch {
    switch (place.at, place.id, place.title, place.query) {
    case (let at?, nil, nil, nil):
      let point = try point(at, param)
      guard case .city = goal else { return .found(FoundPlace(point)) }
      let search = index.nearSearch(point)
      var neighbours = Neighbours()
      search.begin(limit: 1, radius: .infinity, into: &neighbours)
      return .nearest(search, neighbours)
    case (nil, let id?, nil, nil): return .found(FoundPlace(try rank(id: id, index), index))
    case (nil, nil, let title?, nil): return .choosing(title, NamesakeChoice(try namesakes(title, index), .onePlace))
    case (nil, nil, nil, let query?): return .resolving(resolve(query, for: .place, index))
    default: throw .invalidParam(param, "expected exactly one of \"at\", \"id\", \"title\" and \"query\"")
    }
  }
}
