import Cities
import CitiesProtocol
import FrameService
import Text

/// Looks up the country and the region that restrict a search.
struct AreaConditions {
  /// The maximum number of code points of a name in an error message, and the bytes that suffice for them.
  private static let shownName = 80
  private static let shownBytes = 400
  /// The names of all countries, once: it takes longer to read their table than to answer.
  private static let countries = CountryName.all.map(\.name)

  private let folder = CaseFolder()

  /// Restricts `conditions` to a country and a region of it, if given, each by its code or one of its names.
  ///
  /// - Throws: `invalid-params` for an unknown name.
  func add(
    country: UnsafeRawBufferPointer?, region: UnsafeRawBufferPointer?, to conditions: inout PlaceConditions,
    _ index: CityIndex
  ) throws(WireError) {
    switch narrow(&conditions, country: country, region: region, index) {
    case nil: return
    case .unknownCountry: throw unknownCountry(country, index)
    case .unknownRegion:
      let name = Self.shown(region)
      throw .invalidParam("region", "no region is called \"\(name)\"; use a code (TX) or a name (Texas)")
    }
  }

  /// Does the same, but returns the problem.
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

  /// The error for an unknown country, with the nearest names in `index`.
  private func unknownCountry(_ country: UnsafeRawBufferPointer?, _ index: CityIndex) -> WireError {
    let name = Self.shown(country)
    var error = WireError.unknownName(
      "country", name, "no country \"\(name)\"; use a code (FR) or a name (France)", of: Self.countries)
    error.data?.known?.removeAll { known in
      Array(known.utf8).withUnsafeBytes { bytes in
        var conditions = PlaceConditions(limit: 1)
        return narrow(&conditions, country: bytes, region: nil, index) != nil
      }
    }
    return error
  }

  private static func shown(_ name: UnsafeRawBufferPointer?) -> String {
    String(decoding: (name ?? .init(start: nil, count: 0)).prefix(shownBytes), as: UTF8.self).excerpt(shownName)
  }
}
