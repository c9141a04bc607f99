import CitiesProtocol
import FeedSync
import Glibc
import Logging
import System

extension SyncCommand {
  /// `run`: update feeds once.
  static let run = SyncCommand(
    "run", "Update feeds once.",
    [
      .flag(
        "--force", "Contact the sources regardless of the age of their data.",
        details: """
          Sources that have just failed are contacted as well, a source that has shrunk is accepted, and everything is \
          rebuilt.
          """),
      .flag("--samples", "Import the samples."),
      .argument("feed", "The feeds (default: all that have a source).", isRequired: false, isRepeating: true),
    ],
    discussion: """
      Prints a line for each feed: its name, the outcome, and the numbers of records read, kept, repeated, replaced \
      and skipped. The first twenty records that are not kept are listed on standard error, with position and \
      reason.

      A web source whose stored copy is younger than the feed's interval (by default an hour) is not contacted; the \
      copy is reused. A source that failed is not contacted before its next attempt is due: after 30 seconds at first, \
      then after twice the previous time, at most an hour. Until then, the last error is printed again.

      With --samples, the installed samples are imported instead of the sources, and every answer from them is marked \
      as a sample. They never replace real data without --force, and real data replaces them only after a refresh: \
      'citiesctl refresh', or this command without --samples. The program prints the folder that it writes to, and a \
      warning if the running server reads another one.

      As root, the program switches to the owner of the state folder before it uses any file there. That user must be \
      able to read local sources.

        # Update all feeds
        citiesd-sync run
        # Import the samples, to try the programs
        citiesd-sync run --samples
      """
  ) { words in
    let (feeds, samples) = (words.arguments, words[option: "--samples"] != nil)
    let bar = ProgressBar()
    let log = Logger(label: "citiesd-sync") { CommandLog(name: $0, bar: bar) }
    let failures = FailureList()
    var observer = EngineObserver()
    observer.progress = { bar.take($0, $1) }
    observer.failure = { failures.add($1) }
    let engine =
      try samples ? SyncEngine.withSamples(log: log, observer: observer) : .configured(log: log, observer: observer)
    let known = samples ? engine.names : FeedName.all + engine.names.filter { !FeedName.all.contains($0) }
    for feed in feeds where !known.contains(FeedName(rawValue: feed)) {
      let names = known.map(\.rawValue).joined(separator: ", ")
      throw UsageError("no \(samples ? "sample of" : "feed") \"\(feed)\"; there are \(names)")
    }
    if samples { try announceFolder(log) }
    let outcomes = engine.refreshAndWait(feeds.map(FeedName.init(rawValue:)), force: words[option: "--force"] != nil)
    bar.clear()
    let code = ExitCode(of: outcomes, reasons: failures.all)
    for outcome in outcomes {
      // Without names, unconfigured feeds matter only if none is configured.
      let isMissed = outcome.outcome == .unconfigured && (!feeds.isEmpty || code != .success)
      if isMissed { log.warning("\(hint(outcome.feed))") }
      try CommandOutput.line(line(outcome))
    }
    return code
  }
}

/// Says where the samples go, and warns if the running server looks elsewhere.
private func announceFolder(_ log: Logger) throws {
  let destination = try RunningServer.destination()
  try CommandOutput.line("citiesd-sync: writing samples to \(destination.folder)", descriptor: STDERR_FILENO)
  if let warning = destination.warning { log.warning("\(warning)") }
}

private func hint(_ feed: FeedName) -> String {
  "feed \(feed.rawValue) has no source: set \(SyncConfiguration.variable(of: feed)), or feeds.\(feed.rawValue).url in "
    + (SyncConfiguration.file.path ?? "the file that CITIES_SYNC_CONFIG names")
}

private func line(_ outcome: FeedOutcome) -> String {
  let age = outcome.age.map { ", \($0 / 60) min old" } ?? ""
  let records = (outcome.counts?.description ?? outcome.records.map { "\($0) records" }).map { ", \($0)" } ?? ""
  return "\(outcome.feed.rawValue): \(outcome.outcome.rawValue)\(age)\(records)"
}
