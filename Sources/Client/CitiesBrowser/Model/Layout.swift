/// Where things stand on a screen, for the model, which must know how many rows are seen, and for the painter.
package struct Layout: Hashable, Sendable {
  /// Columns from which on coordinates stand beside titles instead of beneath.
  private static let wide = 60

  /// The screen.
  package let size: ScreenSize

  /// Lays out a screen.
  package init(_ size: ScreenSize) { self.size = size }

  /// The row of the subjects.
  package var tabs: Int { 0 }
  /// The row of the filter.
  package var filter: Int { 1 }
  /// The rows between filter and status.
  package var body: Range<Int> { 2..<max(2, size.rows - 1) }
  /// The row of the status.
  package var status: Int { size.rows - 1 }
  /// Whether there is room for coordinates beside a title.
  package var isWide: Bool { size.columns >= Self.wide }
  /// Screen rows that a city takes.
  package var rowsPerCity: Int { isWide ? 1 : 2 }
  /// Cities that are seen at once.
  package var cities: Int { max(1, body.count / rowsPerCity) }

  /// The city, counted from the first that is seen, that stands in a row of the screen.
  package func city(atRow row: Int) -> Int? {
    guard body.contains(row) else { return nil }
    let index = (row - body.lowerBound) / rowsPerCity
    return index < cities ? index : nil
  }
}
