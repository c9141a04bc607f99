package import Geodesy

/// The banks and countries that a query may concern, judged by its conditions alone.
package struct BankReach {
  private let countries: Set<TextKey>?
  private let bank: String?
  private let circle: (centre: GeoPoint, radius: Double)?

  /// Uses the conditions of `filter`, and of `circle`, with its radius in metres, if there is one.
  ///
  /// - Complexity: O(1) in the bytes of names beyond those of the longest one.
  package init(_ filter: BankFilter, within circle: (centre: GeoPoint, radius: Double)? = nil) {
    countries = filter.countryCodes
    bank = filter.bank.map { $0.utf8.count <= Self.longestBank ? $0.lowercased() : Self.noBank }
    self.circle = circle
  }

  /// Most bytes of a bank's name: those of feeds have at most 32.
  private static let longestBank = 64
  /// Neither the name of a bank nor the start of one.
  private static let noBank = "-"

  /// Whether the query may concern `bank`, whose locations are in `country` (a code), if known.
  ///
  /// - Complexity: O(1).
  package func mayInclude(bank: String, country: String?) -> Bool {
    hasBank(bank) && country.map { hasCountry($0) && reaches($0) } ?? true
  }

  /// Whether the query may concern the bank.
  package func hasBank(_ name: String) -> Bool { bank.map { name == $0 || name.hasPrefix("\($0)-") } ?? true }

  /// Whether the query may concern the country.
  package func hasCountry(_ code: String) -> Bool { countries?.contains(code) ?? true }

  private func reaches(_ country: String) -> Bool {
    guard let circle, circle.radius < .infinity, let box = CountryBox.box(of: country) else { return true }
    return box.leastMetres(from: circle.centre) <= circle.radius
  }
}
