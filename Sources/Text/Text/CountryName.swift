internal import CCountryFacts

/// The names of countries by the codes of ISO 3166-1, and of Kosovo by its customary code: one table for all programs,
/// `contrib/data/countries.tsv`.
///
/// Changing a name changes the bytes of an index of banks, so the importer's fingerprint includes it and the index is
/// rebuilt.
package enum CountryName {
  /// The English name of the country with a code, in any case; `nil` if no country has it.
  ///
  /// - Complexity: O(log n) in the table.
  package static subscript(code: String) -> String? {
    code.utf8.count == 2 ? countries.rows(startingWith: "\(code.uppercased())\t").first?.last.map(String.init) : nil
  }

  /// The English name of the country with a code, or the code itself.
  ///
  /// - Complexity: O(log n) in the table.
  package static func name(of code: String) -> String { self[code] ?? code }

  /// All countries, ordered by code.
  ///
  /// - Complexity: O(n) in the 250 countries.
  package static var all: [(code: String, name: String)] {
    countries.rows(startingWith: "").map { ($0.first.map(String.init) ?? "", $0.last.map(String.init) ?? "") }
  }

  private static let countries = SortedLines(
    borrowing: UnsafeRawBufferPointer(start: cities_country_facts_bytes(), count: cities_country_facts_count()))
}
