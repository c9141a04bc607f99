import Banks
import Base
import Cities
import CivilTime
import Coroutines
import Geodesy
package import Money
package import Resident
import TestSupport
package import TradeReference

/// Questions that follow every offset and every index of a resident file; errors are answers.
///
/// Files with right checksums and any content must live through them.
package enum ResidentQuestions {
  /// Asks everything of a list of cities.
  package static func ask(_ cities: ResidentCities) {
    askForTitles(cities)
    var neighbours = Neighbours()
    let search = cities.index.nearSearch(GeoPoint(latitude: 50, longitude: 10))
    search.begin(limit: 10, radius: .infinity, into: &neighbours)
    while !search.advance(leaves: .max, into: &neighbours) {}
    for rank in -1...cities.count { _ = (cities.index.row(at: rank).count, cities.index.point(at: rank)) }
    for id in [0, 707_860, 1 << 40, .max] as [UInt64] { _ = cities.index.positions(id: id) }
    askForNames(cities)
  }

  private static func askForTitles(_ cities: ResidentCities) {
    var matches = CityMatches()
    for (query, country) in [("", nil), ("ber", nil), ("berlin, u", nil), ("s", "br"), ("zz", "zz")]
      as [(String, String?)]
    {
      for mode in CityMatchMode.allCases {
        Array(query.utf8).withUnsafeBytes { query in
          Array((country ?? "").utf8).withUnsafeBytes { code in
            cities.index.search(query, mode: mode, country: country == nil ? nil : code, into: &matches)
          }
        }
        cities.index.withRows(matches, offset: 0, limit: 100) { _ in }
        _ = cities.index.ranks(matches, offset: 0, limit: 100, byPopulation: true)
      }
    }
  }

  private static func askForNames(_ cities: ResidentCities) {
    var (search, resolver) = (NameSearch(), PlaceResolver())
    for name in ["berlin", "sao paul", "hurzuv", "x", "germany", "berlin germany"].map({ Array($0.utf8) }) {
      name.withUnsafeBytes { search.begin($0, PlaceConditions(limit: 5), cities.index) }
      while !search.advance(steps: 1_000, cities.index) {}
      for place in 0..<search.hits.count { _ = cities.index.row(at: search.hits[place].rank).count }
      name.withUnsafeBytes { resolver.begin($0, PlaceConditions(limit: 1), cities.index) }
      let found = try? Coroutine.complete(&resolver) { try await $0.resolve(cities.index, $1) }
      if let rank = found?.rank { _ = cities.index.row(at: rank).count }
      _ = try? Coroutine.complete(&resolver) { try await $0.compare(cities.index, $1) }
    }
    _ = (cities.index.alternates(), cities.index.areaNames(countryCodes: []))
  }

  /// Asks everything of the locations of banks.
  package static func ask(_ banks: ResidentBanks) throws {
    let index = banks.index
    let open = BankFilter(open: banks.calendar.moment(.instant(0)))
    for filter in [
      BankFilter(), open, BankFilter(country: "LT", region: "vilnius", categories: [.branch], bank: "swedbank"),
    ] {
      guard let selection = try? Coroutine.complete({ try await index.selection(filter, $0) }) else { continue }
      try Coroutine.complete { budget in
        _ = try await index.forEachByHeading(selection, budget) { rank, _ in
          _ = (index.row(at: rank).count, index.hours(at: rank))
        }
        for words in ["", "zverynas kest"] {
          let query = try await KeywordQuery(words, longest: .max, budget)
          _ = try await index.forEachByTitle(query, selection, budget) { _ in }
        }
        let place = GeoPoint(latitude: 54, longitude: 25)
        _ = try await index.nearest(to: place, selection, limit: 5, radius: .infinity, budget)
      }
      for region in 0..<selection.regionCount { _ = index.heading(ofRegion: region, selection) }
    }
    for rank in -1...index.count {
      let moment = banks.calendar.moment(.instant(0))
      _ = (index.openState(at: rank, moment), index.rank(id: index.id(at: rank)))
    }
  }

  /// Asks everything of rates and transactions.
  package static func ask(_ trade: ResidentTrade) throws {
    for product in try ["T2006", "t2006", "0", "ß", "zz"].map({ try ProductCode($0) }) {
      if let index = trade.index(of: product) { _ = try? statement(ofProductAt: index, of: trade) }
    }
    for index in -1...trade.productCount {
      _ = (try? trade.product(at: index), trade.transactionCount(ofProductAt: index))
    }
    for currency in trade.currencies {
      for index in 0..<trade.productCount {
        _ = try? statement(ofProductAt: index, of: trade, in: currency, rounding: .step)
      }
      for other in trade.rates.currencies { _ = try? trade.rates.path(from: other, to: currency) }
    }
    _ = try? trade.verify()
  }

  /// The product at `index` of a file: its rows in `currency`, and their total.
  package static func statement(
    ofProductAt index: Int, of trade: ResidentTrade, in currency: CurrencyCode = .euro, rounding: Rounding = .once
  ) throws(ResidentError) -> ProductStatement {
    ProductStatement(
      try trade.product(at: index), try trade.transactions(ofProductAt: index), trade.rates, in: currency,
      rounding: rounding)
  }

  /// The contradiction between a file and the header that is read from it; `nil` if there is none, or no header.
  ///
  /// Every bit of header and table has one meaning, and every section lies inside the file.
  package static func misreading(ofHeader file: [UInt8]) -> String? {
    guard let header = file.withUnsafeBytes({ try? ResidentHeader(of: $0) }) else { return nil }
    guard header.encoded == Array(file.prefix(header.encoded.count)) else { return "misread: \(file)" }
    let areInside = header.sections.allSatisfy { $0.offset + $0.length <= UInt64(file.count) }
    return areInside ? nil : "outside: \(file)"
  }
}
