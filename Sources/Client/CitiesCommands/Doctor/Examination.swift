internal import CitiesClient
internal import CitiesProtocol
internal import Glibc
internal import System

/// Runs all checks, and collects their findings.
///
/// It changes nothing. The server's report takes precedence over the caller's view, as the two may be different users;
/// a private server shows the effect of the caller's permissions and variables.
struct Examination {
  private let connection: ConnectionOptions
  private let environment: (String) -> String?
  private let programs: Programs
  private let remedies: Remedies
  private let report: (Diagnosis) throws -> Void

  /// Runs all checks, those of all records only if `isDeep`; `report` receives each finding as soon as it is known.
  ///
  /// - Throws: The errors of `report`.
  @discardableResult
  init(
    _ connection: ConnectionOptions, isDeep: Bool, _ context: Context, report: @escaping (Diagnosis) throws -> Void
  ) throws {
    (self.connection, environment, self.report) = (connection, context.environment, report)
    programs = Programs(context)
    let units = UnitStates(programs)
    remedies = Remedies(units.managers)
    try programs.installation().forEach(report)
    try Diagnosis.ofVariables(environment).forEach(report)
    let client = Client(connection.sharedConfiguration)
    let answer = Result { () throws(ClientError) in try client.settledStatus() }
    try units.findings(isSystemAnswering: client.serverPath == SocketLocation.systemPath).forEach(report)
    let running = try examine(answer, of: client)
    let own = try examineFolder(running)
    let files = (running?.subjects ?? []) + (own?.subjects ?? [])
    let folders = [running?.folder, own?.folder].compactMap(\.self)
    try programs.verification(of: files, folders: folders, isDeep: isDeep, report)
    try programs.configuration().forEach(report)
  }

  // MARK: The server

  /// The status of the running server; `nil` if there is none that answers.
  private func examine(_ answer: Result<Status.Reply, ClientError>, of client: Client) throws -> Status.Reply? {
    switch answer {
    case .success(let status):
      try report(.ok("socket", client.serverPath ?? ""))
      let configured = FeedServer(client)?.hasCallersConfiguration == true ? programs.feedStates() : [:]
      try ServerDiagnoses(status, client.serverPath, remedies, configured: configured).all.forEach(report)
      return status
    case .failure(let error):
      try report(finding(about: error))
      return nil
    }
  }

  private func finding(about error: ClientError) -> Diagnosis {
    switch error {
    case .noServer(let tried): return finding(aboutSockets: tried, error)
    case .permissionDenied(let path):
      let remedy = "ls -l \(quotedForShell(path)); \(named(path) ?? remedies.renew(path))"
      return .wrong("socket", "\(path): you may not use it", remedy: remedy)
    case .timedOut(let path, _):
      return .wrong("server", "\(path): the server does not answer", remedy: named(path) ?? remedies.restart(path))
    case .protocolMismatch, .unreadableReply, .unsendable:
      return .wrong("server", "\(error)", remedy: remedies.restart(nil))
    case .connectionLost(let path, _): return .wrong("server", "\(error)", remedy: remedies.log(path))
    case .server: return .wrong("server", "\(error)", remedy: remedies.log(nil))
    }
  }

  private func finding(aboutSockets tried: [ClientError.Attempt], _ error: ClientError) -> Diagnosis {
    guard let last = tried.last(where: { !$0.isAbsent }) else {
      if let name = connection.namedSocket(environment) {
        let reason = tried.last?.reason ?? "no such socket"
        return .wrong("socket", "\(name): \(reason)", remedy: Self.remedy(forNamed: name))
      }
      guard remedies.hasUnits else {
        let message = "no server is running: each command starts a private one, with stored data only"
        return .note("socket", message, remedy: remedies.start())
      }
      return .wrong("socket", "no server is running, although its units are installed", remedy: remedies.start())
    }
    return .wrong("socket", "\(last.path): \(last.reason)", remedy: named(last.path) ?? remedies.renew(last.path))
  }

  /// The remedy for a socket that the user has named and no service manager has created: the file may have another
  /// purpose.
  private func named(_ path: String) -> String? {
    guard path != SocketLocation.systemPath else { return nil }
    return connection.namedSocket(environment).map(Self.remedy(forNamed:))
  }

  private static func remedy(forNamed name: String) -> String {
    name.hasPrefix(SocketLocation.variable) ? "unset \(SocketLocation.variable)" : "leave --socket out"
  }

  // MARK: Files

  /// The status of a private server, which reads the caller's own state folder; `nil` if it cannot be queried.
  private func examineFolder(_ running: Status.Reply?) throws -> Status.Reply? {
    var configuration = Client.Configuration(location: SocketLocation(path: ""), timeout: connection.timeout)
    configuration.location.candidates = []
    configuration.location.startsPrivateServer = true
    let own: Status.Reply
    do { own = try Client(configuration).send(Status()) } catch {
      try report(.wrong("private server", "\(error)", remedy: "reinstall citiesd beside citiesctl"))
      return nil
    }
    if running == nil {
      try ServerDiagnoses(own, nil, remedies, configured: programs.feedStates()).data.forEach(report)
    }
    guard let folder = own.folder else { return own }
    let stored = own.subjects.filter { $0.path?.hasPrefix(folder + "/") ?? false }.map(\.subject.rawValue)
    if let served = running?.folder, served != folder, !stored.isEmpty {
      try report(
        .wrong(
          "state folder", "\(folder) has \(stored.joined(separator: ", ")), but the running server reads \(served)",
          remedy: "CITIES_STATE=\(quotedForShell(served)) citiesd-sync run, as the server's user"))
    } else {
      try report(.ofStateFolder(folder, served: running?.folder, environment))
    }
    return own
  }
}

/// The findings in a reply to `status`.
struct ServerDiagnoses {
  private let status: Status.Reply
  private let path: String?
  private let remedies: Remedies
  private let configured: [TextKey: Bool]

  /// The age in seconds from which data counts as old: a feed is refreshed every hour, and may fail for a day.
  private static let longestAge: Int64 = 86_400

  /// Evaluates the `status` of the server on the socket at `path`; without a path, of a private server.
  ///
  /// `configured` is the server's configuration, if the caller can read it: whether each feed has a source. Reports may
  /// be older.
  init(_ status: Status.Reply, _ path: String?, _ remedies: Remedies, configured: [TextKey: Bool]) {
    (self.status, self.path, self.remedies, self.configured) = (status, path, remedies, configured)
  }

  private func isOff(_ feed: FeedReport) -> Bool { !(configured[feed.feed.rawValue] ?? (feed.source != nil)) }

  var all: [Diagnosis] { [version, sync].compactMap(\.self) + data }

  private var version: Diagnosis {
    let expected = "citiesd \(ProgramVersion.number)"
    return status.server == expected
      ? .ok("server", "\(expected), process \(status.pid)")
      : .wrong(
        "server", "\(status.server) is running, but this is \(Product.title)",
        remedy: remedies.restart(path, process: status.pid))
  }

  private var sync: Diagnosis? {
    guard !StatusVerb.isWell(sync: status.sync) else { return nil }
    let isInvalid = status.sync.hasPrefix("invalid configuration")
    return .wrong("sync service", status.sync, remedy: isInvalid ? Programs.editing : remedies.sync(path))
  }

  /// The findings about subjects and feeds.
  var data: [Diagnosis] { status.subjects.map(finding) + status.feeds.flatMap(findings) }

  /// The command that refreshes feeds: through a running server, or else with the program that stores them.
  private func refresh(_ feed: String = "") -> String {
    let name = feed.isEmpty ? "" : " \(quotedForShell(feed))"
    return (path == nil ? "citiesd-sync run" : "citiesctl refresh") + name
  }

  private func finding(_ subject: Status.SubjectStatus) -> Diagnosis {
    let check = "data \(subject.subject.rawValue)"
    let update = RebuildCommand.command(forSubject: subject.subject.rawValue)
    if let problem = subject.problem { return .wrong(check, problem, remedy: update) }
    if subject.ready { return .ok(check, subject.path ?? subject.phase) }
    if subject.subject == .cities { return .wrong(check, "there is no city list", remedy: update) }
    let feeds = status.feeds.filter { $0.feed.servedSubject == subject.subject }
    if feeds.contains(where: { $0.wasAsked && !isOff($0) }) {
      return .wrong(check, "source set, but nothing downloaded", remedy: refresh())
    }
    if feeds.contains(where: { !isOff($0) }) {
      return .note(check, "\(subject.phase): not requested yet", remedy: refresh())
    }
    guard status.knowsSources || !configured.isEmpty else {
      let message = "\(subject.phase): the sync service has not reported its feeds yet"
      return .note(check, message, remedy: remedies.sync(path))
    }
    let enable = feeds.first.map { "citiesctl feed enable \(quotedForShell($0.feed.rawValue))" }
    return .note(check, "\(subject.phase): its sources are off", remedy: enable)
  }

  private func findings(_ feed: FeedReport) -> [Diagnosis] {
    let check = "feed \(feed.feed.rawValue)"
    if let since = feed.importing { return [.ok(check, "importing since \(since.text)")] }
    let enable = "citiesctl feed enable \(quotedForShell(feed.feed.rawValue))"
    if feed.sample == true, feed.lastError == nil {
      let real = isOff(feed) ? enable : refresh(feed.feed.rawValue)
      return [.note(check, "sample data, not real", remedy: "\(real), for real data")]
    }
    guard !isOff(feed) else {
      return feed.lastError.map { [.note(check, "switched off; it failed before: \($0)", remedy: enable)] } ?? []
    }
    let refresh = refresh(feed.feed.rawValue)
    if let error = feed.lastError { return [.wrong(check, "the last attempt failed: \(error)", remedy: refresh)] }
    guard let asOf = feed.asOf, let seconds = asOf.secondsSince1970 else { return [] }
    let age = SystemClock.seconds() - seconds
    let records = [feed.records.map { "\(groupedText($0)) records" }, feed.unusualRecords].compactMap(\.self)
    let text = (["data of \(asOf.text), \(AgeText.of(age)) old"] + records).joined(separator: ", ")
    let isOld = age > max(Self.longestAge, Int64(clamping: feed.interval ?? 0)) && feed.nextAttempt != nil
    if isOld { return [.wrong(check, text, remedy: refresh)] }
    return [feed.unusualRecords == nil ? .ok(check, text) : .note(check, text, remedy: reading(feed))]
  }

  /// What to do about records that are left out or have a remark.
  private func reading(_ feed: FeedReport) -> String {
    let isFile = feed.source.map { $0.hasPrefix("/") || $0.hasPrefix("file:") } ?? false
    let isFar = feed.notes?.contains { $0.reason.utf8.firstRange(of: "far outside".utf8) != nil } ?? false
    return "citiesctl status -v names these records, with the reasons; then "
      + (isFile ? "correct \(feed.source ?? "")" : "report them to the publisher of the source")
      + (isFar ? ", or the feed's country in the configuration" : "")
  }
}
