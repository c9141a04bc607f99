internal import CitiesCommands
internal import Glibc

/// The line on a terminal's standard error that says how far a table is; where the rows go to a terminal, they show it.
struct ProgressLine {
  /// The time between two drawings.
  static let interval = Duration.milliseconds(200)

  /// Bytes of the file that is read; 0 if it is none.
  private let size: Int
  private var line: WaitingLine

  /// Prepares the line for a table that is read from the context's standard input.
  init(_ context: Context) {
    line = WaitingLine(context.diagnostics, every: Self.interval, isWanted: !context.output.isTerminal)
    size = line.isWanted ? Self.remainingBytes(context.input) : 0
  }

  /// Draws the line if it is time.
  mutating func show(rows: Int, bytesRead: Int) {
    let size = size
    line.show { Self.text(rows: rows, bytesRead: bytesRead, of: size, after: $0) }
  }

  /// Wipes the line, so that what follows starts at the margin.
  mutating func clear() { line.clear() }

  /// `1250000 rows, 812000 per second, 43 %`.
  static func text(rows: Int, bytesRead: Int, of size: Int, after elapsed: Duration) -> String {
    let (seconds, attoseconds) = elapsed.components
    let time = Double(seconds) + Double(attoseconds) / 1e18
    let rate = time > 0 ? Int(Double(rows) / time) : 0
    let part = size > 0 ? ", \(min(100, 100 * bytesRead / size)) %" : ""
    return "\(rows) rows, \(rate) per second\(part)"
  }

  /// Bytes from the current position of a file to its end; 0 for a pipe.
  private static func remainingBytes(_ descriptor: Int32) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return max(0, Int(status.st_size) - max(0, Int(lseek(descriptor, 0, SEEK_CUR))))
  }
}
