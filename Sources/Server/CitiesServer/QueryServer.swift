import CitiesProtocol
package import FrameService
package import Logging
import Resident
package import System

/// `citiesd`: a framed service that answers from resident subjects.
///
/// ```swift
/// let server = try QueryServer(configuration, log)
/// try server.run(on: socket)
/// ```
package final class QueryServer {
  /// The underlying service.
  package let service: FramedService
  /// The time of the start.
  let started = Timestamp.now
  let cities: ResidentSubject<ResidentCities>
  /// The bank locations.
  let banks: ResidentSubject<ResidentBanks>
  /// Rates and transactions.
  let trade: ResidentSubject<ResidentTrade>
  /// The state shared by the handlers of trade.
  let desk: TradeDesk
  let subjects: [any SubjectState]
  let feeds: FeedReports
  /// The client of the sync service.
  let sync: SyncClient
  let watchers = Watchers()

  /// The time reserved for clients that waited at the socket, in nanoseconds.
  private static let firstAnswers: Int64 = 5_000_000

  private let log: Logger
  let configuration: ServerConfiguration
  /// The folders in which changes of files are detected.
  private(set) var watches: [FolderWatch] = []
  /// What waits for the next look at the files.
  private var waitingForFiles: [() -> Void] = []
  /// The number of times that the list of subordinate user ids was read.
  private(set) var userReadings = 0

  /// Creates a server and loads the data on disk, so that it is ready for the first request.
  ///
  /// - Throws: ``SystemError`` if there are no free descriptors. Unusable data is not an error: each request for it is
  ///   answered with the reason.
  package init(_ configuration: ServerConfiguration, _ log: Logger) throws(SystemError) {
    self.log = log
    self.configuration = configuration
    service = try FramedService(name: "citiesd", limits: configuration.limits, log: log)
    cities = ResidentSubject(configuration, service.loop, log)
    banks = ResidentSubject(configuration, service.loop, log)
    trade = ResidentSubject(configuration, service.loop, log)
    subjects = [cities, banks, trade]
    feeds = FeedReports(configuration, log)
    sync = SyncClient(configuration, feeds, service.loop, log)
    desk = TradeDesk(trade, feeds, sync)
    service.idleExit = configuration.idleExit
    service.register(makeHandlers())
    surviveChangedFiles()
    // Before files are opened: a signal is lost unless a thread has blocked it.
    BlockedSignals.block([FileLease.signal])
    _ = try Signals(service.loop, [FileLease.signal]) { [unowned self] _ in
      for subject in subjects { subject.yieldLeases() }
    }
    for subject in subjects { subject.loadNow() }
  }

  /// Serves `socket` until it is stopped by a signal or by idleness.
  ///
  /// - Throws: ``SystemError`` if a necessary system call fails.
  package func run(on socket: ListeningSocket, signals: Bool = true) throws(SystemError) {
    connectNews()
    // Before the first connection, whose account does not change later.
    if let file = configuration.subordinateUsers, let users = try? SubordinateUsers(file: file) {
      service.subordinates = users
    }
    service.onReload = { [unowned self] done in checkFiles(then: done) }
    service.onDrain = { [unowned self] in drain() }
    // The rest can wait until the clients waiting at the socket are answered.
    service.loop.schedule(after: Self.firstAnswers) { [unowned self] in watchFolders() }
    log.info(
      "\(ServerVersion.name) serves \(socket.path)\(socket.isActivated ? " (activated)" : ""); \(summary)",
      metadata: .event(.started))
    ServiceManager.status(summary)
    try service.run(on: socket, signals: signals)
    let counts = service.counts
    log.info(
      """
      stopped: \(counts.answered) requests answered (\(counts.failed) with errors), \
      \(counts.accepted) connections, \(counts.refused) refused
      """, metadata: .event(.stopped))
  }

  /// Serves the one client at `descriptor` until it disconnects: a private server.
  ///
  /// It answers from the files that it has opened. It watches for no others, verifies none and refreshes nothing, as it
  /// usually lives for one request.
  ///
  /// - Throws: The errors of ``FramedService/serve(connection:)``.
  package func serve(connection descriptor: Int32) throws(ServiceError) {
    connectNews()
    try service.serve(connection: descriptor)
  }

  // MARK: State for handlers

  /// Whether each subject in `wanted` has data; an empty list means all subjects.
  func ready(_ wanted: [Subject] = []) -> [String: Bool] {
    Dictionary(uniqueKeysWithValues: chosen(wanted).map { ($0.subject.rawValue, $0.isReady) })
  }

  /// The generations of the subjects in `wanted` that have data; an empty list means all subjects.
  func generations(_ wanted: [Subject] = []) -> [String: String] {
    let pairs = chosen(wanted).compactMap { subject in subject.generation.map { (subject.subject.rawValue, $0) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  private func chosen(_ wanted: [Subject]) -> [any SubjectState] {
    wanted.isEmpty ? subjects : subjects.filter { wanted.contains($0.subject) }
  }

  private var summary: String { subjects.map(\.summary).joined(separator: "; ") }

  // MARK: Files and events

  /// Takes files out of service that are changed or truncated under their mappings, where access would otherwise end
  /// the process by SIGBUS.
  private func surviveChangedFiles() {
    do throws(SystemError) {
      try MappingFaults.install()
    } catch {
      log.error("\(error)", metadata: .event(.degraded, error: "\(error)"))
    }
    service.faults = FaultCounter(MappingFaults.counter)
    service.onFault = { [unowned self] in
      // All of them are checked, and the first one that lost a file is reported.
      let withdrawn = subjects.filter { $0.inspect() }
      return withdrawn.first.map { .dataChanged($0.subject, phase: $0.status.phase) }
    }
    for subject in subjects {
      subject.onDoubt = { [unowned self] in service.faults?.isDoubtful = subjects.contains { $0.isDoubtful } }
    }
  }

  private func connectNews() {
    for subject in subjects {
      subject.onNews = { [unowned self, unowned subject] in announce(of: subject, refused: $0) }
      subject.explain = { [unowned self, unowned subject] in missing(subject.subject, subject.kind) }
    }
    feeds.onChange = { [unowned self] reports in sync.feedsChanged(reports) }
  }

  private func missing(_ subject: Subject, _ kind: ResidentKind) -> MissingData {
    configuration.isPrivate
      ? MissingData(privately: subject, remedy: kind.remedy, folder: configuration.stateFolder)
      : MissingData(subject, remedy: kind.remedy, reports: feeds.reports, sync: sync.known)
  }

  /// The reason why a feed with a source never had data.
  func missing(_ report: FeedReport) -> MissingData {
    let subject = report.feed.servedSubject
    let remedy = "citiesd-sync run \(report.feed.rawValue)"
    guard !configuration.isPrivate || report.lastError != nil else {
      return MissingData(privately: subject, remedy: remedy, folder: configuration.stateFolder)
    }
    var state = sync.known
    state.running.formIntersection([report.feed])
    return MissingData(subject, remedy: remedy, reports: [report], sync: state)
  }

  private func announce(of subject: any SubjectState, refused reason: String?) {
    ServiceManager.status(summary)
    watchers.send(
      Watch.Event(
        event: reason == nil ? "changed" : "refused", subject: subject.subject, generation: subject.generation,
        at: .now, message: reason))
  }

  private func watchFolders() {
    let files = subjects.flatMap { [$0.kind.fileName, $0.kind.installedName] }
    let names = Set((files + [ResidentFeeds.kind.fileName, "subuid"]).map { TextKey($0) })
    let users = [configuration.subordinateUsers].compactMap { $0.map(parentFolder) }
    for folder in [configuration.stateFolder] + configuration.shareFolders + users {
      do {
        watches.append(
          try FolderWatch(service.loop, folder: folder, names: names) { [unowned self] in checkFiles {} })
      } catch {
        log.error(
          "new data in \(folder) will be noticed on SIGHUP only: \(error)",
          metadata: .event(.degraded, error: "\(error)"))
      }
    }
    // Covers changes between loading and watching, and the contents of feeds.resident.
    readFiles {}
    sync.start()
  }

  /// Reads the files that have changed, then calls `done`: once for all calls of a turn of the loop, because a refresh
  /// may end for many clients at once.
  func checkFiles(then done: @escaping () -> Void) {
    waitingForFiles.append(done)
    guard waitingForFiles.count == 1 else { return }
    service.loop.soon { [unowned self] in
      let waiting = waitingForFiles
      waitingForFiles = []
      readFiles { for done in waiting { done() } }
    }
  }

  private func readFiles(then done: @escaping () -> Void) {
    feeds.check()
    readSubordinateUsers()
    var missing = subjects.count
    for subject in subjects {
      subject.check {
        missing -= 1
        if missing == 0 { done() }
      }
    }
  }

  /// Reads the list of subordinate user ids on another thread: it may be long.
  ///
  /// Only the last reading counts, because one that began earlier may end later. A list that is missing or cannot be
  /// read changes nothing.
  private func readSubordinateUsers() {
    guard let file = configuration.subordinateUsers else { return }
    userReadings += 1
    service.loop.offload({ try? SubordinateUsers(file: file) }) { [unowned self, userReadings] users in
      if let users, userReadings == self.userReadings { service.subordinates = users }
    }
  }

  private func drain() {
    watchers.send(Watch.Event(event: "stopping", at: .now))
    sync.answerAll()
  }
}
