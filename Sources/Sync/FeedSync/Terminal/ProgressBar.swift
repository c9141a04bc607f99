package import CitiesProtocol
import Glibc
import Synchronization
import System

/// A progress line on stderr: on a terminal only, and not before 500 ms.
///
/// ```
/// cities [##########··········] 52 % checking
/// ```
package final class ProgressBar: Sendable {
  /// Milliseconds of work before a bar is drawn.
  package static let delay: Int64 = 500
  /// Milliseconds between two drawings.
  private static let interval: Int64 = 50
  private static let width = 20

  private struct Content {
    var feeds: [FeedName: Progress] = [:]
    var drawn: Int64 = 0
    var isVisible = false
  }

  private let descriptor: Int32
  private let isEnabled: Bool
  private let started: Int64
  private let now: @Sendable () -> Int64
  private let content = Mutex(Content())

  /// Draws on `descriptor` if that is a terminal.
  package init(
    descriptor: Int32 = STDERR_FILENO, isEnabled: Bool? = nil,
    now: @escaping @Sendable () -> Int64 = MonotonicClock.milliseconds
  ) {
    self.descriptor = descriptor
    self.isEnabled = isEnabled ?? (isatty(descriptor) == 1)
    self.now = now
    started = now()
  }

  /// Updates the progress of `feed`, and draws if it is time.
  package func take(_ feed: FeedName, _ progress: Progress) {
    guard isEnabled else { return }
    content.withLock { content in
      content.feeds[feed] = progress
      let moment = now()
      guard moment - started >= Self.delay, moment - content.drawn >= Self.interval else { return }
      content.drawn = moment
      content.isVisible = true
      writeOnce("\r" + Self.line(content.feeds) + "\u{1b}[K", to: descriptor)
    }
  }

  /// Clears the line, so that later output starts at the margin.
  package func clear() {
    content.withLock { content in
      guard content.isVisible else { return }
      content.isVisible = false
      writeOnce("\r\u{1b}[K", to: descriptor)
    }
  }

  /// The progress line, sorted by the names of the feeds.
  package static func line(_ feeds: [FeedName: Progress]) -> String {
    feeds.sorted { $0.key.rawValue < $1.key.rawValue }.map { name, progress in
      let done = min(max(progress.done, 0), 1)
      let full = Int(done * Double(width))
      let bar = String(repeating: "#", count: full) + String(repeating: "·", count: width - full)
      return "\(name.rawValue) [\(bar)] \(Int(done * 100)) % \(progress.phase)"
    }.joined(separator: "  ")
  }
}
