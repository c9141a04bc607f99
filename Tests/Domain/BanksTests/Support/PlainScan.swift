import Banks
import CivilTime
import Geodesy
import Text

/// What the index must answer, found by looking at every location.
struct PlainScan {
  let locations: [String: BankLocation]

  /// The English names, as the index must know them.
  static let countryNames = ["EE": "Estonia", "LV": "Latvia", "LT": "Lithuania", "BA": "Bosnia and Herzegovina"]

  /// The ids of what passes a filter and holds all words, by title.
  func search(_ words: String, _ filter: BankFilter) -> [String] {
    let folder = CaseFolder()
    let words = words.split(separator: " ").map { folder.folded(String($0), .baseLetters) }
    return locations.filter { _, location in
      let text = String(
        decoding: folder.folded("\(location.name.map { "\($0) " } ?? "")\(location.address)", .baseLetters),
        as: UTF8.self)
      return passes(location, filter) && words.allSatisfy { text.contains(String(decoding: $0, as: UTF8.self)) }
    }.keys.sorted { titleKey($0).lexicographicallyPrecedes(titleKey($1)) }
  }

  /// The ids of what passes a filter, by country, region and title.
  func list(_ filter: BankFilter) -> [String] {
    locations.filter { passes($0.value, filter) }.keys
      .sorted { (headingKey($0) + titleKey($0)).lexicographicallyPrecedes(headingKey($1) + titleKey($1)) }
  }

  /// (metres, id) of the nearest that pass a filter.
  func near(_ place: GeoPoint, _ limit: Int, _ radius: Double, _ filter: BankFilter, rank: (String) -> Int?) -> [String]
  {
    let all = locations.filter { passes($0.value, filter) }
      .map { [Int(place.metres(to: $0.value.point)), rank($0.key) ?? -1] }
    return all.filter { Double($0[0]) <= radius }.sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit)
      .map { "\($0[0]) \($0[1])" }
  }

  private func passes(_ location: BankLocation, _ filter: BankFilter) -> Bool {
    let country = Self.countryNames[location.country] ?? location.country
    if let wanted = filter.country, ![location.country, country].map(folded).contains(folded(wanted)) { return false }
    if let wanted = filter.region {
      // An exact spelling anywhere in the scope takes precedence over the folded one.
      let scope = locations.values.filter { other in
        filter.country.map { [other.country, Self.countryNames[other.country] ?? ""].map(folded).contains(folded($0)) }
          ?? true
      }
      let exists = scope.contains { $0.region == wanted }
      guard
        wanted.isEmpty
          ? location.region == nil
          : exists
            ? location.region == wanted
            : location.region.map(folded) == folded(wanted)
      else { return false }
    }
    if let wanted = filter.categories, !wanted.contains(location.kind.category) { return false }
    if let wanted = filter.bank, location.bank != wanted, !location.bank.hasPrefix(wanted + "-") { return false }
    return true
  }

  /// Base letters, then the spelling, one part after the other; a missing one comes last.
  private func titleKey(_ id: String) -> [String] {
    let location = locations[id]
    return key(location?.name) + key(location?.address) + [id]
  }

  private func headingKey(_ id: String) -> [String] {
    let country = locations[id]?.country ?? ""
    return key(Self.countryNames[country] ?? country) + key(locations[id]?.region)
  }

  private func key(_ text: String?) -> [String] { text.map { ["0", folded($0), $0] } ?? ["1", "", ""] }

  private func folded(_ text: String) -> String {
    String(decoding: CaseFolder().folded(text, .baseLetters), as: UTF8.self)
  }
}
