package import CitiesProtocol

/// A source that is turned into a resident file, or a part of one.
///
/// ``FeedRegistry`` lists feeds, ``SyncEngine`` runs them, each on its own thread and at most once at a time.
package protocol Feed: Sendable {
  /// Its name on the wire and on the command line.
  var name: FeedName { get }
  /// Its source, for reports; `nil` if none is configured, and the feed never runs.
  var source: String? { get }
  /// Seconds after which its data is old and is requested again.
  var interval: Int64 { get }
  /// The country code of its locations, for reports; `nil` if unknown or without locations.
  var country: String? { get }

  /// Brings the resident file up to date; blocks.
  ///
  /// - Throws: ``FeedError``; the resident file is then as it was, or as ``restore(force:)`` leaves it.
  func update(_ attempt: AttemptOptions) throws(FeedError) -> FeedResult

  /// Rebuilds the resident file from the stored copies, if it is missing or damaged, without asking a source.
  ///
  /// - Throws: ``FeedError``; the resident file is as it was then.
  func restore(force: Bool) throws(FeedError)

  /// Removes what is stored of it, and its part of the resident file.
  ///
  /// - Throws: ``FeedError``.
  func forget() throws(FeedError)
}

extension Feed {
  /// Its source without secrets, and a digest of them.
  var shownSource: (String?, UInt16?) {
    (source.map(SourceLocation.shown), source.flatMap(SourceLocation.secretDigest))
  }

  /// It has no locations.
  package var country: String? { nil }

  /// Nothing is stored.
  package func restore(force: Bool) throws(FeedError) {}

  /// Nothing is stored.
  package func forget() throws(FeedError) {}
}

/// What an attempt does, and whom it informs.
package struct AttemptOptions: Codable, Sendable {
  /// Ask the source even if the stored copy is young, and rebuild everything even if nothing has changed.
  package var isForced = false
  /// Skip a source on the web without stored data: no client has requested the feed yet.
  package var isSilent = false
  /// The last attempt failed, and the time to try again has come.
  package var isRetry = false
  /// Why the last attempt failed, as long as the time to try again has not come: a web source is not contacted then.
  package var knownError: String?
  /// Gets the progress.
  package var progress: ProgressReport = { _ in }
  /// Whether it is to be given up, because the service stops.
  package var isCancelled: @Sendable () -> Bool = { false }
  /// Called during a download, with the bytes of it in memory, and whether its source is slow; `false` if it must end,
  /// because others wait.
  package var makesWay: @Sendable (Int, Bool) -> Bool = { _, _ in true }
  /// Called when an import takes long, with the time at which it started, in seconds since 1970, until it returns true.
  package var isSlow: @Sendable (Int64) -> Bool = { _ in true }

  private enum CodingKeys: CodingKey { case isForced, isSilent, isRetry, knownError }

  /// The same attempt for work that starts when the part `start` of all is done.
  func after(_ start: Double) -> AttemptOptions {
    var attempt = self
    attempt.progress = { [progress] in progress(Progress($0.phase, done: start + (1 - start) * $0.done)) }
    return attempt
  }
}

/// Takes the progress of a piece of work; it is called often, so keep it short.
package typealias ProgressReport = @Sendable (Progress) -> Void

/// A moment in a piece of work.
package struct Progress: Codable, Equatable, Sendable {
  /// The kind of work, such as `reading`.
  package var phase: String
  /// How much of the whole work is done, from 0 to 1.
  package var done: Double

  /// The moment at which an import has locked the journal, to replace its files.
  static let storing = Progress("storing", done: 0.99)
  /// Whether it is that moment, also of a part of the work.
  var isStoring: Bool { phase == Self.storing.phase }

  /// Makes a moment.
  package init(_ phase: String, done: Double) {
    self.phase = phase
    self.done = done
  }
}

/// The result of an attempt that did not fail.
package struct FeedResult: Codable, Equatable, Sendable {
  /// What happened.
  package var outcome: FeedOutcome.Outcome
  /// The outcome of the source's records.
  package var counts: RecordCounts
  /// The first records that are not kept; `nil` if the attempt did not look at the records again.
  package var notes: [RecordNote]?
  /// When the data was taken from its source, or confirmed, in seconds since 1970; `nil` if that was now.
  package var asOf: Int64?
  /// Whether the data is one of the samples.
  package var isSample = false
  /// Remarks on the source, in lines for the log.
  package var remarks: [String] = []
}
