import Base
import Glibc
package import Logging
import System

/// Standard output, written with checked calls: a full disk is an error, not a shorter answer.
package enum CommandOutput {
  /// Writes `text` and a line feed; what would act on a terminal is escaped, as a source may be quoted.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/io``.
  package static func line(_ text: String, descriptor: Int32 = STDOUT_FILENO) throws(FeedError) {
    try write(shown(text), to: descriptor)
  }

  /// Writes `columns`, separated by TABs, and a line feed; a TAB within one is escaped as other control characters are.
  ///
  /// - Throws: as ``line(_:descriptor:)``.
  package static func row(_ columns: [String]) throws(FeedError) {
    try write(columns.map(terminalSafe).joined(separator: "\t"), to: STDOUT_FILENO)
  }

  private static func write(_ line: String, to descriptor: Int32) throws(FeedError) {
    let code = writeAll(Array((line + "\n").utf8), to: descriptor)
    guard code == 0 else { throw FeedError(.io, "standard output: \(SystemError.text(code))") }
  }

  /// The lines of `text`, each as a terminal may see it.
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

  /// Writes what is at least a warning, after wiping `bar` from the line.
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
