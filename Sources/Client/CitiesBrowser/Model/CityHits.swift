internal import CitiesProtocol
internal import Text

/// The hits of `city.find`, divided by their place in the list: above or below the titles.
struct CityHits: Sendable {
  /// Above the titles: the best match when browsing, all hits when picking.
  private(set) var best: [CityFind.Row] = []
  /// Below the titles: the hits that are not among the titles.
  private(set) var others: [CityFind.Row] = []
  /// The number of hits that are not among the titles.
  private(set) var unlisted = 0
  /// Their heading: whether all of them match by similar names, because the filter has typing errors, by other names,
  /// or otherwise, such as by an area.
  private(set) var heading = CityLines.Heading.matches

  /// No cities.
  init() {}

  /// Divides `found`.
  ///
  /// - Parameters:
  ///   - found: The hits, best first.
  ///   - query: The query of both hits and titles.
  ///   - purpose: The purpose of the browser.
  ///   - hasTitles: Whether any title starts with the filter.
  ///   - firstTitle: The id of the first title, which is not repeated above the titles; `nil` if not fetched.
  ///   - visits: The ids of visited cities, which come first among equal hits.
  init(
    _ found: [CityFind.Row], for query: CityScreen.Query, _ purpose: Browser.Purpose, hasTitles: Bool,
    firstTitle: UInt64?, visits: Set<UInt64> = []
  ) {
    let folder = CaseFolder()
    let found = Self.visitedFirst(found, visits, folder)
    let key = folder.folded(query.prefix, query.foldMode)
    let elsewhere = found.filter { folder.matchedPrefix(of: $0.city.title, query: key, query.foldMode) == nil }
    unlisted = elsewhere.count
    if !found.isEmpty, found.allSatisfy({ $0.by == .typo }) {
      heading = .similar
    } else if elsewhere.allSatisfy({ $0.by == .alternate || $0.by == .code }) {
      heading = .alsoKnown
    }
    if hasTitles {
      best = purpose == .pick ? found : Array(found.prefix(1))
      if best.count == 1, best[0].city.id == firstTitle { best = [] }
    }
    if purpose == .browse || !hasTitles {
      others = elsewhere.filter { $0.city.id != best.first?.city.id }
    }
  }

  /// The rows with a visited city first, if it has the same name as the best hit and was found in the same way.
  private static func visitedFirst(
    _ found: [CityFind.Row], _ visits: Set<UInt64>, _ folder: CaseFolder
  ) -> [CityFind.Row] {
    guard let best = found.first, !visits.contains(best.city.id) else { return found }
    let name = folder.folded(best.city.name, .baseLetters)
    let index = found.firstIndex {
      $0.by == best.by && visits.contains($0.city.id) && folder.folded($0.city.name, .baseLetters) == name
    }
    guard let index else { return found }
    return [found[index]] + found[..<index] + found[(index + 1)...]
  }

  /// The row at a place of a section; `nil` if there is none or the section has no hits.
  subscript(section: CityLines.Section, place: Int) -> CityFind.Row? {
    let rows =
      switch section {
      case .best: best
      case .others: others
      case .visited, .suggestions, .titles: [CityFind.Row]()
      }
    return rows.indices.contains(place) ? rows[place] : nil
  }
}
