internal import CCountryNames
package import Text

/// Countries by name: the table `contrib/data/country-names.tsv`, which the client does not need.
extension CountryName {
  /// The most bytes of a text's key, far more than a name has.
  private static let longest = 256

  private static let names = SortedLines(
    borrowing: UnsafeRawBufferPointer(start: cities_country_names_bytes(), count: cities_country_names_count()))

  /// The codes of the countries with the code, number or name `text` in any language, folded by `FoldMode.words`;
  /// several for a name such as `Congo`.
  ///
  /// - Complexity: O(m + log n) in the bytes of `text`, up to a limit, and the 730 KB of the table.
  package static func codes(called text: String) -> [String] {
    guard let key = CaseFolder().folded(text, .words, atMost: longest) else { return [] }
    let found = names.rows(startingWith: String(decoding: key, as: UTF8.self) + "\t").first?.last
    return found?.split(separator: " ").map(String.init) ?? []
  }
}
