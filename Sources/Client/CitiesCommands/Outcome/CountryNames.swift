internal import COutlines

/// The English names of countries by code (ISO 3166-1 alpha-2), of `contrib/data/countries.tsv`.
package struct CountryNames: Sendable {
  private let names: [String: String]

  /// Reads the table.
  ///
  /// - Complexity: O(n) in its 250 rows, some 50 µs; keep the result.
  package init() { names = Dictionary(Self.rows()) { first, _ in first } }

  /// All countries, ordered by code.
  var all: [(code: String, name: String)] { Self.rows() }

  /// The name of the country with a code, in any case; `nil` if the table does not have the code.
  package subscript(code: String) -> String? { names[code] ?? names[code.uppercased()] }

  private static func rows() -> [(code: String, name: String)] {
    let bytes = UnsafeBufferPointer(start: cities_country_facts_bytes(), count: cities_country_facts_count())
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      let fields = line.split(separator: "\t")
      return (String(fields[0]), String(fields[fields.count - 1]))
    }
  }
}
