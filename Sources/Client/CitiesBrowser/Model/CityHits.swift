internal import CitiesProtocol
internal import Text

/// The hits of a filter: the best matches for a name, or the cities nearest to a position.
struct CityHits: Sendable {
  /// The hits, best first; none if the only one is the first title.
  private(set) var rows: [CityFind.Row] = []
  /// Their heading: whether all are places of an area or near a position, or have similar names, because the filter has
  /// typing errors, or other names than their titles.
  private(set) var heading = CityLines.Heading.matches

  /// No cities.
  init() {}

  /// Arranges `found`.
  ///
  /// - Parameters:
  ///   - found: The hits, best first.
  ///   - hasTitles: Whether any title starts with the filter.
  ///   - firstTitle: The id of the first title, which is not repeated above the titles; `nil` if not fetched.
  ///   - visits: The ids of visited cities, which come first among equal hits.
  init(
    _ found: [CityFind.Row], hasTitles: Bool, firstTitle: UInt64?, visits: Set<UInt64> = []
  ) {
    let found = visits.isEmpty ? found : Self.visitedFirst(found, visits, CaseFolder())
    if !hasTitles || found.count != 1 || found[0].city.id != firstTitle { rows = found }
    let headings: [(CityFind.Kind, CityLines.Heading)] = [(.typo, .similar), (.area, .area), (.near, .nearest)]
    if let only = headings.first(where: { kind, _ in !found.isEmpty && found.allSatisfy { $0.by == kind } }) {
      heading = only.1
    } else if found.allSatisfy({ $0.by == .alternate || $0.by == .code }) {
      heading = .alsoKnown
    }
  }

  /// Whether the reason why they are listed is neither their name nor that of a title.
  var isAboutPlace: Bool { heading == .area || heading == .nearest }

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
    section == .best && rows.indices.contains(place) ? rows[place] : nil
  }
}

extension CityFind.Kind {
  /// By its distance from the position that is typed; only in this program.
  static let near = CityFind.Kind(rawValue: "near")
}
