import Logging

/// Rate-limited log lines about clients' connections: one per action, user and reason in ten seconds, with the number
/// of those suppressed.
///
/// It is a value without a clock: the first report of a kind returns its line at once, later ones are counted, and
/// ``takeDue(now:)`` returns the line about them at the end of the interval.
struct ClientReports {
  /// An action of the service.
  enum Action: String {
    /// It was closed because its client violated a limit.
    case dropped
    /// It was closed to make room for another user.
    case displaced = "closed"
  }

  /// A kind of report.
  struct Report: Hashable {
    var action: Action
    /// The user of the connection; `nil` for all users beyond ``maximumKinds``.
    var user: UInt32?
    var reason: String
  }

  private struct Pending {
    var due: Int64
    var leftOut: UInt64
  }

  /// The time between two lines of a kind, in nanoseconds.
  static let interval: Int64 = 10_000_000_000
  /// The largest number of kinds that are counted separately; more are joined, so that many users take no memory.
  static let maximumKinds = 128

  private var pending: [Report: Pending] = [:]

  /// The number of kinds with an open interval.
  var count: Int { pending.count }

  /// The line for `report` at `now`, in nanoseconds; `nil` within ten seconds of the last line of its kind.
  mutating func add(_ report: Report, now: Int64) -> String? {
    var report = report
    if pending[report] == nil, pending.count >= Self.maximumKinds {
      report = Report(action: report.action, user: nil, reason: "several reasons")
    }
    guard pending[report] != nil else {
      pending[report] = Pending(due: now &+ Self.interval, leftOut: 0)
      return "\(report.action.rawValue) a connection of \(report.owner): \(report.reason)"
    }
    pending[report]?.leftOut += 1
    return nil
  }

  /// The lines about the suppressed reports in the intervals that have ended by `now`; their kinds start a new
  /// interval.
  mutating func takeDue(now: Int64) -> [(report: Report, line: String)] {
    let due = pending.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }
    return due.compactMap { report, waiting in
      pending[report] = waiting.leftOut > 0 ? Pending(due: now &+ Self.interval, leftOut: 0) : nil
      guard waiting.leftOut > 0 else { return nil }
      let connections = waiting.leftOut == 1 ? "1 more connection" : "\(waiting.leftOut) more connections"
      let seconds = Self.interval / 1_000_000_000
      return (report, "\(report.action.rawValue) \(connections) of \(report.owner) in \(seconds) s: \(report.reason)")
    }
  }
}

extension ClientReports.Report {
  /// The fields for the journal.
  var fields: Logger.Metadata { .event(.connectionClosed, peer: user, error: reason) }
  fileprivate var owner: String { user.map { "user \($0)" } ?? "other users" }
}
