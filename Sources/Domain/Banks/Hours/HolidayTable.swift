import Base
internal import CHolidays

/// A public holiday of a country.
package struct Holiday: Equatable, Sendable {
  /// The day, counted from 1970-01-01.
  package let day: Int64
  /// Its English name.
  package let name: String
}

/// The public holidays of the known countries, for some years ahead.
///
/// It reads the text that `contrib/data/make-holidays` writes and describes, ignoring malformed lines. The text is
/// borrowed and never copied, because one country is a small part of it.
///
/// `Sendable` because its only property is a constant that borrows from read-only bytes.
package struct HolidayTable: @unchecked Sendable {
  /// The built-in table, `contrib/data/holidays.tsv`.
  package static let shipped = HolidayTable(
    borrowing: UnsafeRawBufferPointer(start: cities_holidays_bytes(), count: cities_holidays_count()))

  private let text: UnsafeRawBufferPointer

  /// Borrows a text, which must outlive the table.
  package init(borrowing text: UnsafeRawBufferPointer) { self.text = text }

  /// The last day whose holidays are known, such as `2029-12-31`; `nil` for a text without its first line.
  package var lastDay: String? {
    let head = line(at: 0).split(separator: "\t")
    return head.first == "#" ? head.last.map(String.init) : nil
  }

  /// The holidays of a country by its code (ISO 3166-1 alpha-2); none for an unknown country.
  ///
  /// - Complexity: O(log n + k) in the bytes of the text, k of them about the country.
  package func holidays(of country: String) -> [Holiday] {
    let wanted = Array("\(country)\t".utf8)
    var next = partitionPoint(0..<text.count) { text[start(ofLineAt: $0)...].lexicographicallyPrecedes(wanted) }
    var holidays: [Holiday] = []
    while text[next...].starts(with: wanted) {
      let line = line(at: next)
      next = min(next + line.utf8.count + 1, text.count)
      let fields = line.split(separator: "\t")
      guard fields.count == 3 else { continue }
      let days = fields[2].split(separator: " ").compactMap { day($0) }
      holidays += days.map { Holiday(day: $0, name: String(fields[1])) }
    }
    return holidays
  }

  private func start(ofLineAt offset: Int) -> Int {
    text[..<offset].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
  }

  private func line(at start: Int) -> String {
    String(decoding: text[start...].prefix { $0 != Self.lineFeed }, as: UTF8.self)
  }

  /// The day of a text `yymmdd`.
  private func day(_ text: Substring) -> Int64? {
    Int64(text).map { CivilDate(year: 2000 + $0 / 10_000, month: $0 / 100 % 100, day: $0 % 100).daysSince1970 }
  }

  private static let lineFeed = UInt8(ascii: "\n")
}
