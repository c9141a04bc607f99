/// How many cells the screen has.
struct ScreenSize: Hashable, Sendable {
  /// The smallest screen that everything fits on.
  static let least = ScreenSize(rows: 10, columns: 40)

  /// Rows.
  var rows: Int
  /// Columns.
  var columns: Int

  /// Names a size.
  init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

  /// Whether everything fits.
  var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
}
