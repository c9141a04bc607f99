package import Geodesy

/// The banks and countries that a question may be about, as far as its conditions say so without any location.
package struct BankReach {
  private let countries: Set<String>?
  private let bank: String?
  private let circle: (centre: GeoPoint, radius: Double)?

  /// Takes the conditions of `filter`, and of `circle` with its radius in metres if there is one.
  ///
  /// - Complexity: O(1) in the bytes of names beyond those of the longest one.
  package init(_ filter: BankFilter, within circle: (centre: GeoPoint, radius: Double)? = nil) {
    // A feed may be configured for a code that no country has.
    countries = filter.country.map { name in
      CountryName.codes(called: name).union(name.utf8.count == 2 ? [name.uppercased()] : [])
    }
    bank = filter.bank.map { $0.utf8.count <= Self.longestBank ? $0.lowercased() : Self.noBank }
    self.circle = circle
  }

  /// Bytes of a text that may be the name of a bank: its own have at most 32.
  private static let longestBank = 64
  /// Neither the name of a bank nor the start of one.
  private static let noBank = "-"

  /// Whether locations of `bank` may be meant; they are in the country with the code `country`, if that is known.
  ///
  /// - Complexity: O(1).
  package func mayInclude(bank: String, country: String?) -> Bool {
    hasBank(bank) && country.map { hasCountry($0) && reaches($0) } ?? true
  }

  /// Whether the bank is one of those asked for.
  package func hasBank(_ name: String) -> Bool { bank.map { name == $0 || name.hasPrefix("\($0)-") } ?? true }

  /// Whether the country is the one asked for.
  package func hasCountry(_ code: String) -> Bool { countries?.contains(code) ?? true }

  private func reaches(_ country: String) -> Bool {
    guard let circle, circle.radius < .infinity, let box = CountryBox.box(of: country) else { return true }
    return box.leastMetres(from: circle.centre) <= circle.radius
  }
}
