import Base
import Cities
import CitiesProtocol
import FrameService
import Text

/// Looks up the country and the region that narrow a search for names.
struct AreaConditions {
  /// Code points of a name in an error's message, and bytes that hold them.
  private static let shownName = 80
  private static let shownBytes = 400

  private let folder = CaseFolder()

  /// Narrows `conditions` to a country and a region of it, each by its code or one of its names, where they are given.
  ///
  /// - Throws: `invalid-params` for a name that none has.
  func add(
    country: UnsafeRawBufferPointer?, region: UnsafeRawBufferPointer?, to conditions: inout PlaceConditions,
    _ index: CityIndex
  ) throws(WireError) {
    switch narrow(&conditions, country: country, region: region, index) {
    case nil: return
    case .unknownCountry: throw Self.unknown("country", country)
    case .unknownRegion: throw Self.unknown("region", region)
    }
  }

  /// Does the same, and returns the problem.
  func narrow(
    _ conditions: inout PlaceConditions, country: UnsafeRawBufferPointer?, region: UnsafeRawBufferPointer?,
    _ index: CityIndex
  ) -> PlaceConditions.Problem? {
    do throws(PlaceConditions.Problem) {
      if let country { try conditions.require(country: key(country), index) }
      if let region { try conditions.require(region: key(region), index) }
      return nil
    } catch {
      return error
    }
  }

  private func key(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    folder.fold(name, .words, atMost: CityIndex.longestQuery) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private static func unknown(_ param: String, _ name: UnsafeRawBufferPointer?) -> WireError {
    let shown = String(decoding: (name ?? .init(start: nil, count: 0)).prefix(shownBytes), as: UTF8.self)
    return .invalidParam(
      param, "no \(param) is called \"\(shown.excerpt(shownName))\"; expected a code or a name of one")
  }
}
