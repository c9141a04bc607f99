import CitiesProtocol
import Glibc
import System

/// The reason why a subject has no data, and whether it is worth waiting.
struct MissingData: Equatable {
  /// The state in a word or two, such as `downloading`; programs may display it.
  var phase: String
  /// The reason and the remedy, for people.
  var reason: String
  /// Whether an operation is in progress that may bring data.
  var isRunning: Bool
}

extension MissingData {
  /// The state of the sync service.
  struct SyncState {
    /// `ok`, or the reason why the service does not answer.
    var state: String
    /// The error in the configuration, while it is invalid and nothing is refreshed.
    var invalidConfiguration: String?
    /// Whether it has not answered since the server started, but will be asked.
    var isStarting: Bool
    /// The feeds that are being refreshed.
    var running: Set<FeedName>
  }

  /// Finds the reason from the feeds of `subject`: the first rule that applies decides.
  ///
  /// - Parameters:
  ///   - subject: The subject without data.
  ///   - remedy: The command that makes the subject's file.
  ///   - reports: The reports of the feeds.
  ///   - sync: The state of the sync service.
  init(_ subject: Subject, remedy: String, reports: [FeedReport], sync: SyncState) {
    let known = reports.filter { $0.feed.servedSubject == subject }
    let running = sync.running.filter { $0.servedSubject == subject }.map(\.rawValue).sorted()
    let failures = SharedFailure.grouping(known.compactMap { report in report.lastError.map { (report.feed, $0) } })
      .map { "feed\($0.feeds.count == 1 ? "" : "s") \($0.names) failed: \($0.whole ?? $0.reason)" }
    if !running.isEmpty {
      self.init(phase: "downloading", reason: "refreshing \(running.joined(separator: ", "))", isRunning: true)
    } else if sync.isStarting {
      self.init(phase: "starting", reason: "the sync service is being contacted", isRunning: true)
    } else if let fault = sync.invalidConfiguration {
      self.init(phase: "failed", reason: "the configuration is invalid: \(fault)", isRunning: false)
    } else if !failures.isEmpty {
      self.init(phase: "failed", reason: failures.joined(separator: "; "), isRunning: false)
    } else if sync.state != "ok" {
      self.init(phase: "no data", reason: "no sync service (\(sync.state)); run \(remedy)", isRunning: false)
    } else if !known.contains(where: { $0.source != nil }), let first = subject.feeds.first {
      let keys = "feeds.\(first.rawValue).url in sync.json(5)"
      self.init(phase: "no source", reason: "no source is configured; set \(keys)", isRunning: false)
    } else {
      self.init(phase: "no data", reason: "run \(remedy)", isRunning: false)
    }
  }

  /// The reason on a private server, which has no sync service.
  ///
  /// - Parameters:
  ///   - subject: The subject without data.
  ///   - remedy: The command that makes the subject's file.
  ///   - folder: The state folder, where the data would be.
  init(privately subject: Subject, remedy: String, folder: String) {
    if access(folder, R_OK | X_OK) != 0, errno == EACCES {
      let reason = "the state folder \(folder) cannot be read: \(SystemError.text(EACCES))"
      self.init(phase: ErrorData.unreadable, reason: reason, isRunning: false)
    } else if subject == .cities {
      self.init(phase: "no data", reason: "no list is installed; run \(remedy)", isRunning: false)
    } else {
      self.init(phase: ErrorData.noServer, reason: Self.noServer, isRunning: false)
    }
  }

  /// The reason on a private server for data that only the sync service provides, which the wheel for Python lacks.
  static var noServer: String {
    if let program = ProcessEnvironment.program, access("\(program)-sync", X_OK) != 0 {
      return "this installation has no citiesd-sync, which downloads banks and trade; install the package citiesd"
    }
    return """
      no server is running; start citiesd.socket, store data with 'citiesd-sync run', or try samples with \
      'citiesd-sync run --samples'
      """
  }
}
