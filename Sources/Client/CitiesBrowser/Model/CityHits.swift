internal import CitiesProtocol
internal import Text

/// The cities that `city.find` found, divided by their place in the list: above the titles or below them.
struct CityHits: Sendable {
  /// Above the titles: while browsing the city that people most likely mean, in a choice all cities.
  private(set) var best: [CityFind.Row] = []
  /// Below the titles: the cities that are not among them.
  private(set) var others: [CityFind.Row] = []
  /// How many cities are not among the titles.
  private(set) var unlisted = 0
  /// Whether all of them have other names than the filter: it has typing errors.
  private(set) var areSimilar = false

  /// No cities.
  init() {}

  /// Divides `found`.
  ///
  /// - Parameters:
  ///   - found: The cities that were found, best first.
  ///   - query: The query that both they and the titles answer.
  ///   - purpose: The purpose of the browser.
  ///   - hasTitles: Whether any title starts with the filter; otherwise nothing is above the titles.
  ///   - isFirstTitle: Whether the first title is the city that was found first, which then is not listed above it
  ///     again.
  init(
    _ found: [CityFind.Row], for query: CityScreen.Query, _ purpose: Browser.Purpose, hasTitles: Bool,
    isFirstTitle: Bool
  ) {
    let folder = CaseFolder()
    let key = folder.folded(query.prefix, query.foldMode)
    let elsewhere = found.filter { folder.matchedPrefix(of: $0.city.title, query: key, query.foldMode) == nil }
    unlisted = elsewhere.count
    areSimilar = !found.isEmpty && found.allSatisfy { $0.by == .typo }
    if hasTitles {
      best = purpose == .pick ? found : Array(found.prefix(1))
      if best.count == 1, isFirstTitle { best = [] }
    }
    if purpose == .browse || !hasTitles {
      others = elsewhere.filter { $0.city.id != best.first?.city.id }
    }
  }

  /// The row at a place of a section of the list; `nil` if there is none, or the section is another.
  subscript(section: CityLines.Section, place: Int) -> CityFind.Row? {
    let rows =
      switch section {
      case .best: best
      case .others: others
      case .suggestions, .titles: [CityFind.Row]()
      }
    return rows.indices.contains(place) ? rows[place] : nil
  }
}

extension CityFind.Row {
  /// The row with the region in its city, where rows of titles have it.
  var withRegionOfCity: CityFind.Row {
    var row = self
    (row.city.region, row.city.regionCode) = (region, regionCode)
    return row
  }
}
