import Base
import CLinux
import Glibc
package import Logging
import System

/// Notifications to the service manager (sd_notify(3)); without one, nothing happens.
package enum ServiceManager {
  /// Says nothing from now on: the service is not the one that the manager has started.
  package static func disconnect() { unsetenv("NOTIFY_SOCKET") }
  /// It answers from now on.
  static func ready() { notify("READY=1") }
  /// It reads its data again; ``ready()`` ends this.
  ///
  /// The time lets the manager distinguish this reload from an older one.
  static func reloading() { notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.nanoseconds() / 1_000)") }
  /// It is stopping.
  static func stopping() { notify("STOPPING=1") }
  /// It is alive.
  static func watchdog() { notify("WATCHDOG=1", waits: false) }
  /// One line for `systemctl status`.
  package static func status(_ text: String) { notify("STATUS=\(text)", waits: false) }

  /// How often the watchdog must be fed at least, in nanoseconds: half its time-out; nil without one.
  static var watchdogInterval: Int64? {
    guard let text = ProcessEnvironment.value("WATCHDOG_USEC"), let microseconds = Int64(text),
      (1...Int64.max / 1_000).contains(microseconds)
    else { return nil }
    // The variables are inherited: they count for the process that they name.
    if let process = ProcessEnvironment.value("WATCHDOG_PID"), process != "\(getpid())" { return nil }
    return microseconds * 1_000 / 2
  }

  /// Sends `state` as one datagram to the socket that `NOTIFY_SOCKET` names, as sd_notify(3) describes under "Notes".
  ///
  /// A failure has no place where it could be reported: the manager notices that it hears nothing.
  /// One that is not waited for is dropped if the manager's queue is full: the next one says the same.
  private static func notify(_ state: String, waits: Bool = true) {
    guard let address = ProcessEnvironment.value("NOTIFY_SOCKET") else { return }
    Array(state.utf8).withUnsafeBytes { _ = linux_notify(address, $0.baseAddress, $0.count, waits ? 1 : 0) }
  }
}

/// Writes `<priority>message` lines to stderr if the journal reads them there (sd-daemon(3)), plain lines if not.
///
/// `JOURNAL_STREAM` names the device and inode of the journal's stream (systemd.exec(5)): it is inherited by whatever the
/// service starts, so it counts only as long as the descriptor is that stream.
///
/// Each message is one write(2), so that lines of several threads do not mix. What cannot be written is lost: there is
/// no better place to say so.
package struct JournalLog: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  package var logLevel: Logger.Level = .info
  private let descriptor: Int32
  private let isPlain: Bool
  private let name: String

  /// Writes to `descriptor`; plain lines start with `name`, and `journal` is `JOURNAL_STREAM`.
  package init(
    name: String, descriptor: Int32 = STDERR_FILENO, journal: String? = ProcessEnvironment.value("JOURNAL_STREAM")
  ) {
    self.name = name
    self.descriptor = descriptor
    isPlain = journal == nil || journal != Self.stream(of: descriptor)
  }

  /// What the journal would call `descriptor`: `DEVICE:INODE`.
  static func stream(of descriptor: Int32) -> String? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
  }

  /// A logger of this kind.
  package static func logger(_ name: String, level: Logger.Level = .info) -> Logger {
    Logger(label: name) { label in
      var handler = JournalLog(name: label)
      handler.logLevel = level
      return handler
    }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    writeOnce(
      Self.lines(event.message.description + suffix(event.metadata), prefix: prefix(event.level)), to: descriptor)
  }

  private func prefix(_ level: Logger.Level) -> String {
    isPlain ? "\(name): " : "<\(level.priority)>"
  }

  private func suffix(_ given: Logger.Metadata?) -> String {
    let all = metadata.merging(given ?? [:]) { $1 }
    return all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }

  /// Every line of `message` with `prefix`: a line without one would get the priority of none.
  ///
  /// Control characters, which a terminal would obey, are written as `\u{1B}`.
  static func lines(_ message: String, prefix: String) -> String {
    let lines = message.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: true)
    return lines.map { "\(prefix)\(escaped(String($0), where: \.isControl, as: \.swiftEscape))\n" }.joined()
  }
}

extension Logger.Level {
  /// The level as syslog(3) numbers it.
  var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
