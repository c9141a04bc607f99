import Glibc
package import Logging
import System

/// Standard output with checked writes: a full disk is an error, not truncated output.
package enum CommandOutput {
  /// Writes `text` and a line feed; control characters are escaped, because `text` may quote a source.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/io``.
  package static func line(_ text: String, descriptor: Int32 = STDOUT_FILENO) throws(FeedError) {
    try write(shown(text), to: descriptor)
  }

  /// Writes `columns`, separated by TABs, and a line feed; TABs within a column are escaped like other control
  /// characters.
  ///
  /// - Throws: as ``line(_:descriptor:)``.
  package static func row(_ columns: [String]) throws(FeedError) {
    try write(columns.map(terminalSafe).joined(separator: "\t"), to: STDOUT_FILENO)
  }

  private static func write(_ line: String, to descriptor: Int32) throws(FeedError) {
    let code = writeAll(Array((line + "\n").utf8), to: descriptor)
    guard code == 0 else { throw FeedError(.io, "standard output: \(SystemError.text(code))") }
  }

  /// `text`, with every line made safe for a terminal.
  static func shown(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { terminalSafe(String($0)) }
      .joined(separator: "\n")
  }
}

/// The log of a command at a shell: plain lines on stderr that start with the program's name.
package struct CommandLog: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  package var logLevel: Logger.Level = .warning
  private let name: String
  private let bar: ProgressBar

  /// Writes warnings and errors, after clearing `bar` from the line.
  package init(name: String, bar: ProgressBar) {
    self.name = name
    self.bar = bar
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    bar.clear()
    let lines = CommandOutput.shown(event.message.description).split(separator: "\n").map { "\(name): \($0)\n" }
    writeOnce(lines.joined(), to: STDERR_FILENO)
  }
}
