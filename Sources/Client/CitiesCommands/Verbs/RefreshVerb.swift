internal import CitiesClient
internal import CitiesProtocol

/// `refresh [FEED…]`: refreshes feeds.
struct RefreshVerb: RowVerb {
  /// The server answers after 20 s at the latest; the rest allows for a busy machine.
  static let patience = Duration.seconds(25)

  static let command = CommandText(
    "refresh", usage: "[<options>] [<feed> …]",
    abstract: "Fetch new data from the sources.",
    discussion: """
      Without names, all feeds are refreshed. A web source whose stored copy is younger than the feed's interval, by \
      default an hour, is not contacted: the outcome is 'reused'. A source that failed is not contacted before its \
      next attempt is due, which 'citiesctl status' shows; until then, the last error is reported again. A feed that \
      fails keeps its last good data; so does one that has lost more than half of its records (loss.percent in \
      sync.json(5)).

      The exit status is 4 if some feeds failed, and 69 if all did. A feed that takes longer than 20 seconds is \
      'running': 'citiesctl watch' reports its end. The exit status is then 4, or 75 if all feeds are still running. \
      The command waits at least 25 seconds for the answer, even if --timeout is shorter. It needs a running server; \
      without one, the exit status is 69.

        # Refresh everything
        citiesctl refresh
        # Refresh the exchange rates
        citiesctl refresh rates
      """)

  /// `feed outcome records skipped age as_of error`.
  static let columns: [ListingColumn<FeedOutcome>] = [
    ListingColumn("feed") { .text($0.feed.rawValue) },
    ListingColumn("outcome") { .text($0.outcome.rawValue) },
    ListingColumn("records") { RowValue($0.records) },
    ListingColumn("skipped") { RowValue($0.skipped) },
    ListingColumn("age") { RowValue($0.age) },
    ListingColumn("as_of") { RowValue($0.asOf?.text) },
    ListingColumn("error") { RowValue($0.error.map(joinedLines)) },
  ]

  var feeds: [String] = []
  var force = false
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    feeds = table.arguments("feed", "The feeds (default: all).", completion: .feeds)
    force = table.flag(
      "--force", "Contact the sources regardless of the age of their data.",
      details: """
        Sources that have just failed are contacted as well, and a source that has shrunk is accepted. Only root and \
        the user that the server runs as may do this.
        """)
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = Refresh(
      feeds: feeds.isEmpty ? nil : feeds.map { FeedName(rawValue: $0) }, force: force ? true : nil)
    let reply = try fetch(request, in: context)
    switch context.format {
    case .table where rendering.columns.isEmpty: context.output.write(page: RefreshPage.text(reply.feeds))
    default: try write(reply.feeds, in: context)
    }
    return Self.status(of: reply.feeds)
  }

  /// The reply; without a server, the failure explains how to fetch data nevertheless.
  private func fetch(_ request: Refresh, in context: Context) throws -> Refresh.Reply {
    let patience = max(connection.timeout, Self.patience)
    do {
      return try context.ask(isShared: true) { (client) throws(ClientError) in
        try client.send(request, timeout: patience)
      }
    } catch {
      var failure = CommandFailure(error)
      if case .noServer = error {
        let words = ["citiesd-sync run"] + feeds.map(quotedForShell)
        failure.hint = "'\(words.joined(separator: " "))' fetches the data without a server"
      }
      throw failure
    }
  }

  /// 69 if all feeds with a source failed, 75 if all are still running, 4 if some failed or are running, otherwise 0.
  static func status(of outcomes: [FeedOutcome]) -> ExitStatus {
    let asked = outcomes.filter { $0.outcome != .unconfigured }
    guard !asked.isEmpty else { return .found }
    if asked.allSatisfy({ $0.outcome == .failed }) { return .unavailable }
    if asked.allSatisfy({ $0.outcome == .running }) { return .notReady }
    return asked.contains { $0.outcome == .failed || $0.outcome == .running } ? .partial : .found
  }
}

/// The outcome of a refresh, for people: one line per feed.
enum RefreshPage {
  /// `swedbank-ee: reused, 12 min old, 345 records`, lines ending with LF; a single line if all feeds failed for the
  /// same reason, which is then not specific to a source.
  static func text(_ outcomes: [FeedOutcome]) -> String {
    let configured = outcomes.filter { $0.outcome != .unconfigured }
    let reasons = Set(configured.map { $0.isUndone ? $0.error.map { TextKey($0) } : nil })
    if outcomes.count > 1, reasons.count == 1, let reason = reasons.first.flatMap(\.self) {
      return visible("not done: \(joinedLines(reason.text))") + "\n"
    }
    return outcomes.map { visible(line($0)) + "\n" }.joined()
  }

  private static func line(_ outcome: FeedOutcome) -> String {
    let name = outcome.feed.rawValue
    if outcome.outcome == .failed {
      let last = outcome.asOf.map { "last good data of \($0.text)" } ?? "no data yet"
      return "\(name): failed: \(outcome.error.map(joinedLines) ?? "without a reason"); \(last)"
    }
    let age = outcome.age.map { ", \(AgeText.of(Int64(clamping: $0))) old" } ?? ""
    if outcome.outcome == .running, let error = outcome.error { return "\(name): not done: \(error)" }
    return "\(name): \(outcome.outcome.rawValue)\(age)\(outcome.recordsText.map { ", \($0)" } ?? "")"
  }
}

extension CountedRecords {
  /// The counts of a feed's records, if the server reports any; else `nil`.
  var recordsText: String? {
    if let counts { return "\(counts)" }
    let invalid = skipped.map { $0 > 0 ? ", \($0) skipped as invalid" : "" } ?? ""
    return records.map { "\($0) records\(invalid)" }
  }
}

extension FeedOutcome {
  fileprivate var isUndone: Bool { outcome == .failed || outcome == .running }
}

/// A duration for people.
enum AgeText {
  /// `40 s`, `12 min`, `3 h 5 min` or `2 d 1 h`; a negative duration counts as 0.
  static func of(_ seconds: Int64) -> String {
    let seconds = max(0, seconds)
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    default: return "\(seconds / 86_400) d \(seconds % 86_400 / 3_600) h"
    }
  }
}
