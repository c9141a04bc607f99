import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Text

/// Finds the city, or the place, that a request means.
struct CityFinder {
  /// Candidates that an `ambiguous` error lists at most.
  static let maximumCandidates = 20
  /// Code points of a title in an error's message.
  private static let shownTitle = 80

  private let plainFolder = CaseFolder()
  private let baseFolder = CaseFolder()
  private var matches = CityMatches()

  /// The one city with `id`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates if the source gives the id to several cities.
  func rank(id: UInt64, _ index: CityIndex) throws(WireError) -> Int {
    let positions = index.positions(id: id)
    guard !positions.isEmpty else { throw WireError(.notFound, "no city has the id \(id)") }
    guard positions.count > 1 else { return index.rank(inOrderOfIDs: positions.lowerBound) }
    throw try ambiguous("\(positions.count) cities have the id \(id); choose one by title or place", positions.count) {
      index.row(at: index.rank(inOrderOfIDs: positions.lowerBound + $0))
    }
  }

  /// The one city with `title`, or of several the one nearest to `near`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates.
  mutating func rank(title: String, near: Place?, _ index: CityIndex) throws(WireError) -> Int {
    var origin: GeoPoint?
    // Before the title is looked up, as both use the same memory.
    if let near { origin = try point(of: near, "near", index) }
    try search(title, index)
    if let origin, let nearest = index.nearest(matches, to: origin) { return nearest }
    guard matches.total == 1, let rank = index.rank(of: matches, at: 0) else { throw try ambiguous(title, index) }
    return rank
  }

  /// Where a place is; `param` names it in errors.
  ///
  /// - Throws: `invalid-params`, `not-found`, or `ambiguous` if a title's cities are not one place.
  mutating func point(of place: Place, _ param: String, _ index: CityIndex) throws(WireError) -> GeoPoint {
    switch (place.at, place.id, place.title) {
    case (let at?, nil, nil): return try point(at, param)
    case (nil, let id?, nil): return index.point(at: try rank(id: id, index))
    case (nil, nil, let title?):
      try search(title, index)
      guard let rank = index.onePlace(matches) else { throw try ambiguous(title, index) }
      return index.point(at: rank)
    default: throw .invalidParam(param, "expected exactly one of \"at\", \"id\" and \"title\"")
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

  private mutating func search(_ title: String, _ index: CityIndex) throws(WireError) {
    let plain = plainFolder.folded(title, .plain, atMost: index.longestTitle(.plain))
    let base = baseFolder.folded(title, .baseLetters, atMost: index.longestTitle(.folded))
    // A title that has no folded form of such a length names no city: the empty text is nobody's title.
    (plain ?? []).withUnsafeBytes { plain in
      (base ?? []).withUnsafeBytes { base in index.cities(titled: plain, base: base, into: &matches) }
    }
    guard matches.total > 0 else {
      throw WireError(.notFound, "no city is called \"\(title.excerpt(Self.shownTitle))\"")
    }
  }

  private func ambiguous(_ title: String, _ index: CityIndex) throws(WireError) -> WireError {
    let message = "\(matches.total) cities are called \"\(title.excerpt(Self.shownTitle))\"; choose one by id or place"
    return try ambiguous(message, matches.total) { index.row(at: index.rank(of: matches, at: $0) ?? index.count) }
  }

  /// The error about `total` cities, of which `row` gives the first ones.
  private func ambiguous(
    _ message: String, _ total: Int, row: (Int) -> UnsafeRawBufferPointer
  ) throws(WireError) -> WireError {
    var candidates: [CityRow] = []
    for position in 0..<min(total, Self.maximumCandidates) {
      do {
        candidates.append(try CBORDecoder().decode(CityRow.self, from: row(position)))
      } catch {
        throw WireError(.internal, "a row of the index cannot be read: \(error); run citiesd-sync run --force cities")
      }
    }
    return WireError(.ambiguous, message, data: ErrorData(candidates: candidates, total: UInt64(total)))
  }
}
