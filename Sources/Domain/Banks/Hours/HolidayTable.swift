internal import CHours

/// A public holiday of a country.
package struct Holiday: Equatable, Sendable {
  /// The day, counted from 1970-01-01.
  package let day: Int64
  /// Its English name.
  package let name: String
}

/// The public holidays of the known countries, for some years ahead.
///
/// It reads the text that `contrib/data/make-holidays` writes and describes, ignoring malformed lines.
package struct HolidayTable: Sendable {
  /// The built-in table, `contrib/data/holidays.tsv`.
  package static let shipped = HolidayTable(
    borrowing: UnsafeRawBufferPointer(start: cities_holidays_bytes(), count: cities_holidays_count()))

  private let lines: SortedLines

  /// Borrows a text, which must outlive the table.
  package init(borrowing text: UnsafeRawBufferPointer) { lines = SortedLines(borrowing: text) }

  /// The last day whose holidays are known, such as `2029-12-31`; `nil` for a text without its first line.
  package var lastDay: String? { lines.rows(startingWith: "#\t").first?.last.map(String.init) }

  /// The holidays of a country by its code (ISO 3166-1 alpha-2); none for an unknown country.
  ///
  /// - Complexity: O(log n + k) in the bytes of the text, k of them about the country.
  package func holidays(of country: String) -> [Holiday] {
    lines.rows(startingWith: "\(country)\t").filter { $0.count == 3 }.flatMap { fields in
      fields[2].split(separator: " ").compactMap(day).map { Holiday(day: $0, name: String(fields[1])) }
    }
  }

  /// The day of a text `yymmdd`.
  private func day(_ text: Substring) -> Int64? {
    Int64(text).map { CivilDate(year: 2000 + $0 / 10_000, month: $0 / 100 % 100, day: $0 % 100).daysSince1970 }
  }
}
