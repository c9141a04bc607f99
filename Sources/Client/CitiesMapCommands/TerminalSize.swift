internal import Glibc

/// How many cells a terminal has.
struct TerminalSize {
  /// Cells in a row.
  let columns: Int
  /// Rows.
  let rows: Int

  /// The size of the terminal behind `descriptor`; `nil` if it is none, or does not know.
  init?(descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    (columns, rows) = (Int(size.ws_col), Int(size.ws_row))
  }
}
