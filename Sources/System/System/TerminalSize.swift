import CLinux

/// The cells of a terminal.
package struct TerminalSize: Equatable, Sendable {
  /// Cells in a row.
  package let columns: Int
  /// Rows.
  package let rows: Int

  /// The size of the terminal at `descriptor`; `nil` if it is not a terminal, or its size is unknown.
  ///
  /// A terminal that was never asked for its size, such as a serial line, reports 0 cells.
  package init?(descriptor: Int32) {
    var (rows, columns): (Int32, Int32) = (0, 0)
    guard linux_terminal_size(descriptor, &rows, &columns) >= 0, rows > 0, columns > 0 else { return nil }
    (self.rows, self.columns) = (Int(rows), Int(columns))
  }
}
