package import Logging
import Synchronization

/// Keeps the lines that are at least a warning.
package struct RecordedLines: LogHandler {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  package var metadata: Logger.Metadata = [:]
  package var logLevel: Logger.Level = .warning
  private let lines = Lines()

  package init() {}

  package var all: [String] { lines.all.withLock { $0 } }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) { lines.all.withLock { $0.append(event.message.description) } }
}
