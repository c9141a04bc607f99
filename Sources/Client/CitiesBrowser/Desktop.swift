internal import CitiesMap
internal import CitiesProtocol
internal import Glibc
internal import System

/// Opens other programs from the full screen: the desktop's map.
struct Desktop {
  /// Opens URIs with the desktop's default program (xdg-utils).
  private static let opener = "xdg-open"
  /// Started programs that are not reaped yet.
  private var children: [pid_t] = []

  /// Opens a position with the desktop's program for `geo:` URIs (RFC 5870), without a shell.
  ///
  /// - Throws: ``DesktopError`` if the opener cannot be started; its later failures are not noticed.
  mutating func open(_ position: Position) throws(DesktopError) {
    children.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    // Keep its messages off the screen, and the terminal's input away from it.
    let child = startProgram(Self.opener, [geoURI(position)], input: -1, output: -1, messages: -1)
    guard child > 0 else { throw DesktopError(description: "\(Self.opener): \(SystemError.text(-child))") }
    children.append(child)
  }
}

/// A reading of the system's clock, to the nanosecond.
///
/// time(2) may be a few milliseconds late: after a wait for the next minute it still returns the old one, and the
/// screen would show that for another minute.
struct ClockReading {
  /// The time since 1970-01-01T00:00:00Z.
  var nanoseconds = SystemClock.nanoseconds()

  private static let nanosecondsPerMinute: Int64 = 60_000_000_000

  /// The start of the minute, in seconds since 1970.
  var minute: Int64 { nanoseconds / Self.nanosecondsPerMinute * 60 }

  /// The time until the next minute starts.
  var untilNextMinute: Duration { .nanoseconds(Self.nanosecondsPerMinute - nanoseconds % Self.nanosecondsPerMinute) }
}

/// Why a program outside the terminal could not be started, or has failed.
struct DesktopError: Error, Hashable, CustomStringConvertible { let description: String }
