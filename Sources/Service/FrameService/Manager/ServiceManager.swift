import CLinux
import CSystemd

/// What the service manager is told (sd_notify(3)); without one, nothing happens.
package enum ServiceManager {
  /// It answers from now on.
  static func ready() { tell("READY=1") }
  /// It reads its data again; ``ready()`` ends this.
  ///
  /// The time lets the manager tell this reload from an older one.
  static func reloading() { tell("RELOADING=1\nMONOTONIC_USEC=\(linux_monotonic() / 1_000)") }
  /// It is leaving.
  static func stopping() { tell("STOPPING=1") }
  /// It is alive.
  static func watchdog() { tell("WATCHDOG=1") }
  /// One line for `systemctl status`.
  package static func status(_ text: String) { tell("STATUS=\(text)") }

  /// How often the watchdog must be fed at least, in nanoseconds: half its time-out; nil without one.
  static var watchdogInterval: Int64? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return Int64(clamping: microseconds) * 1_000 / 2
  }

  private static func tell(_ state: String) { sd_notify(0, state) }
}
