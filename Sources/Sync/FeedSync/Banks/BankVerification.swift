import Banks
import CBOR
import CitiesProtocol
import Geodesy
import Resident

/// Compares what an index of locations answers with the rows that stand in it.
struct BankVerification {
  private let index: BankIndex
  private let rows: [BankRow]

  /// What contradicts what in `banks`; `nil` if nothing does.
  ///
  /// - Complexity: O(n log n) for n locations.
  static func problem(in banks: ResidentBanks) -> String? {
    var rows: [BankRow] = []
    for rank in 0..<banks.count {
      guard let row = try? CBORDecoder().decode(BankRow.self, from: banks.index.row(at: rank)) else {
        return "rank \(rank): the row is no encoded location"
      }
      rows.append(row)
    }
    let verification = BankVerification(index: banks.index, rows: rows)
    for rank in rows.indices {
      if let problem = verification.problem(at: rank) { return "rank \(rank): \(problem)" }
    }
    return verification.problemOfOrders()
  }

  private func problem(at rank: Int) -> String? {
    let row = rows[rank]
    if let problem = BankRule.problem(with: BankLocation(row)) { return "\(problem)" }
    guard index.id(at: rank) == row.id, index.rank(id: row.id) == rank else {
      return "id \(row.id) does not lead to its row"
    }
    guard index.point(at: rank) == GeoPoint(latitude: row.lat, longitude: row.lon) else {
      return "the position is another than the row's"
    }
    guard index.bank(at: rank) == row.bank, index.zones.contains(row.zone) else {
      return "the bank or the time zone is another than the row's"
    }
    return index.hours(at: rank) == WeeklyHours(row) ? nil : "the hours are others than the row's"
  }

  /// Every way to find locations must find each of them, under the heading and the kind of its row.
  private func problemOfOrders() -> String? {
    let all = Set(rows.indices)
    guard let list = try? index.list(), list == Array(rows.indices) else { return "the list leaves locations out" }
    guard let words = try? KeywordQuery(""), let found = try? index.search(words), Set(found) == all else {
      return "the order of titles leaves locations out"
    }
    var neighbours = Neighbours()
    try? index.near(GeoPoint(latitude: 0, longitude: 0), limit: rows.count, into: &neighbours)
    guard Set((0..<neighbours.count).map { neighbours[$0].item }) == all else { return "the tree leaves locations out" }
    for category in LocationCategory.allCases {
      let expected = rows.indices.filter { rows[$0].kind.rawValue == category.rawValue }
      guard (try? index.list(BankFilter(category: category))) == expected else {
        return "the kind \(category.rawValue) is not that of the rows"
      }
    }
    return problemOfHeadings()
  }

  private func problemOfHeadings() -> String? {
    var rank = 0
    for country in (try? index.regions()) ?? [] {
      for region in country.regions {
        for row in rows[rank..<min(rank + region.count, rows.count)]
        where (row.country, row.countryName, row.region) != (country.code, country.name, region.name) {
          return "\(row.id) stands under the wrong heading"
        }
        rank += region.count
      }
    }
    return rank == rows.count ? nil : "the headings leave locations out"
  }
}

extension WeeklyHours {
  fileprivate init?(_ row: BankRow) {
    guard let hours = row.hours else { return nil }
    self.init(hours.compactMap { Stretch(weekday: $0.day, opens: $0.opens, closes: $0.closes) })
  }
}
