internal import CCountryFacts

/// The capital, the currency, the languages and the neighbours of a country: `contrib/data/countries.tsv`, embedded in
/// the program.
package struct CountryFacts: Equatable, Sendable {
  /// The currency's code (ISO 4217).
  package let currency: String
  /// The capital's id in the list of cities.
  package let capital: UInt64?
  /// The official languages, such as `nl` or `sr_Latn`, by number of speakers.
  package let languages: [String]
  /// Their English names: `Dutch, French, German`.
  package let languageNames: String
  /// The codes that calls from abroad begin with: `+32`.
  package let callingCodes: String
  /// The codes of the countries that it has a border with, ordered.
  package let neighbours: [String]

  /// The facts of countries by their codes, without Antarctica and countries that no longer exist.
  ///
  /// - Complexity: O(n) in the 11 KB of the table; cache the result.
  package static func all() -> [TextKey: CountryFacts] {
    let bytes = unsafe UnsafeBufferPointer(start: cities_country_facts_bytes(), count: cities_country_facts_count())
    let lines = unsafe String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let rows = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    let ruled = rows.filter { $0.count == 8 && !$0[1].isEmpty }
    return Dictionary(ruled.map { (TextKey($0[0]), CountryFacts($0)) }) { first, _ in first }
  }

  private init(_ fields: [Substring]) {
    (currency, capital) = (String(fields[1]), UInt64(fields[2]))
    (languageNames, callingCodes) = (String(fields[4]), String(fields[5]))
    languages = fields[3].split(separator: " ").map(String.init)
    neighbours = fields[6].split(separator: " ").map(String.init)
  }
}
