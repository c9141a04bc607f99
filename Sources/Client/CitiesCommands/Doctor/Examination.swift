internal import CitiesClient
internal import CitiesProtocol
internal import Glibc
internal import System

/// Looks at one thing after the other; each look adds what it has found.
///
/// It changes nothing. What the server says is preferred to what the caller may see, as the two may be different users;
/// a private server says what the caller's own rights and variables lead to.
struct Examination {
  /// The results, in the order of the looks.
  private(set) var findings: [Diagnosis] = []
  private let connection: ConnectionOptions
  private let environment: (String) -> String?
  private let programs: Programs

  /// Does everything.
  init(_ connection: ConnectionOptions, _ environment: @escaping (String) -> String?) {
    (self.connection, self.environment) = (connection, environment)
    programs = Programs(environment: environment)
    findings += programs.installation()
    let units = UnitStates(programs, environment)
    findings += units.findings
    let running = examineServer(hasUnits: units.isLoaded)
    let own = examineFolder(running)
    let files = (running?.subjects ?? []) + (own?.subjects ?? [])
    findings += programs.verification(of: files, folders: [running?.folder, own?.folder].compactMap(\.self))
    findings += programs.configuration()
  }

  // MARK: The server

  /// The running server's status; `nil` if there is none that answers.
  private mutating func examineServer(hasUnits: Bool) -> Status.Reply? {
    let client = Client(connection.sharedConfiguration)
    do {
      let status = try client.send(Status())
      findings.append(.ok("socket", client.serverPath ?? ""))
      findings += ServerDiagnoses(status).all
      return status
    } catch {
      findings.append(finding(about: error, hasUnits: hasUnits))
      return nil
    }
  }

  private func finding(about error: ClientError, hasUnits: Bool) -> Diagnosis {
    let unit = UnitStates.start
    switch error {
    case .noServer(let tried) where tried.allSatisfy(\.isAbsent):
      if let named = connection.namedSocket(environment) {
        return .wrong("socket", "\(named): no such socket", remedy: "unset \(SocketLocation.variable)")
      }
      guard hasUnits else {
        let message = "no server is running: each command starts a private one, with stored data only"
        return .note("socket", message, remedy: "citiesd")
      }
      return .wrong("socket", "no server is running, although its units are installed", remedy: unit)
    case .noServer:
      return .wrong("socket", "\(error)", remedy: "systemctl restart citiesd.socket")
    case .permissionDenied(let path):
      let remedy = "ls -l \(shellWord(path)); systemctl restart citiesd.socket"
      return .wrong("socket", "\(path): you may not use it", remedy: remedy)
    case .timedOut(let path, _):
      return .wrong("server", "\(path): the server does not answer", remedy: "systemctl restart citiesd")
    case .protocolMismatch, .unreadableReply, .unsendable:
      return .wrong("server", "\(error)", remedy: "systemctl restart citiesd")
    case .connectionLost, .server:
      return .wrong("server", "\(error)", remedy: "journalctl -u citiesd -n 20")
    }
  }

  // MARK: Files

  /// The status of a private server, which reads the caller's own state folder; `nil` if it cannot be asked.
  private mutating func examineFolder(_ running: Status.Reply?) -> Status.Reply? {
    var configuration = Client.Configuration(location: SocketLocation(path: ""), timeout: connection.timeout)
    configuration.location.candidates = []
    configuration.location.startsPrivateServer = true
    let own: Status.Reply
    do { own = try Client(configuration).send(Status()) } catch {
      findings.append(.wrong("private server", "\(error)", remedy: "reinstall citiesd beside citiesctl"))
      return nil
    }
    if running == nil { findings += ServerDiagnoses(own).data }
    guard let folder = own.folder else { return own }
    let stored = own.subjects.filter { $0.path?.hasPrefix(folder + "/") ?? false }.map(\.subject.rawValue)
    if let served = running?.folder, served != folder, !stored.isEmpty {
      findings.append(
        .wrong(
          "state folder", "\(folder) has \(stored.joined(separator: ", ")), but the running server reads \(served)",
          remedy: "CITIES_STATE=\(shellWord(served)) citiesd-sync run, as the server's user"))
    } else if access(folder, F_OK) == 0, access(folder, R_OK | X_OK) != 0 {
      findings.append(
        .wrong(
          "state folder", "\(folder) cannot be read: \(SystemError.text(errno))", remedy: "ls -ld \(shellWord(folder))")
      )
    } else {
      findings.append(.ok("state folder", folder))
    }
    return own
  }
}

/// What the reply to `status` says.
struct ServerDiagnoses {
  private let status: Status.Reply

  /// Seconds after which data counts as old: a feed is asked every hour, and may fail for a day.
  private static let longestAge: Int64 = 86_400

  init(_ status: Status.Reply) { self.status = status }

  var all: [Diagnosis] { [version, sync].compactMap(\.self) + data }

  private var version: Diagnosis {
    let expected = "citiesd \(ProgramVersion.number)"
    return status.server == expected
      ? .ok("server", "\(expected), process \(status.pid)")
      : .wrong(
        "server", "\(status.server) is running, this is \(Product.title)", remedy: "systemctl restart citiesd")
  }

  private var sync: Diagnosis? {
    StatusVerb.isWell(sync: status.sync)
      ? nil : .wrong("sync service", status.sync, remedy: "systemctl status citiesd-sync.socket citiesd-sync")
  }

  /// About subjects and feeds.
  var data: [Diagnosis] { status.subjects.map(finding) + status.feeds.flatMap(findings) }

  private func finding(_ subject: Status.SubjectStatus) -> Diagnosis {
    let check = "data \(subject.subject.rawValue)"
    let update = rebuilding(subject.subject.rawValue)
    if let problem = subject.problem { return .wrong(check, problem, remedy: update) }
    if subject.ready { return .ok(check, subject.path ?? subject.phase) }
    if subject.subject == .cities { return .wrong(check, "there is no city list", remedy: update) }
    let hasSource = status.feeds.contains { $0.feed.subject == subject.subject && $0.source != nil }
    return hasSource
      ? .wrong(check, "\(subject.phase), although it has a source", remedy: "citiesctl refresh")
      : .note(check, subject.phase)
  }

  private func findings(_ feed: FeedReport) -> [Diagnosis] {
    let check = "feed \(feed.feed.rawValue)"
    let refresh = "citiesctl refresh \(shellWord(feed.feed.rawValue))"
    if let error = feed.lastError { return [.wrong(check, "the last attempt failed: \(error)", remedy: refresh)] }
    guard let asOf = feed.asOf, let seconds = asOf.secondsSince1970, feed.source != nil else { return [] }
    let age = SystemClock.seconds() - seconds
    let text = "data of \(asOf.text), \(AgeText.of(age)) old"
    let isOld = age > max(Self.longestAge, Int64(clamping: feed.interval ?? 0)) && feed.nextAttempt != nil
    return [isOld ? .wrong(check, text, remedy: refresh) : .ok(check, text)]
  }
}

/// The command that rebuilds the file of `subject`.
func rebuilding(_ subject: String) -> String {
  switch subject {
  case "cities": "citiesd-sync run --force cities"
  case "trade": "citiesd-sync run --force rates transactions"
  default: "citiesd-sync run"
  }
}

/// `text` as one word of a shell's command: remedies are copied to a prompt, perhaps root's, and hold names from files.
func shellWord(_ text: String) -> String {
  let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@,"
  guard text.isEmpty || !text.allSatisfy(plain.contains) else { return text }
  let parts = text.split(separator: "'", omittingEmptySubsequences: false)
  return "'" + parts.joined(separator: "'\\''") + "'"
}
