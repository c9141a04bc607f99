package import CitiesProtocol

/// A source that is turned into a resident file: one conforming type an upstream format, one file each.
///
/// ``FeedRegistry`` lists them, ``SyncEngine`` runs them, each on a thread of its own and never twice at the same time.
package protocol Feed: Sendable {
  /// Its name on the wire and on the command line.
  var name: FeedName { get }
  /// Where it comes from, for reports; `nil` if nothing is configured, and then it is never run.
  var source: String? { get }
  /// Seconds between attempts.
  var interval: Int64 { get }

  /// Brings the resident file up to date, blocking as long as that takes.
  ///
  /// - Throws: ``FeedError``; the resident file is as it was then.
  func update(_ attempt: FeedAttempt) throws(FeedError) -> FeedResult
}

/// What an attempt may use.
package struct FeedAttempt: Sendable {
  /// Do everything anew, even if the source is as before.
  package var isForced: Bool
  /// Is told how far it is.
  package var progress: ProgressReport

  /// Makes an attempt.
  package init(isForced: Bool = false, progress: @escaping ProgressReport = { _ in }) {
    self.isForced = isForced
    self.progress = progress
  }
}

/// How far a piece of work is; told often, so keep it short.
package typealias ProgressReport = @Sendable (Progress) -> Void

/// A moment in a piece of work.
package struct Progress: Equatable, Sendable {
  /// What is being done, as `reading`.
  package var phase: String
  /// How much of the whole work is done, from 0 to 1.
  package var done: Double

  /// Makes a moment.
  package init(_ phase: String, done: Double) {
    self.phase = phase
    self.done = done
  }
}

/// How an attempt ended well.
package struct FeedResult: Equatable, Sendable {
  /// What happened.
  package var outcome: FeedOutcome.Outcome
  /// Records in the resident file.
  package var records: UInt64
  /// Records of the source that were skipped as bad.
  package var skipped: UInt64
  /// What was odd about the source, in lines for the log.
  package var remarks: [String]

  /// Makes a result.
  package init(_ outcome: FeedOutcome.Outcome, records: UInt64, skipped: UInt64, remarks: [String] = []) {
    self.outcome = outcome
    self.records = records
    self.skipped = skipped
    self.remarks = remarks
  }
}
