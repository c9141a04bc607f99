/// Where things stand on a screen, for the model, which must know how many rows are seen, and for the painter.
struct Layout: Hashable, Sendable {
  /// Columns from which on coordinates stand beside titles instead of beneath.
  private static let wide = 60

  /// The screen.
  let size: ScreenSize

  /// Lays out a screen.
  init(_ size: ScreenSize) { self.size = size }

  /// The row of the subjects.
  var tabs: Int { 0 }
  /// The row of the filter.
  var filter: Int { 1 }
  /// The rows between filter and status.
  var body: Range<Int> { 2..<max(2, size.rows - 1) }
  /// The row of the status.
  var status: Int { size.rows - 1 }
  /// Whether there is room for coordinates beside a title.
  var isWide: Bool { size.columns >= Self.wide }
  /// Screen rows that a city takes.
  var rowsPerCity: Int { isWide ? 1 : 2 }
  /// Cities that are seen at once.
  var cities: Int { max(1, body.count / rowsPerCity) }

  /// Screen rows that a line about keys takes: where there is no room beside the keys, what they do stands beneath.
  var rowsPerKey: Int { isWide ? 1 : 2 }
  /// The first line about keys that is seen at the end of them.
  var lastKeyLine: Int { max(0, Words.keys.count - body.count / rowsPerKey) }

  /// The city, counted from the first that is seen, that stands in a row of the screen.
  func city(atRow row: Int) -> Int? {
    guard body.contains(row) else { return nil }
    let index = (row - body.lowerBound) / rowsPerCity
    return index < cities ? index : nil
  }
}
