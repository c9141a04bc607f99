internal import CitiesMap

/// The layout of the screen, for the painter, and for the model, which needs the number of visible rows.
struct Layout: Hashable, Sendable {
  /// The least number of columns for more than a name in a row.
  private static let wide = 60
  /// The smallest screen with a preview beside the list.
  private static let preview = ScreenSize(rows: 18, columns: 100)
  /// The maximum number of columns of a list beside its preview: more would only separate names from numbers.
  private static let widestList = 96

  let size: ScreenSize

  init(_ size: ScreenSize) { self.size = size }

  /// The row of the subjects.
  var tabs: Int { 0 }
  /// The row of the filter.
  var filter: Int { 1 }
  /// The rows between filter and status.
  var body: Range<Int> { 2..<max(2, size.rows - 1) }
  /// The number of rows that a list fetches together: about as many as are visible, because each key decodes all of
  /// them.
  var pageSize: Int { min(max(body.count, Self.pageSizes.lowerBound), Self.pageSizes.upperBound) }
  private static let pageSizes = 16...48
  /// The row of the status.
  var status: Int { size.rows - 1 }
  /// The column after the numbers of a list with short names: farther right, they would be hard to match to their rows.
  var numbersEnd: Int { min(size.columns - 1, Self.widestNumbers) }
  private static let widestNumbers = 79
  /// Whether a row has room for more than a name.
  var isWide: Bool { size.columns >= Self.wide }
  /// Screen rows per location.
  var rowsPerLocation: Int { isWide ? 1 : 2 }
  /// The number of locations that fit on the screen.
  var locations: Int { max(1, body.count / rowsPerLocation) }

  /// Whether a preview is beside the list of cities.
  var hasPreview: Bool { size.columns >= Self.preview.columns && size.rows >= Self.preview.rows }
  /// Columns of the list of cities.
  var listColumns: Int { hasPreview ? min(Self.widestList, size.columns * 7 / 12) : size.columns }
  /// The first column of the preview, after the line beside the list.
  var previewColumn: Int { listColumns + 2 }
  /// Rows of the text above the preview's map; the last one stays blank.
  var previewRows: Int { size.rows < Self.usualRows ? 7 : 8 }
  private static let usualRows = 24
  /// The preview's map, with a row for its caption below.
  var preview: MapSize {
    MapSize(columns: size.columns - previewColumn - 1, rows: body.count - previewRows - 1)
  }

  /// The number of columns of help: as many as fit.
  var keyColumns: Int { max(1, min(3, size.columns / Self.keyColumnWidth)) }
  /// The width of a column of help, in cells.
  static let keyColumnWidth = 39
  /// The first line of the help when it is scrolled to its end.
  var lastKeyLine: Int { max(0, Strings.keyLines.count - body.count * keyColumns) }

  /// The full-screen map, with a row for its caption below.
  var map: MapSize { MapSize(columns: size.columns, rows: body.count - 1) }
  /// The maximum number of rows for other names in a city's details.
  var otherNamesRows: Int { body.count / 7 }
  /// Columns of the text beside a map; 0 if there is only room for the map below it.
  var detailsColumns: Int { isWide ? min(42, size.columns * 9 / 20) : 0 }
  /// Rows of the text above a map.
  var detailsRows: Int { isWide ? 0 : 3 }
  /// The map of a single place, with a row for its caption below.
  var detailsMap: MapSize {
    MapSize(columns: size.columns - detailsColumns, rows: body.count - detailsRows - 1)
  }

  /// The location in a row of the screen, counted from the first visible one.
  func location(atRow row: Int) -> Int? {
    guard body.contains(row) else { return nil }
    let index = (row - body.lowerBound) / rowsPerLocation
    return index < locations ? index : nil
  }

  /// The cell of the map on its own screen that is in a cell of the screen.
  func mapCell(_ row: Int, _ column: Int) -> MapCell { MapCell(column: column, row: row - body.lowerBound) }
}
