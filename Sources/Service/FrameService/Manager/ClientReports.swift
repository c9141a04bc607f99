import Logging

/// Lines for the log about what was done to clients' connections: one for each action, user and reason in ten seconds,
/// however often it happens, with the number of those left out.
///
/// It is a value without clock: the first report of a kind gives its line at once, later ones are counted, and
/// ``takeDue(now:)`` gives the line about them when the time is over.
struct ClientReports {
  /// The action of the service.
  enum Action: String {
    /// It was closed for a fault of the client's.
    case dropped
    /// It was closed because another user needed its place.
    case displaced = "closed"
  }

  /// One kind of report.
  struct Report: Hashable {
    /// The action.
    var action: Action
    /// Whose connection it was; nil stands for all users beyond ``maximumKinds``.
    var user: UInt32?
    /// Why.
    var reason: String
  }

  private struct Pending {
    var due: Int64
    var leftOut: UInt64
  }

  /// Time between two lines of a kind, in nanoseconds.
  static let interval: Int64 = 10_000_000_000
  /// Kinds with their own count at a time; more are joined, so that many users cost no memory.
  static let maximumKinds = 128

  private var pending: [Report: Pending] = [:]

  /// Kinds whose time is not over.
  var count: Int { pending.count }

  /// The line for `report`; nil if one of its kind was given less than ten seconds before `now`, in nanoseconds.
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

  /// The lines about what was left out in the intervals that are over at `now`, and the kinds of them that continue.
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
  /// What the journal records of it.
  var fields: Logger.Metadata { .event(.connectionClosed, peer: user, error: reason) }
  fileprivate var owner: String { user.map { "user \($0)" } ?? "other users" }
}
