import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy
import Text

/// Finds the cities to which a request refers.
struct CityFinder {
  /// The maximum number of candidates in an `ambiguous` error.
  static let maximumCandidates = 20
  /// The maximum number of code points of a title in an error message.
  private static let shownTitle = 80

  let plainFolder = CaseFolder()
  private let baseFolder = CaseFolder()

  /// The only city with `id`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates if the source gives the id to several cities.
  func rank(id: UInt64, _ index: CityIndex) throws(WireError) -> Int {
    let positions = index.positions(id: id)
    guard !positions.isEmpty else { throw WireError(.notFound, "no city has the id \(id)") }
    guard positions.count > 1 else { return index.rank(inOrderOfIDs: positions.lowerBound) }
    let message = "\(positions.count) cities have the id \(id); choose one by title or place"
    throw try Self.ambiguous(message, nil, positions.count, index) {
      index.rank(inOrderOfIDs: positions.lowerBound + $0)
    }
  }

  /// All cities with `title`.
  ///
  /// - Throws: `not-found` if there is none.
  func namesakes(_ title: String, _ index: CityIndex) throws(WireError) -> CityMatches {
    let matches = titled(title, index)
    guard matches.total > 0 else { throw Self.notFound(title) }
    return matches
  }

  func titled(_ title: String, _ index: CityIndex) -> CityMatches {
    let plain = plainFolder.folded(title, .plain, atMost: index.longestTitle(.plain))
    let base = baseFolder.folded(title, .baseLetters, atMost: index.longestTitle(.folded))
    var matches = CityMatches()
    // A title whose folded form would be too long names no city: no city has an empty title.
    (plain ?? []).withUnsafeBytes { plain in
      (base ?? []).withUnsafeBytes { base in index.cities(titled: plain, base: base, into: &matches) }
    }
    return matches
  }

  /// Validates a position; `param` names the place in errors.
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

  /// The error for several cities with `title`.
  static func ambiguous(
    _ title: String, _ matches: CityMatches, _ index: CityIndex
  ) throws(WireError) -> WireError {
    let shown = title.excerpt(shownTitle)
    let message = "\(matches.total) cities are called \"\(shown)\"; choose one by id or place"
    return try ambiguous(message, shown, matches.total, index) { index.rank(of: matches, at: $0) ?? index.count }
  }

  /// The error for several cities with the name `query`, best first.
  static func ambiguous(
    _ query: String, _ names: PlaceResolver, _ index: CityIndex
  ) throws(WireError) -> WireError {
    let shown = query.excerpt(shownTitle)
    let called = names.total == 1 ? "1 city is" : "\(names.total) cities are"
    let message = "\(called) called \"\(shown)\"; name the region or the country, or choose one by id"
    return try ambiguous(message, shown, names.total, index) { names.candidates[$0].rank }
  }

  /// The maximum number of cities in the error for an area.
  static let shownCities = 5

  /// The error for a query that names a country, with its largest cities.
  static func ambiguous(
    _ query: String, _ country: (largest: [Int], total: Int), _ index: CityIndex
  ) throws(WireError) -> WireError {
    let shown = query.excerpt(shownTitle)
    let message = "\"\(shown)\" is a country; name one of its cities"
    var error = try ambiguous(message, shown, country.largest.count, index) { country.largest[$0] }
    let code = error.data?.candidates?.first?.country
    error.data?.country = code
    error.data?.total = UInt64(country.total)
    return error
  }

  /// The error for a query that names a region, with its largest cities.
  static func ambiguous(
    _ query: String, regionOf index: CityIndex, _ budget: Budget
  ) async throws -> WireError {
    var (search, conditions) = (NameSearch(), PlaceConditions(limit: shownCities, allowsTypos: false))
    (conditions.isFinished, conditions.codes) = (true, CodeUse(query.utf8))
    CaseFolder().folded(query, .words).withUnsafeBytes { search.begin($0, conditions, index) }
    while !search.advance(steps: 64, index) { try await budget.check(64) }
    let shown = query.excerpt(shownTitle)
    let message = "\"\(shown)\" is a region; name one of its cities"
    var error = try ambiguous(message, shown, search.hits.count, index) { search.hits[$0].rank }
    // The number of all cities of a region is not known.
    error.data?.total = nil
    return error
  }

  /// The error for a name that no city has.
  static func notFound(_ title: String) -> WireError {
    let name = title.excerpt(shownTitle)
    return WireError(.notFound, "no city is called \"\(name)\"", data: ErrorData(value: name))
  }

  /// The error for `total` cities with the name `name`, the first of which `rank` returns, each with its region.
  private static func ambiguous(
    _ message: String, _ name: String?, _ total: Int, _ index: CityIndex, rank: (Int) -> Int
  ) throws(WireError) -> WireError {
    var candidates: [CityRow] = []
    for position in 0..<min(total, maximumCandidates) {
      var row = try row(rank(position), index)
      row.zone = nil
      candidates.append(row)
    }
    return WireError(.ambiguous, message, data: ErrorData(value: name, candidates: candidates, total: UInt64(total)))
  }

  /// The city at `rank`, with its region and zone.
  ///
  /// - Throws: `internal` if the file is corrupt.
  static func row(_ rank: Int, _ index: CityIndex) throws(WireError) -> CityRow {
    do {
      var row = try CBORDecoder().decode(CityRow.self, from: index.row(at: rank).bytes)
      let place = index.surroundings(of: rank)
      func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      (row.region, row.regionCode, row.zone) = (text(place.region), text(place.regionCode), text(place.zone))
      return row
    } catch {
      throw WireError(.internal, "a row of the index cannot be read: \(error); run citiesd-sync run --force cities")
    }
  }
}
