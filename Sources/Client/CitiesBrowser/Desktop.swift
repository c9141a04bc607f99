internal import CNcurses
internal import CitiesMap
internal import CitiesProtocol
internal import Glibc

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
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Its messages must not reach the screen.
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signals that the screen reads are blocked here, and its terminal is not the opener's.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, screen_spawn_flags)
    let words = [Self.opener, geoURI(position)]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let failure = posix_spawnp(&child, Self.opener, &actions, &attributes, &arguments, environ)
    guard failure == 0 else { throw DesktopError(reason: "\(Self.opener): \(String(cString: strerror(failure)))") }
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

/// Why something outside the terminal could not be done, such as starting a program or keeping a file.
struct DesktopError: Error, Hashable {
  var reason: String
}
