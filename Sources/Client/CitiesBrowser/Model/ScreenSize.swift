/// How many cells the screen has.
package struct ScreenSize: Hashable, Sendable {
  /// The smallest screen that everything fits on.
  package static let least = ScreenSize(rows: 10, columns: 40)

  /// Rows.
  package var rows: Int
  /// Columns.
  package var columns: Int

  /// Names a size.
  package init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

  /// Whether everything fits.
  package var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
}
