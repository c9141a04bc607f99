internal import CitiesMap
internal import CitiesProtocol
internal import Glibc
internal import System

/// The full screen's actions outside its terminal: the map program.
struct Desktop {
  /// The program that the desktop opens URIs with (xdg-utils).
  private static let opener = "xdg-open"
  /// Programs that were started and may have ended since.
  private var children: [pid_t] = []

  /// Shows a position in the program that the desktop has for `geo:` URIs (RFC 5870); no shell is involved.
  ///
  /// - Throws: ``DesktopError`` if the opener cannot be started; what it does then is not known.
  mutating func open(_ position: Position) throws(DesktopError) {
    children.removeAll { waitpid($0, nil, WNOHANG) != 0 }
    // Its messages must not reach the screen, nor the keys of the terminal it.
    let child = startProgram(Self.opener, [geoURI(position)], input: -1, output: -1, messages: -1)
    guard child > 0 else { throw DesktopError(description: "\(Self.opener): \(SystemError.text(-child))") }
    children.append(child)
  }
}

/// The time that the system's clock shows, to the nanosecond.
///
/// time(2) may be a few milliseconds late: after a wait for the next minute it still returns the old one, and the
/// screen would show that for another minute.
struct ClockReading {
  /// The time since 1970-01-01T00:00:00Z.
  var time = timespec()

  /// The time now.
  static var now: ClockReading {
    var reading = ClockReading()
    clock_gettime(CLOCK_REALTIME, &reading.time)
    return reading
  }

  /// The start of the minute, in seconds since 1970.
  var minute: Int64 { Int64(time.tv_sec / 60 * 60) }

  /// How long until the next minute starts.
  var untilNextMinute: Duration { .seconds(60 - time.tv_sec % 60) - .nanoseconds(time.tv_nsec) }
}

/// Why a program outside the terminal could not be started, or has failed.
struct DesktopError: Error, Hashable, CustomStringConvertible { let description: String }
