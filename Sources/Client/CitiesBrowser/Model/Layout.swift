internal import CitiesMap

/// Where things stand on a screen, for the model, which must know how many rows are seen, and for the painter.
struct Layout: Hashable, Sendable {
  /// Columns from which on coordinates stand beside titles instead of beneath.
  private static let wide = 60

  let size: ScreenSize

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
  var lastKeyLine: Int { max(0, Strings.keys.count - body.count / rowsPerKey) }

  /// The map on a screen of its own; a row beneath is its caption's.
  var map: MapSize { MapSize(columns: size.columns, rows: body.count - 1) }
  /// Columns of the text beside a map, where there is room for both; 0 if the map stands beneath it.
  var detailsColumns: Int { isWide ? min(38, size.columns * 2 / 5) : 0 }
  /// Rows of the text above a map.
  var detailsRows: Int { isWide ? 0 : 3 }
  /// The map of a single place, with its caption's row beneath.
  var detailsMap: MapSize {
    MapSize(columns: size.columns - detailsColumns, rows: body.count - detailsRows - 1)
  }

  /// The city, counted from the first that is seen, that stands in a row of the screen.
  func city(atRow row: Int) -> Int? {
    guard body.contains(row) else { return nil }
    let index = (row - body.lowerBound) / rowsPerCity
    return index < cities ? index : nil
  }
}
