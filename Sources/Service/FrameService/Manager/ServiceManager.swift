package import CSystemd
import Glibc
package import Logging
import System

/// The interface to systemd, through its own library; does nothing unless systemd has started this process.
package enum ServiceManager {
  /// The functions of libsystemd; `nil` before ``connect(_:_:)``, or if systemd has not started this process.
  ///
  /// It is written before the first thread starts, and only read afterwards.
  nonisolated(unsafe) private(set) static var library: systemd_calls?
  /// The Debian package of libsystemd.
  private static let packageName = "libsystemd0"
  /// The time for the manager to read pending notifications before the process exits, in microseconds.
  private static let barrierTime: UInt64 = 1_000_000

  /// Whether systemd has started this process and its library is in use.
  package static var isConnected: Bool { library != nil }

  /// Connects to libsystemd if systemd has started this process: if it has passed a socket, wants notifications or
  /// reads standard error.
  ///
  /// Without the library the process continues and logs one line, unless a socket was passed, which only the library
  /// can accept, or `CITIES_SYSTEMD=required` is set, as in the units: a manager that waits for READY would end the
  /// process later.
  ///
  /// - Parameters:
  ///   - log: The log for that line.
  ///   - fill: Fills the table; returns `nil`, or the reason why it cannot.
  /// - Throws: ``ServiceError`` with the exit code 78 if the library is missing and required, 2 for any other value of
  ///   the variable.
  package static func connect(
    _ log: Logger, _ fill: (UnsafeMutablePointer<systemd_calls>) -> UnsafePointer<CChar>?
  ) throws(ServiceError) {
    let isRequired = try self.isRequired
    let isWanted = ProcessEnvironment.value("NOTIFY_SOCKET") != nil || JournalLog.isJournal(STDERR_FILENO)
    guard isWanted || Activation.isPresent else { return }
    var calls = systemd_calls()
    guard let failure = fill(&calls) else {
      library = calls
      return
    }
    let reason = "\(String(cString: failure)); install the package \(packageName)"
    guard !isRequired, !Activation.isPresent else { throw ServiceError(reason, .misconfigured) }
    log.warning("systemd is not notified, and the journal gets plain lines: \(reason)")
  }

  private static var isRequired: Bool {
    get throws(ServiceError) {
      guard let value = ProcessEnvironment.value("CITIES_SYSTEMD") else { return false }
      guard value == "required" else { throw ServiceError("CITIES_SYSTEMD=\(value): expected \"required\"", .usage) }
      return true
    }
  }

  /// Reports that the service answers requests.
  static func ready() { notify("READY=1") }
  /// Reports that the service reloads its data; ``ready()`` ends this.
  ///
  /// The time lets the manager distinguish this reload from an older one.
  static func reloading() { notify("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.nanoseconds() / 1_000)") }
  /// Reports that the service is stopping.
  static func stopping() { notify("STOPPING=1") }
  /// Reports that the service is alive.
  static func watchdog() { notify("WATCHDOG=1") }
  /// Sets the status line in `systemctl status`.
  package static func status(_ text: String) { notify("STATUS=\(text)") }

  /// Waits until the manager has read pending notifications: it cannot attribute them after the process has exited
  /// (sd_notify_barrier(3)).
  static func waitUntilRead() { _ = library?.notify_barrier(0, barrierTime) }

  /// The longest interval between watchdog notifications, in nanoseconds: half the timeout; `nil` without a watchdog.
  static var watchdogInterval: Int64? {
    var microseconds: UInt64 = 0
    guard let library, library.watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return Int64(clamping: min(microseconds / 2, UInt64(Int64.max / 1_000))) * 1_000
  }

  /// A failure cannot be reported anywhere: the manager notices the missing notification.
  private static func notify(_ state: String) { _ = library?.notify(0, state) }
}

/// The log: entries with fields in the journal, lines on stderr elsewhere.
///
/// systemd sets `JOURNAL_STREAM` to the device and inode of the stream if the journal reads stderr (systemd.exec(5)).
/// Child processes inherit the variable, so it counts only if the descriptor is that stream. If the library is missing,
/// lines start with their priority (sd-daemon(3)).
///
/// Metadata become fields of the journal (``JournalEvent``); lines on stderr omit them, as the message has the same
/// content.
///
/// Each message is one write(2), so that lines of several threads do not mix. Write errors are ignored: there is no
/// better place to report them.
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
    isPlain = !Self.isJournal(descriptor, journal)
  }

  /// Whether the journal reads from `descriptor`, if its stream is `journal`.
  static func isJournal(
    _ descriptor: Int32, _ journal: String? = ProcessEnvironment.value("JOURNAL_STREAM")
  ) -> Bool {
    journal != nil && journal == stream(of: descriptor)
  }

  /// The journal's name for `descriptor`: `DEVICE:INODE`.
  static func stream(of descriptor: Int32) -> String? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
  }

  /// Creates a logger with this handler.
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
    let lines = Self.lines(event.message.description)
    if !isPlain, let library = ServiceManager.library, Self.send(fields(lines, event), by: library) { return }
    let prefix = isPlain ? "\(name): " : "<\(event.level.priority)>"
    writeOnce(lines.map { "\(prefix)\($0)\n" }.joined(), to: descriptor)
  }

  /// The fields of an entry (systemd.journal-fields(7)).
  func fields(_ lines: [String], _ event: LogEvent) -> [String] {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    return ["MESSAGE=\(lines.joined(separator: "\n"))", "PRIORITY=\(event.level.priority)"]
      + all.map { "\($0.key)=\($0.value)" }
  }

  /// Sends an entry to the journal; `false` if that fails.
  private static func send(_ fields: [String], by library: systemd_calls) -> Bool {
    var bytes = fields.flatMap(\.utf8)
    return bytes.withUnsafeMutableBytes { all in
      var end = 0
      let parts = fields.map { field in
        defer { end += field.utf8.count }
        return iovec(iov_base: all.baseAddress?.advanced(by: end), iov_len: field.utf8.count)
      }
      return library.journal_sendv(parts, Int32(parts.count)) == 0
    }
  }

  /// The lines of `message`; control characters, which a terminal would interpret, are written as `\u{1B}`.
  private static func lines(_ message: String) -> [String] {
    message.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: true)
      .map { escaped(String($0), where: \.isControl, as: \.swiftEscape) }
  }
}

extension Logger.Level {
  /// The syslog(3) number of the level.
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
