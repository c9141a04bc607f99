import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident
import Text

/// Finds the cities, or the place, that a request means.
struct CityFinder {
  /// Candidates that an `ambiguous` error lists at most.
  static let maximumCandidates = 20
  /// Steps of a search for what people call a city that are made at once: enough for all that are called alike in real
  /// lists, in a few microseconds.
  static let stepsInPlace = 8
  /// Code points of a title in an error's message.
  private static let shownTitle = 80

  private let plainFolder = CaseFolder()
  private let baseFolder = CaseFolder()

  /// The one city with `id`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates if the source gives the id to several cities.
  func rank(id: UInt64, _ index: CityIndex) throws(WireError) -> Int {
    let positions = index.positions(id: id)
    guard !positions.isEmpty else { throw WireError(.notFound, "no city has the id \(id)") }
    guard positions.count > 1 else { return index.rank(inOrderOfIDs: positions.lowerBound) }
    let message = "\(positions.count) cities have the id \(id); choose one by title or place"
    throw try Self.ambiguous(message, positions.count, index) { index.rank(inOrderOfIDs: positions.lowerBound + $0) }
  }

  /// All cities with `title`.
  ///
  /// - Throws: `not-found` if there is none.
  func namesakes(_ title: String, _ index: CityIndex) throws(WireError) -> CityMatches {
    let matches = titled(title, index)
    guard matches.total > 0 else { throw Self.notFound(title) }
    return matches
  }

  /// The search for the city that people call so.
  func resolve(_ query: String, for purpose: CityResolution.Purpose, _ index: CityIndex) -> CityResolution {
    CityResolution(query, titled(query, index), for: purpose, plainFolder, index)
  }

  private func titled(_ title: String, _ index: CityIndex) -> CityMatches {
    let plain = plainFolder.folded(title, .plain, atMost: index.longestTitle(.plain))
    let base = baseFolder.folded(title, .baseLetters, atMost: index.longestTitle(.folded))
    var matches = CityMatches()
    // A title that has no folded form of such a length names no city: the empty text is nobody's title.
    (plain ?? []).withUnsafeBytes { plain in
      (base ?? []).withUnsafeBytes { base in index.cities(titled: plain, base: base, into: &matches) }
    }
    return matches
  }

  /// Where a place is, as far as that is known at once; `param` names it in errors.
  ///
  /// - Throws: `invalid-params`, `not-found`, or `ambiguous` if a title's cities are not one place.
  func search(_ place: Place, _ param: String, _ index: CityIndex) throws(WireError) -> PlaceSearch {
    switch (place.at, place.id, place.title, place.query) {
    case (let at?, nil, nil, nil): return .found(FoundPlace(try point(at, param)))
    case (nil, let id?, nil, nil): return .found(FoundPlace(index.point(at: try rank(id: id, index))))
    case (nil, nil, let title?, nil):
      var search = PlaceSearch.choosing(title, NamesakeChoice(try namesakes(title, index), .onePlace))
      _ = try search.step(index)
      return search
    case (nil, nil, nil, let query?):
      var search = PlaceSearch.resolving(resolve(query, for: .place, index))
      var steps = 0
      while steps < Self.stepsInPlace, try search.step(index) == nil { steps += 1 }
      return search
    default: throw .invalidParam(param, "expected exactly one of \"at\", \"id\", \"title\" and \"query\"")
    }
  }

  /// A position that there can be; `param` names the place in errors.
  ///
  /// - Throws: `invalid-params`.
  func point(_ position: Position, _ param: String) throws(WireError) -> GeoPoint {
    guard (-90...90).contains(position.lat) else {
      throw .invalidParam("\(param).at.lat", "\(position.lat) is not from -90 to 90")
    }
    guard (-180...180).contains(position.lon) else {
      throw .invalidParam("\(param).at.lon", "\(position.lon) is not from -180 to 180")
    }
    return GeoPoint(latitude: position.lat, longitude: position.lon)
  }

  /// The error about several cities with `title`.
  static func ambiguous(
    _ title: String, _ matches: CityMatches, _ index: CityIndex
  ) throws(WireError) -> WireError {
    let message = "\(matches.total) cities are called \"\(title.excerpt(shownTitle))\"; choose one by id or place"
    return try ambiguous(message, matches.total, index) { index.rank(of: matches, at: $0) ?? index.count }
  }

  /// The error about several cities that are called `query`, by inhabitants.
  static func ambiguous(
    _ query: String, _ names: WholeNameSearch, _ index: CityIndex
  ) throws(WireError) -> WireError {
    let shown = query.excerpt(shownTitle)
    let message = "\(names.total) cities are called \"\(shown)\"; name the region or the country, or choose one by id"
    return try ambiguous(message, names.total, index) { names.candidates[$0].rank }
  }

  /// The error about a name that no city has.
  static func notFound(_ title: String) -> WireError {
    WireError(.notFound, "no city is called \"\(title.excerpt(shownTitle))\"")
  }

  /// The error about `total` cities, of which `rank` gives the first ones; each says its region.
  private static func ambiguous(
    _ message: String, _ total: Int, _ index: CityIndex, rank: (Int) -> Int
  ) throws(WireError) -> WireError {
    var candidates: [CityRow] = []
    for position in 0..<min(total, maximumCandidates) {
      let rank = rank(position)
      do {
        var row = try CBORDecoder().decode(CityRow.self, from: index.row(at: rank))
        let place = index.surroundings(of: rank)
        if !place.region.isEmpty { row.region = String(decoding: place.region, as: UTF8.self) }
        if !place.regionCode.isEmpty { row.regionCode = String(decoding: place.regionCode, as: UTF8.self) }
        candidates.append(row)
      } catch {
        throw WireError(.internal, "a row of the index cannot be read: \(error); run citiesd-sync run --force cities")
      }
    }
    return WireError(.ambiguous, message, data: ErrorData(candidates: candidates, total: UInt64(total)))
  }
}

/// Where a request's place is, and the city that its query was taken for.
struct FoundPlace {
  let point: GeoPoint
  let resolved: CityHit?

  init(_ point: GeoPoint, _ resolved: CityHit? = nil) { (self.point, self.resolved) = (point, resolved) }
}

/// The search for a request's place: over at once, unless thousands of cities have its title or name.
enum PlaceSearch {
  /// The place is known.
  case found(FoundPlace)
  /// It is the one place of a title's cities.
  case choosing(String, NamesakeChoice)
  /// It is the city that people call so.
  case resolving(CityResolution)

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
      self = .found(FoundPlace(index.point(at: rank)))
    case .resolving(var resolution):
      let hit = try resolution.step(index)
      self = .resolving(resolution)
      guard let hit else { return nil }
      self = .found(FoundPlace(index.point(at: hit.rank), hit))
    }
    return place
  }

  /// The place, if the search is over.
  var place: FoundPlace? {
    guard case .found(let place) = self else { return nil }
    return place
  }

  /// Where it is, if the search is over.
  var point: GeoPoint? { place?.point }
}

/// Work on a question about a place that takes long to find: it is found first.
final class PlacedWork: SlicedWork {
  private var search: PlaceSearch
  private let cities: ServedGeneration<ResidentCities>
  private let makeWork: (FoundPlace) throws(WireError) -> any SlicedWork
  private var work: (any SlicedWork)?

  /// Continues `search` in `cities`, then does the work that `makeWork` makes for the place.
  init(
    _ search: PlaceSearch, _ cities: ServedGeneration<ResidentCities>,
    _ makeWork: @escaping (FoundPlace) throws(WireError) -> any SlicedWork
  ) {
    (self.search, self.cities, self.makeWork) = (search, cities, makeWork)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while work == nil {
      if let place = try search.step(cities.data.index) {
        try cities.requireInService()
        work = try makeWork(place)
      }
      if slice.isOver() { return false }
    }
    return try work?.advance(&slice) ?? true
  }

  func write(into reply: inout CBORWriter) throws(WireError) { try work?.write(into: &reply) }
}
