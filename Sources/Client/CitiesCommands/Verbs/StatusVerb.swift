internal import CitiesClient
internal import CitiesProtocol
internal import System
internal import Text

/// `status`: the server, its subjects and its feeds.
struct StatusVerb: RowVerb {
  static let command = CommandText(
    "status", usage: "[<options>]",
    abstract: "Show the state of the server and its data.",
    discussion: """
      On a terminal this is an overview, with --verbose a page with all details: for each source the number of records \
      read, kept, repeated, replaced and skipped, and the first twenty that were not kept or have a remark. With \
      --output json it is the server's reply with the keys of the protocol, among them private: true if a private \
      server answered because no socket was found. With --output prometheus it is a page of metrics for Prometheus. The other formats have a \
      row for each subject and each feed, with the columns kind, name, ready, records, generation, as_of and problem. \
      A note says if the public holidays that the server knows end within half a year.

      The exit status is 4 if a subject has a problem, or no data although a source was contacted; if the last attempt \
      at a feed failed; or if the sync service cannot be reached.

        # Show how old the data is, and what failed
        citiesctl status
        # Show the counts of all records
        citiesctl status --verbose
        # Write metrics for the textfile collector of Prometheus
        citiesctl status -o prometheus > tmp && mv tmp cities.prom
      """)

  static let columns = StatusListing.columns

  private var verbose = false
  var answer: AnswerOptions = {
    var answer = AnswerOptions()
    answer.rendering.formats = OutputFormat.allCases
    return answer
  }()

  mutating func declare(in table: inout ArgumentTable) throws {
    verbose = table.flag("--verbose", short: "-v", "Show all details (table).")
  }

  func perform(in context: Context) throws -> ExitStatus {
    let reply = try context.send(Status())
    let now = SystemClock.seconds()
    if let note = Self.holidayNote(until: reply.holidaysUntil, now: now) {
      context.note("holidays", note)
    }
    switch context.format {
    case .table where rendering.columns.isEmpty && verbose:
      context.output.write(page: StatusPage(reply, from: context.client().serverPath, now: now).text)
    case .table where rendering.columns.isEmpty:
      let overview = StatusOverview(reply: reply, path: context.client().serverPath, now: now)
      try overview.write(in: context)
    case .json where rendering.columns.isEmpty: try context.output.writeJSON(reply)
    case .prometheus where rendering.columns.isEmpty: context.output.write(page: StatusMetrics(reply).text)
    default: try context.render(StatusListing.of(reply))
    }
    return Self.status(of: reply)
  }

  /// Half a year in seconds.
  private static let holidayNotice: Int64 = 183 * 86_400

  /// A note if the server's table of public holidays ends soon.
  static func holidayNote(until last: Timestamp?, now: Int64) -> String? {
    guard let last, let seconds = last.secondsSince1970, now > seconds - holidayNotice else { return nil }
    return "public holidays are known only until \(last.text.prefix(10)); install a newer version of citiesd"
  }

  /// The server's text before it has contacted the sync service.
  static let newSync = "not asked yet"
  /// The server's text for a sync service that answers.
  static let reachedSync = "ok"

  /// Whether the server's text about the sync service reports no problem.
  static func isWell(sync: String) -> Bool { sync == newSync || sync == reachedSync }

  /// 4 if a subject, a feed or the sync service has a problem, otherwise 0.
  static func status(of reply: Status.Reply) -> ExitStatus {
    let isWell =
      reply.subjects.allSatisfy { $0.problem == nil && ($0.ready || isSilent($0.subject, reply.feeds)) }
      && reply.feeds.allSatisfy { $0.lastError == nil } && isWell(sync: reply.sync)
    return isWell ? .found : .partial
  }

  /// Whether no source of `subject` was ever contacted: it has none, or its data was never requested.
  ///
  /// Cities are never silent, because they come with the build.
  private static func isSilent(_ subject: Subject, _ feeds: [FeedReport]) -> Bool {
    subject != .cities && !feeds.contains { $0.feed.servedSubject == subject && $0.wasAsked }
  }
}

/// The status on one screen: some lines about the server, then one per subject and feed.
struct StatusOverview {
  var reply: Status.Reply
  /// The path of the socket that answered, or of a private server's program.
  var path: String?
  /// The current time in seconds since 1970, for ages.
  var now: Int64

  /// Writes the overview in the width of the terminal.
  func write(in context: Context) throws {
    for line in head { context.output.write(page: visible(line) + "\n") }
    context.output.write("\n")
    try context.render(subjects)
    if feeds.total > 0 {
      context.output.write("\n")
      try context.render(feeds)
    }
    let faults = reply.faults(width: TerminalSize(descriptor: context.output.descriptor)?.columns ?? .max)
    if !faults.isEmpty { context.output.write("\n") }
    for line in faults { context.output.write(page: visible(line) + "\n") }
  }

  /// The lines about the server; a private one has no sync service.
  private var head: [String] {
    let age = reply.started.secondsSince1970.map { ", started \(AgeText.of(now - $0)) ago" } ?? ""
    let server = "\(reply.server), process \(reply.pid)\(age)"
    let traffic = "\(Self.counted(reply.connections, "connection")), \(Self.counted(reply.requests, "request"))"
    let sync = isPrivate ? nil : "sync: \(joinedLines(reply.sync))"
    return [server, reply.place(path), traffic, sync].compactMap(\.self)
  }

  private var isPrivate: Bool { reply.private == true }

  private var subjects: Listing<Status.SubjectStatus> {
    let now = now
    return Listing(
      columns: [
        ListingColumn("subject", in: .table) { .text($0.subject.rawValue) },
        ListingColumn("state", in: .table, look: { $0.plain.hasSuffix(Self.problem) ? .failed : nil }) {
          .text($0.problem == nil ? $0.phase : $0.phase + Self.problem)
        },
        ListingColumn("records", in: .table, form: .grouped) { RowValue($0.records) },
        ListingColumn("imported", in: .table, form: .whole) { RowValue($0.imported(now)) },
      ], rows: reply.subjects, total: UInt64(reply.subjects.count))
  }

  private static func counted(_ count: UInt64, _ noun: String) -> String {
    "\(groupedText(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// The feeds in use: those with a source, with data of a removed source, or with an error.
  private var feeds: Listing<FeedReport> {
    let now = now
    let used = reply.feeds.filter { $0.source != nil || $0.records != nil || $0.lastError != nil }
    // A private server has no scheduled checks.
    let next = ListingColumn<FeedReport>("next check", in: .table) {
      RowValue($0.nextAttempt?.secondsSince1970.map { Self.until($0, now) })
    }
    return Listing(
      columns: [
        ListingColumn("feed", in: .table) { .text($0.feed.rawValue) },
        ListingColumn("note", in: .table, look: { $0.plain == Self.failed ? .failed : .stale }) {
          RowValue(Self.note(on: $0))
        },
        ListingColumn("records", in: .table, form: .grouped) { RowValue($0.records) },
        ListingColumn("age", in: .table) { RowValue($0.asOf?.secondsSince1970.map { AgeText.of(now - $0) }) },
      ] + (isPrivate ? [] : [next]), rows: used, total: UInt64(used.count))
  }

  private static let problem = ", problem"
  private static let failed = "failed"

  private static func until(_ time: Int64, _ now: Int64) -> String {
    time > now ? "in \(AgeText.of(time - now))" : "due"
  }

  private static func note(on feed: FeedReport) -> String? {
    if let since = feed.importing { return "importing since \(since.text)" }
    if feed.lastError != nil { return failed }
    if feed.sample == true { return "sample data, not real" }
    if feed.source == nil { return "source turned off" }
    return feed.records == nil ? "no data yet" : feed.unusualRecords
  }
}

extension FeedReport {
  /// The numbers of records that are left out or have a remark: `3 left out, 1 remarked`; `nil` if there are none.
  var unusualRecords: String? {
    let counts = [(skipped, "left out"), (remarked, "remarked")].filter { $0.0 ?? 0 > 0 }
    return counts.isEmpty ? nil : counts.map { "\(groupedText($0.0 ?? 0)) \($0.1)" }.joined(separator: ", ")
  }

  /// Whether its source is configured and was contacted; a web source is not contacted before the first request for its
  /// data.
  var wasAsked: Bool { source != nil && (lastAttempt != nil || lastError != nil || records != nil) }
}

extension Status.SubjectStatus {
  /// The date of its file, and its age at the moment `now`: `2026-03-01, 2 d 1 h ago`.
  fileprivate func imported(_ now: Int64) -> String? {
    written.flatMap { time in
      time.secondsSince1970.map { "\(time.text.prefix(10)), \(AgeText.of(now - $0)) ago" }
    }
  }
}

extension Status.Reply {
  /// The errors of subjects and feeds, one line per reason: a cell of a table would truncate it.
  ///
  /// The address of a single source is added if it fits in a line of `width` cells.
  func faults(width: Int) -> [String] {
    let failures = SharedFailure.grouping(feeds.compactMap { feed in feed.lastError.map { (feed.feed, $0) } })
    return subjects.compactMap { subject in subject.problem.map { "\(subject.subject.rawValue): \(joinedLines($0))" } }
      + failures.map { failure in
        let whole = failure.whole.map { "\(failure.names): failed: \(joinedLines($0))" }
        let short = "\(failure.names): failed: \(joinedLines(failure.reason))"
        return whole.flatMap { cellWidth(visible($0)) <= width ? $0 : nil } ?? short
      }
  }

  /// The server that has answered, at `path`; `nil` if unknown.
  fileprivate func place(_ path: String?) -> String? {
    path.map { `private` == true ? "private server: \($0) (no socket was found)" : "socket: \($0)" }
  }
}

/// The status as a page with all details.
struct StatusPage {
  /// The page; lines end with LF.
  let text: String

  /// Formats the `reply` of the server at `path`; `now` is the time in seconds since 1970, for ages.
  init(_ reply: Status.Reply, from path: String? = nil, now: Int64) {
    var lines = ["\(reply.server), process \(reply.pid), since \(reply.started.text)"]
    if let place = reply.place(path) { lines.append(place) }
    lines += [
      "\(reply.connections) connections, \(reply.requests) requests"
        + (reply.counters?["longest_step"].map { ", longest step \($0) us" } ?? ""),
      "sync: \(reply.sync)", "",
    ]
    lines += reply.subjects.flatMap { Self.lines($0, now) }
    lines += reply.feeds.flatMap { Self.lines($0, now) }
    text = lines.map { visible($0) + "\n" }.joined()
  }

  private static func lines(_ subject: Status.SubjectStatus, _ now: Int64) -> [String] {
    let records = subject.records.map { ", \($0) records" } ?? ""
    let generation = subject.generation.map { ", generation \($0)" } ?? ""
    var lines = ["\(subject.subject.rawValue): \(subject.phase)\(records)\(generation)"]
    if let path = subject.path { lines.append("  file: \(path)") }
    if let imported = subject.imported(now) { lines.append("  imported: \(imported)") }
    if let problem = subject.problem { lines.append("  problem: \(problem)") }
    return lines
  }

  private static func lines(_ feed: FeedReport, _ now: Int64) -> [String] {
    let sample = feed.sample == true ? ", sample data, not real" : ""
    let records = feed.recordsText ?? (feed.source == nil ? "no source" : "no data yet")
    var lines = ["feed \(feed.feed.rawValue): \(records)\(sample)"]
    lines += (feed.notes ?? []).map { "  \($0)" }
    if let source = feed.source { lines.append("  source: \(source)") }
    if let asOf = feed.asOf {
      let age = asOf.secondsSince1970.map { " (\(AgeText.of(now - $0)) old)" } ?? ""
      lines.append("  as of: \(asOf.text)\(age)")
    }
    if let since = feed.importing { lines.append("  importing since: \(since.text)") }
    if let attempt = feed.lastAttempt { lines.append("  last attempt: \(attempt.text)") }
    if let error = feed.lastError { lines.append("  failed: \(joinedLines(error))") }
    if let next = feed.nextAttempt { lines.append("  next attempt: \(next.text)") }
    return lines
  }
}

/// The status as rows: one per subject and per feed.
enum StatusListing {
  /// A subject or a feed.
  struct Row {
    var subject: Status.SubjectStatus?
    var feed: FeedReport?
  }

  /// `kind name ready records generation as_of problem`.
  static let columns: [ListingColumn<Row>] = [
    ListingColumn("kind") { .text($0.feed == nil ? "subject" : "feed") },
    ListingColumn("name") { RowValue($0.subject?.subject.rawValue ?? $0.feed?.feed.rawValue) },
    ListingColumn("ready") { .flag($0.subject?.ready ?? ($0.feed?.records != nil)) },
    ListingColumn("records") { RowValue($0.subject?.records ?? $0.feed?.records) },
    ListingColumn("generation") { RowValue($0.subject?.generation) },
    ListingColumn("as_of") { RowValue($0.feed?.asOf?.text) },
    ListingColumn("problem") { RowValue(($0.subject?.problem ?? $0.feed?.lastError).map(joinedLines)) },
  ]

  /// The status as a listing.
  static func of(_ reply: Status.Reply) -> Listing<Row> {
    let rows = reply.subjects.map { Row(subject: $0) } + reply.feeds.map { Row(feed: $0) }
    return Listing(columns: columns, rows: rows, total: UInt64(rows.count))
  }
}
