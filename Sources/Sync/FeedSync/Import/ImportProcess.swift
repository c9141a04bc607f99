package import CitiesProtocol
import Folders
import Glibc
import Resident
import System

/// A feed whose data is handled in child processes, which are ended if they take too long or too much memory; only
/// downloads are this process's work.
///
/// A child that has to contact the source ends with the request, and the next one gets the reply: at no time are there
/// more than two of them, while downloads run side by side.
package struct ImportProcess: Feed {
  /// Most children at a time.
  package static let maximum = 2
  /// Milliseconds after which an import is reported as slow, and for which it may hold the lock of the journal.
  private static let (slow, storing) = (Int64(2_000), Int64(10_000))
  /// Most children of one attempt: the stored copy may change while the source is contacted.
  private static let attempts = 4
  private static let turns = ImportTurns(maximum)

  private let feed: any Feed
  private let configuration: SyncConfiguration
  private let state: StateFolder
  private let samples: String?
  private let fetcher: any SourceFetcher

  /// Handles the data of `feed`, which was set up as `configuration` has it.
  init(
    _ feed: any Feed, _ configuration: SyncConfiguration, _ state: StateFolder, samples: String?,
    fetcher: any SourceFetcher
  ) {
    (self.feed, self.configuration, self.state) = (feed, configuration, state)
    (self.samples, self.fetcher) = (samples, fetcher)
  }

  /// Its name.
  package var name: FeedName { feed.name }
  /// Its source.
  package var source: String? { feed.source }
  /// Seconds until its data is old.
  package var interval: Int64 { feed.interval }
  /// The country of its locations.
  package var country: String? { feed.country }

  /// Rebuilds the resident file from the stored copies.
  package func restore(force: Bool) throws(FeedError) { _ = try run(.restore, AttemptOptions(isForced: force)) }

  /// Removes the stored copy, then its part of the resident file.
  package func forget() throws(FeedError) { _ = try run(.forget, AttemptOptions()) }

  /// Brings the stored copy up to date, then the resident file.
  package func update(_ attempt: AttemptOptions) throws(FeedError) -> FeedResult {
    var (request, remarks): (FetchRequest?, [String]) = (nil, [])
    var reply = FetchReply.notModified(SourceValidators())
    for _ in 0..<Self.attempts {
      let answer = try run(.update, attempt, request, consume reply)
      remarks += answer.error?.remarks ?? []
      if var result = answer.result {
        result.remarks = remarks + result.remarks
        return result
      }
      guard let asked = answer.request else { break }
      request = asked
      do throws(FeedError) { reply = try fetcher.fetch(asked, attempt) } catch {
        if error.reason != .cancelled { try? restore(force: false) }
        var failure = error
        failure.remarks = remarks
        throw failure
      }
    }
    throw FeedError(.io, "the stored copy of feed \(name.rawValue) changes all the time; try again")
  }

  /// Runs a child, while at most one other does, and returns its answer; throws its error, unless that is a request.
  private func run(
    _ work: ImportJob.Work, _ attempt: AttemptOptions, _ request: FetchRequest? = nil,
    _ reply: consuming FetchReply = .notModified(SourceValidators())
  ) throws(FeedError) -> ImportJob.Answer {
    let turn = Self.turns.wait()
    defer { Self.turns.end(turn) }
    guard !attempt.isCancelled() else { throw FeedError(.cancelled, "the service is stopping") }
    let (file, body) = try FeedError.converting { () throws(SystemError) in
      (JobFile(file: Descriptor(taking: try memoryFile("import"))), Descriptor(taking: try memoryFile("body")))
    }
    let (validators, hasBody): (SourceValidators, Bool)
    switch consume reply {
    case .notModified(let received): (validators, hasBody) = (received, false)
    case .body(let bytes, let received):
      (validators, hasBody) = (received, true)
      let code = writeAll(bytes, to: body.number)
      guard code == 0 else { throw FeedError(SystemError("write", "the body of the source", code: code)) }
    }
    try file.write(
      ImportJob(
        work: work, feed: name, state: state.path, samples: samples, configuration: configuration, attempt: attempt,
        request: request, validators: validators, hasBody: hasBody))
    let (ending, overrun) = try run(file, body, attempt, turn)
    if case .exited(0) = ending, let answer: ImportJob.Answer = file.read() {
      if let error = answer.error, answer.request == nil { throw error }
      return answer
    }
    Self.sweep(state)
    let place = source.map(SourceLocation.shown) ?? name.rawValue
    throw FeedError(.badData, "\(place): the import \(overrun ?? Self.reason(ending)); the data before stays")
  }

  /// Removes the temporary files of imports that were killed.
  static func sweep(_ state: StateFolder) {
    guard let folder = try? state.open() else { return }
    for case let folder? in [folder, try? folder.folder(StoredCopy.folderName)] { AtomicFile.sweep(folder) }
  }

  /// Runs a child to its end, and returns also why this process has ended it, if it has.
  private func run(
    _ file: JobFile, _ body: Descriptor, _ attempt: AttemptOptions, _ turn: Int
  ) throws(FeedError) -> (ProgramEnding, String?) {
    let began = SystemClock.seconds()
    var (isReported, shown, storing, overrun) = (false, 0.0, Int64?.none, String?.none)
    let ending = try FeedError.converting { () throws(SystemError) in
      try ProgramEnding(
        ofThisProgram: ["import", name.rawValue], input: file.file.number, output: body.number
      ) { time in
        if let progress: Progress = file.read() {
          storing = progress.isStoring ? storing ?? time : nil
          if progress.done > shown { attempt.progress(progress) }
          shown = max(shown, progress.done)
        }
        if !isReported, time >= Self.slow { isReported = attempt.isSlow(began) }
        overrun = self.overrun(time, storing: storing.map { time - $0 }, turn)
        return overrun == nil
      }
    }
    return (ending, overrun)
  }

  /// Why the child of `turn` is ended, which has run for `time` milliseconds, and held the lock of the journal for
  /// `storing`; `nil` if it goes on.
  private func overrun(_ time: Int64, storing: Int64?, _ turn: Int) -> String? {
    let total = configuration.limits.total * 1_000
    if time >= total { return "was ended: unfinished after \(total / 1_000) s (limits.total)" }
    if storing ?? 0 >= Self.storing {
      return "was ended: it did not replace its files within \(Self.storing / 1_000) s"
    }
    guard Self.turns.mustEnd(turn, after: total / 4, storing: storing) else { return nil }
    return "was ended: unfinished, and another one has waited for a quarter of limits.total"
  }

  private static func reason(_ ending: ProgramEnding) -> String {
    let limit = ImportJob.memory >> 20
    return switch ending {
    case .killed(SIGKILL): "was killed, as the system does if memory is short"
    case .killed(let signal): "crashed with signal \(signal), or needs more than \(limit) MiB of memory"
    case .exited, .unknown: "ended without a result"
    }
  }
}
