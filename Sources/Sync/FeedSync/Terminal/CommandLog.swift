import Glibc
package import Logging
import System

/// The log of a command at a shell: plain lines on stderr, with the program's name in front.
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
    let lines = Output.shown(event.message.description).split(separator: "\n").map { "\(name): \($0)\n" }
    writeOnce(lines.joined(), to: STDERR_FILENO)
  }
}
