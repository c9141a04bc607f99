import CitiesProtocol
import CitiesServer
import FrameService
import Glibc
import Logging

/// Everything outside of the server: 64 users, other programs that change its files, and the clock.
final class World {
  /// What a seed may have in it.
  enum Theme: CaseIterable {
    case crowd, duel, longRequests, slowReaders, vandals, files, shortage, signals, jumps, watchers, lateEvents, sync,
      interruptions, missingFiles, earlyStop, bulk, pagers, rivals
  }

  /// Themes in which requests are not known to the server when they arrive, or work is done in vain.
  private static let unfair: Set<Theme> = [
    .files, .missingFiles, .pagers, .shortage, .lateEvents, .interruptions, .earlyStop, .signals,
  ]
  /// Calls after which no client connects again: a long seed is worth less than several short ones.
  private static let busyCalls: UInt64 = 40_000
  /// Users of the server.
  static let users = 64

  let kernel: Kernel
  let oracle: Oracle
  let themes: Set<Theme>
  var requests = 0
  /// Whether the faults have stopped.
  private(set) var isCalm = false
  /// Whether the sync service has answered for so long that a refresh succeeds.
  private(set) var isRefreshable = false
  /// Whether the service was asked to leave.
  private(set) var isStopping = false
  private var stoppedAt: Int64 = 0
  /// Whether connections or descriptors were too few at some time.
  private(set) var hadShortage = false
  private(set) var limits = ServiceLimits()
  private var histories: [Subject: History] = [:]
  private var sessions: [ObjectIdentifier: Session] = [:]
  private var sessionsOfUser: [UInt32: Int] = [:]
  private var listener: ListeningEnd?
  private var connectionsLost = 0
  private var lastJump: Int64 = 0
  /// The longest wait and the longest turn of the loop, in percent of their bounds.
  private(set) var longestWait: Int64 = 0
  private(set) var longestTurn: Int64 = 0
  /// What the server does for users of long requests that all wait.
  var fairness = Fairness()
  private var rivalry: (template: Int, bound: Int64, requestsPerBound: Int)?
  private var chaosEnds: Int64 = 0
  private var waits = 0
  /// The time in which the server reports a reason once per user: `ClientReports.interval`, in nanoseconds.
  private static let reportInterval: Int64 = 10_000_000_000
  /// When the server has logged each message last.
  private var messages: [String: Int64] = [:]
  private var hasUnreadableFiles = false
  weak var server: QueryServer? {
    didSet { inspection = server.map { Inspection($0.service, fail: kernel.fail) } }
  }
  private var inspection: Inspection?
  var syncService: SyncService?

  init(_ kernel: Kernel, _ oracle: Oracle) {
    (self.kernel, self.oracle) = (kernel, oracle)
    let all = Theme.allCases.sorted { "\($0)" < "\($1)" }
    let chosen = Set((0..<kernel.dice.pick(1...5)).map { _ in kernel.dice.choose(all) })
    themes = chosen.contains(.rivals) ? chosen.subtracting(Self.unfair) : chosen
  }

  /// The configuration of the server in this world.
  func configuration() -> ServerConfiguration {
    var configuration = ServerConfiguration(
      stateFolder: Places.state, shareFolders: [Places.share], syncSocket: themes.contains(.sync) ? Places.sync : nil)
    if themes.contains(.shortage) {
      limits.connections = kernel.dice.pick(12...40)
      limits.connectionsPerUser = kernel.dice.pick(6...30)
      if kernel.dice.hits(512) { kernel.descriptorLimit = kernel.dice.pick(20...48) }
    }
    if themes.contains(.slowReaders), kernel.dice.hits(512) {
      limits.queuedBytesPerUser = 150_000
      limits.queuedBytes = 600_000
    }
    configuration.limits = limits
    return configuration
  }

  // MARK: The course of a run

  /// Lays out the files, before the server starts.
  func prepare() {
    kernel.workCost = kernel.dice.choose([100, 1_000, 5_000, 20_000, 60_000])
    // Where work costs less, rivals would have to send thousands of requests.
    if themes.contains(.rivals) { kernel.workCost = max(kernel.workCost, 5_000) }
    // Answers from so few records are long only where work costs more.
    if themes.contains(.longRequests) { kernel.workCost = max(kernel.workCost, 20_000) }
    kernel.files.makeFolder(Places.state)
    kernel.files.makeFolder(Places.share)
    for subject in Subject.simulated {
      let image = kernel.dice.choose(oracle.images[subject] ?? [])
      let isMissing = themes.contains(.missingFiles) && kernel.dice.hits(400)
      let isInstalled = themes.contains(.files) && kernel.dice.hits(300)
      histories[subject] = History()
      if !isMissing {
        kernel.files.publish(image.bytes, image, at: subject.paths[isInstalled ? 1 : 0])
        histories[subject]?.add(.variant(image.variant, isFallback: isInstalled), at: 0)
      } else {
        histories[subject]?.add(.unknown, at: 0)
      }
    }
    // The files are older than what the server sees of them.
    kernel.now += 2_000_000_000
    if themes.contains(.sync) { syncService = SyncService(kernel) }
    kernel.onConnect = { [unowned self] socket, path in syncService?.connect(socket, path) ?? -ENOENT }
    kernel.onWait = { [unowned self] in
      checkTurn()
      inspect()
    }
  }

  /// Starts the clients; the server is about to wait for the first time.
  func start() {
    for case let end as ListeningEnd in kernel.openObjects where end.path == Places.socket { listener = end }
    let unit = kernel.dice.choose([1_000_000, 2_000_000, 2_000_000, 8_000_000, 8_000_000, 40_000_000, 300_000_000])
    let duration = kernel.dice.pick(5...60) * unit
    if themes.contains(.rivals) { rivalry = makeRivalry() }
    chaosEnds = kernel.now + max(Int64(duration), 40 * (rivalry?.bound ?? 0))
    kernel.after(8_000_000) { [unowned self] in
      kernel.weather = weather()
      hasUnreadableFiles = kernel.weather.unreadable > 0
      makeUsers()
      makeTrouble()
    }
    kernel.agenda.add(at: chaosEnds) { [unowned self] in calmDown() }
  }

  private func weather() -> Kernel.Weather {
    var weather = Kernel.Weather()
    if themes.contains(.interruptions) { weather.interrupted = kernel.dice.pick(1...60) }
    if themes.contains(.shortage) { weather.unacceptable = kernel.dice.pick(0...30) }
    if themes.contains(.lateEvents) { weather.late = kernel.dice.pick(20...500) }
    if themes.contains(.files) {
      weather.threadless = kernel.dice.pick(0...100)
      weather.unreadable = kernel.dice.hits(300) ? kernel.dice.pick(1...30) : 0
    }
    return weather
  }

  private func calmDown() {
    kernel.note("calm", Int64(sessions.count))
    isCalm = true
    kernel.weather = .calm
    kernel.descriptorLimit = Kernel.manyDescriptors
    syncService?.settle()
    if !themes.contains(.earlyStop) || isStopping == false {
      for subject in Subject.simulated {
        let image = kernel.dice.choose(oracle.images[subject] ?? [])
        kernel.files.publish(image.bytes, image, at: subject.paths[0])
      }
    }
    for session in orderedSessions { session.calmDown() }
    kernel.after(130_000_000_000) { [unowned self] in checkDrained() }
  }

  private var orderedSessions: [Session] {
    sessions.values.sorted { ($0.socket.user, $0.order) < ($1.socket.user, $1.order) }
  }

  private func checkDrained() {
    if let session = orderedSessions.first { session.checkIdle() }
    guard !isStopping else { return }
    // The server asks by itself, too.
    if syncService?.isBusy ?? false { return kernel.after(1_000_000_000) { [unowned self] in checkDrained() } }
    checkDescriptors()
    checkAccounts()
    probe()
  }

  /// The descriptors that are left when all clients are gone: those that the server needs to serve nobody.
  private func checkDescriptors() {
    let sockets = kernel.openObjects.filter { ($0 as? Socket).map { !$0.isOutgoing } ?? false }
    if !sockets.isEmpty { kernel.fail("\(sockets.count) sockets are open after all clients have left") }
    let files = kernel.openObjects.compactMap { $0 as? OpenFile }
    let spare = files.count { $0.file == nil }
    if spare != 1 { kernel.fail("\(spare) spare descriptors, expected 1") }
    if files.count != 4 { kernel.fail("\(files.count - 1) files are open, expected 3") }
    let outgoing = kernel.openObjects.count { ($0 as? Socket)?.isOutgoing ?? false }
    if outgoing > 0 { kernel.fail("\(outgoing) connections to the sync service are open, and nothing is in progress") }
    let others = kernel.openObjects.count { !($0 is Socket) && !($0 is OpenFile) }
    // epoll, eventfd, timerfd, two signalfd, two folders, the listener.
    if others != 8 { kernel.fail("\(others) other descriptors, expected 8") }
  }

  /// After everything, one client asks for all data, and gets that of the newest files; another one for a refresh.
  private func probe() {
    for subject in Subject.simulated {
      guard let image = kernel.files.paths[subject.paths[0]]?.image else { continue }
      // The first file that is taken is not announced.
      if histories[subject]?.last == .unknown {
        histories[subject]?.add(.variant(image.variant, isFallback: false), at: kernel.now)
      }
      guard histories[subject]?.last == .variant(image.variant, isFallback: false) else {
        kernel.fail("\(subject.rawValue): the newest file is not served, but \(histories[subject]?.last as Any)")
      }
    }
    isCalm = false
    var manner = Manner()
    manner.templates = oracle.places { _, template in template.subject != nil }
    manner.requests = 12
    connect(user: 1_001, manner)
    if syncService != nil {
      isRefreshable = true
      manner.templates = oracle.places { _, template in template.name == Refresh.method }
      manner.requests = 2
      connect(user: 1_002, manner)
    }
    kernel.after(3_000_000_000) { [unowned self] in
      isCalm = true
      if let session = orderedSessions.first { session.checkIdle() }
      stop()
    }
  }

  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    stoppedAt = kernel.now
    kernel.raise(SIGTERM)
    kernel.after(10_000_000_000) { [unowned self] in kernel.fail("the server does not leave after SIGTERM") }
  }

  /// Whether it has taken many calls: the rest of each request then arrives in one piece.
  var isLong: Bool { kernel.calls > 4 * Self.busyCalls }

  /// Whether the time is over in which clients may read their last answers.
  var hasDrained: Bool { isStopping && kernel.now - stoppedAt >= limits.drainTime }

  // MARK: Users

  private func makeUsers() {
    let count = themes.contains(.crowd) ? Self.users : themes.contains(.duel) ? 2 : kernel.dice.pick(2...16)
    for number in 0..<count {
      let user = number == 0 && kernel.dice.hits(200) ? 0 : UInt32(1_000 + number)
      for manner in manners(of: number) {
        kernel.after(kernel.dice.delay(upTo: 30_000_000)) { [unowned self] in connect(user: user, manner) }
      }
    }
    if themes.contains(.rivals) { makeRivals() }
  }

  private func manners(of number: Int) -> [Manner] {
    var found: [Manner] = []
    if number % 2 == 0 { found.append(typist()) }
    if themes.contains(.longRequests), number < 3 {
      found += Array(repeating: flood(), count: kernel.dice.pick(2...40))
    }
    if themes.contains(.slowReaders), number % 3 == 1 { found += [slowReader(), slowReader()] }
    if themes.contains(.vandals) { found += (0..<kernel.dice.pick(0...4)).map { _ in vandal() } }
    if themes.contains(.watchers), kernel.dice.hits(512) { found.append(watcher()) }
    if themes.contains(.earlyStop), number == 1 { found.append(deafReader()) }
    if themes.contains(.bulk), number < 4 { found.append(bulkSender()) }
    if themes.contains(.pagers), number < 4 { found += [pager(), pager(), pager()] }
    if themes.contains(.shortage) { found += (0..<kernel.dice.pick(0...6)).map { _ in ordinary() } }
    found += (0..<kernel.dice.pick(0...2)).map { _ in ordinary() }
    return found
  }

  private func ordinary() -> Manner {
    var manner = Manner()
    manner.templates = oracle.places { _, template in template.kind != .fatal }
    manner.requests = kernel.dice.pick(1...60)
    manner.depth = kernel.dice.choose([1, 1, 4, 30, 200])
    manner.pause = kernel.dice.choose([10_000, 1_000_000, 80_000_000])
    manner.pieceBytes = kernel.dice.choose([1, 7, 4_096, 1 << 20])
    manner.readBytes = kernel.dice.choose([100, 5_000, 1 << 20])
    manner.ending = kernel.dice.choose(Manner.Ending.allCases)
    return manner
  }

  /// Sends one short request after the other, and waits for each answer.
  private func typist() -> Manner {
    var manner = Manner()
    manner.templates = oracle.places { place, template in template.subject == .cities && !oracle.long.contains(place) }
    manner.requests = kernel.dice.pick(3...60)
    manner.pause = kernel.dice.choose([50_000, 3_000_000, 60_000_000])
    manner.readPause = 1_000
    manner.isTimed = true
    return manner
  }

  private func flood() -> Manner {
    var manner = Manner()
    manner.templates = oracle.places { place, template in
      template.subject != nil && cost(of: place).lowerBound > limits.turn
    }
    manner.requests = kernel.dice.pick(1...6)
    manner.depth = 2
    manner.pause = 10_000
    return manner
  }

  private func slowReader() -> Manner {
    var manner = ordinary()
    manner.requests = kernel.dice.pick(20...400)
    manner.depth = 100
    manner.readBytes = kernel.dice.pick(1...20_000)
    manner.readPause = kernel.dice.choose([1_000_000, 50_000_000, 2_000_000_000])
    manner.isDeaf = kernel.dice.hits(250)
    return manner
  }

  /// Reads nothing, of more than it has room for.
  private func deafReader() -> Manner {
    var manner = slowReader()
    manner.requests = 60
    manner.readPause = 50_000_000
    (manner.capacity, manner.isDeaf) = (4_096, true)
    (manner.pieceBytes, manner.ending) = (1 << 20, .close)
    return manner
  }

  /// Sends more at once than is received at once, and then nothing.
  private func bulkSender() -> Manner {
    var manner = Manner()
    manner.templates = oracle.places { _, template in template.name == Template.bulky }
    manner.requests = kernel.dice.pick(4...12)
    manner.depth = manner.requests
    manner.capacity = 212_992
    return manner
  }

  /// Continues with a page that another connection has started with.
  private func pager() -> Manner {
    var manner = Manner()
    manner.templates = oracle.places { _, template in
      if case .page = template.kind { true } else { template.name == "city.search" }
    }
    manner.requests = kernel.dice.pick(1...3)
    manner.pause = 4_000_000
    return manner
  }

  /// Three users that all have requests: long ones all the time, long ones after a pause, and many short ones.
  ///
  /// The pause is several times what one user may be ahead of another, and so is the work after it.
  private func makeRivals() {
    guard let rivalry else { return }
    var manner = Manner()
    manner.isRival = true
    manner.templates = [rivalry.template]
    (manner.depth, manner.pause, manner.readPause, manner.capacity) = (10, 1, 1, 1 << 22)
    manner.firstPause = 4_000_000
    var late = manner
    late.firstPause = 4_000_000 + 16 * rivalry.bound
    late.requests = 4 + 6 * rivalry.requestsPerBound
    manner.requests = 4 + 14 * rivalry.requestsPerBound
    var short = typist()
    (short.isRival, short.isTimed) = (true, false)
    (short.pause, short.readPause, short.firstPause) = (0, 0, 4_000_000)
    for (number, manner) in ([manner, late] + Array(repeating: short, count: 12)).enumerated() {
      connect(user: UInt32(2_000 + min(number, 2)), manner)
    }
  }

  /// Chooses the long request that rivals send, and computes what one of them may be ahead of another.
  private func makeRivalry() -> (template: Int, bound: Int64, requestsPerBound: Int) {
    let template = kernel.dice.choose(oracle.long.sorted().filter { oracle.templates[$0].subject == .cities })
    let cost = cost(of: template)
    let bound = 2 * cost.upperBound + 4 * turnBound
    return (template, bound, Int(bound / max(1, cost.lowerBound)))
  }

  /// The time that a template costs here.
  private func cost(of template: Int) -> ClosedRange<Int64> {
    oracle.costs[template].time(work: kernel.workCost, slice: limits.turn)
  }

  private func vandal() -> Manner {
    var manner = ordinary()
    manner.requests = kernel.dice.pick(1...12)
    switch kernel.dice.pick(0...3) {
    case 0: manner.templates = oracle.places { _, template in template.kind == .broken || template.kind == .fatal }
    case 1: manner.stopsHalfway = true
    default: manner.ending = .reset
    }
    return manner
  }

  private func watcher() -> Manner {
    var manner = ordinary()
    manner.templates = oracle.places { _, template in
      template.kind == .watch || template.kind == .momentary || template.kind == .constant
    }
    manner.requests = kernel.dice.pick(1...20)
    manner.ending = .close
    return manner
  }

  private func connect(user: UInt32, _ manner: Manner) {
    guard let listener, listener.number >= 0, listener.isListening, !isStopping, !isCalm else { return }
    let capacity = manner.capacity ?? kernel.dice.choose([4_096, 20_000, 212_992])
    let session = Session(self, Socket(kernel, user: user, capacity: capacity), manner)
    kernel.note("connect", Int64(user))
    session.order = sessions.count + requests
    sessions[ObjectIdentifier(session)] = session
    sessionsOfUser[user, default: 0] += 1
    if manner.isRival { fairness.connect(user, largest: manner.templates.map { cost(of: $0).upperBound }.max() ?? 0) }
    noteShortage(of: user)
    listener.add(session.socket)
  }

  private func noteShortage(of user: UInt32) {
    let kept = min(limits.reservedConnections, limits.connections / 4)
    // The server has not closed all connections whose clients have left.
    let left = kernel.openObjects.compactMap { $0 as? Socket }.filter { $0.isHungUp && !$0.isOutgoing }
    let ofUser = (sessionsOfUser[user] ?? 0) + left.count { $0.user == user }
    let descriptors = kernel.descriptorCount + (listener?.waitingCount ?? 0)
    if sessions.count + left.count >= limits.connections - kept || ofUser >= limits.connectionsPerUser
      || descriptors + 4 >= kernel.descriptorLimit || kernel.weather.unacceptable > 0
    {
      hadShortage = true
    }
  }

  /// A session is over; after a while, its user may connect again.
  func ended(_ session: Session) {
    guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
    let user = session.socket.user
    sessionsOfUser[user, default: 0] -= 1
    if sessionsOfUser[user] == 0 { sessionsOfUser[user] = nil }
    guard !isCalm, kernel.calls < Self.busyCalls, kernel.dice.hits(700) else { return }
    kernel.after(kernel.dice.delay(upTo: 20_000_000)) { [unowned self] in connect(user: user, session.manner) }
  }

  /// The server has closed a connection whose client has given it no reason to.
  func displaced(_ session: Session) {
    connectionsLost += 1
    guard hadShortage, let server, UInt64(connectionsLost) <= server.service.counts.displaced else {
      session.fail("the server has closed the connection, with \(session.open.count) requests open")
    }
  }

  // MARK: Trouble

  private func makeTrouble() {
    if themes.contains(.files) || themes.contains(.pagers) { changeFilesLater() }
    if themes.contains(.signals) { signalLater() }
    if themes.contains(.jumps) { jumpLater() }
    if themes.contains(.earlyStop) {
      kernel.agenda.add(at: kernel.now + kernel.dice.delay(upTo: chaosEnds - kernel.now)) { [unowned self] in stop() }
    }
  }

  private func later(_ longest: Int64, _ action: @escaping () -> Void) {
    // Too late: the faults are about to stop.
    guard longest > 0 else { return }
    kernel.after(kernel.dice.delay(upTo: longest)) { [unowned self] in if !isCalm, !isStopping { action() } }
  }

  private func changeFilesLater() {
    later(max(2_000_000, (chaosEnds - kernel.now) / 6)) { [unowned self] in
      FileActions.act(kernel, oracle)
      changeFilesLater()
    }
  }

  private func signalLater() {
    later((chaosEnds - kernel.now) / 4) { [unowned self] in
      kernel.raise(SIGHUP)
      signalLater()
    }
  }

  /// The time of day is set, or the machine was suspended.
  private func jumpLater() {
    later((chaosEnds - kernel.now) / 4) { [unowned self] in
      lastJump = kernel.now
      if kernel.dice.hits(512) {
        kernel.dayOffset += Int64(kernel.dice.pick(-7_200...7_200)) * 1_000_000_000
      } else {
        kernel.now += kernel.dice.delay(upTo: 9_000_000_000)
      }
      lastJump = kernel.now
      jumpLater()
    }
  }

  // MARK: Bounds

  /// Nanoseconds that a turn of a client may take: record 51, and what passes until its end is noticed.
  private var turnBound: Int64 { limits.turn + limits.acceptTime + 12 * kernel.workCost + 60_000 }

  /// How long a short request on a connection of its own may wait: for one turn of each other user, and as often for
  /// each connection of its own user that is new to the server, too, as that may prove to be short.
  ///
  /// A connection is new as long as such a request may wait beside all of the user's connections.
  func waitBound(of session: Session) -> Int64 {
    let others = sessions.values.filter { $0 !== session && $0.socket.user == session.socket.user }
    let recent = kernel.now - waitBound(beside: others.count)
    return waitBound(beside: others.count { $0.open.first?.delivered ?? 0 > recent })
  }

  private func waitBound(beside connections: Int) -> Int64 {
    6 * Int64(connections + 2) * Int64(sessionsOfUser.count + 1) * turnBound + 2_000_000
  }

  /// Compares the wait of a short request with its bound.
  ///
  /// Where connections are too few, a client waits for a place first.
  func checkWait(for request: Session.Expected, of session: Session, _ template: Template) {
    guard let delivered = request.delivered, lastJump < delivered, kernel.weather.late == 0, !isStopping else { return }
    let start = hadShortage ? max(delivered, session.socket.acceptedAt) : delivered
    let (wait, bound) = (kernel.now - start, max(request.bound, waitBound(of: session)))
    longestWait = max(longestWait, wait * 100 / bound)
    guard wait > bound else { return }
    session.fail(
      "\(template.name) has waited \(wait / 1_000) us, at most \(bound / 1_000) beside \(sessionsOfUser.count) users")
  }

  /// Compares what was done for the user of `session`, now that `template` is answered, with what was for others.
  func checkShare(of session: Session, _ template: Int) {
    if let problem = fairness.answer(session.socket.user, cost(of: template), turn: turnBound) { session.fail(problem) }
  }

  /// Long requests of one user that may be in progress.
  static let maximumStarted = 8
  /// Bytes of promised answers that are about to be sent.
  private static let postedBytes = 16_384
  /// Bytes of the events that a subscription is sent in one turn of the loop: 160 for each subject.
  private static let eventBytes = 3 * 160
  /// Waits between two looks into the service.
  private static let waitsPerInspection = 16

  private func inspect() {
    waits += 1
    guard waits % Self.waitsPerInspection == 0, server != nil, let inspection else { return }
    let queued = inspection.queuedBytes
    // Promised answers and events count before they are sent; a subscriber that reads is not dropped for the bytes of
    // others.
    let events = sessions.values.reduce(0) { $0 + $1.subscriptions } * Self.eventBytes
    if !(0...limits.queuedBytes + Self.postedBytes + events).contains(queued) {
      kernel.fail("\(queued) bytes are held for slow readers, at most \(limits.queuedBytes)")
    }
    guard themes.contains(.longRequests) else { return }
    let started = inspection.startedRequests
    if started > Self.maximumStarted { kernel.fail("\(started) long requests of one user are in progress") }
  }

  private func checkAccounts() {
    guard let server, let inspection else { return }
    let (queued, subscribers) = (inspection.queuedBytes, inspection.subscribers)
    guard queued == 0, subscribers == 0, server.service.connectionCount == 0 else {
      kernel.fail(
        "nobody is connected, but \(server.service.connectionCount) connections, \(queued) bytes for slow readers and "
          + "\(subscribers) subscribers are counted")
    }
  }

  /// The time between two looks at the sockets: record 51, and what a step and a look at the clock take.
  private func checkTurn() {
    // A job with the sync service has a connection of its own, and all of them may end and be made again in one turn.
    let looks = Int64(30 + 3 * (syncService?.changesInTurn ?? 0))
    let bound = limits.clientTime + limits.turn + limits.acceptTime + looks * kernel.workCost + 400_000
    let time = kernel.now - kernel.lastReturn
    longestTurn = max(longestTurn, time * 100 / bound)
    guard kernel.lastReturn > 0, time > bound, lastJump < kernel.lastReturn else { return }
    kernel.fail("a turn of the loop took \(time / 1_000) us, at most \(bound / 1_000)")
  }

  // MARK: Truth

  /// The data of `subject` that was in service, and when.
  func history(of subject: Subject) -> History { histories[subject] ?? History() }

  /// Whether a file with this data was as it was written at `time`.
  func holdsIntact(_ subject: Subject, _ variant: Int, at time: Int64) -> Bool {
    kernel.files.all.contains { file in
      file.image?.subject == subject && file.image?.variant == variant && (file.brokenAt ?? .max) >= time
    }
  }

  /// Whether a file of `subject` was changed in place.
  func wasBroken(_ subject: Subject) -> Bool {
    kernel.files.all.contains { $0.image?.subject == subject && $0.brokenAt != nil }
  }

  /// Whether a program had opened a file of `subject` for writing at `time`.
  func wasWritten(_ subject: Subject, at time: Int64) -> Bool {
    kernel.files.all.contains { $0.image?.subject == subject && ($0.writtenSince ?? .max) <= time }
  }

  /// Whether files could not be looked at after `time`.
  func filesFail(at time: Int64) -> Bool { hasUnreadableFiles && time < chaosEnds }

  /// Whether the server has logged `message` in the time in which it does not repeat it.
  func hasLogged(_ message: String) -> Bool {
    messages[message].map { kernel.now - $0 <= Self.reportInterval } ?? false
  }

  /// An entry of the server's log.
  func log(_ message: String, _ metadata: Logger.Metadata) {
    messages[message] = kernel.now
    guard case .string(let event) = metadata["MESSAGE_ID"] ?? "" else { return }
    guard case .string(let name) = metadata["CITIES_SUBJECT"] ?? "" else { return }
    let subject = Subject(rawValue: name)
    switch event {
    case "e368272b724a48a9968116f21139b420":
      guard case .string(let generation) = metadata["CITIES_GENERATION"] ?? "",
        let image = oracle.images[subject]?.first(where: { $0.generation == generation })
      else { kernel.fail("\(name): data is served that nobody has written: \(message)") }
      kernel.note("swap", Int64(image.variant))
      histories[subject]?.add(
        .variant(image.variant, isFallback: message.contains(Places.share)), at: kernel.now)
    case "6931ad20ec1446b5ba2ef48cc5837d69":
      kernel.note("withdraw", 0)
      histories[subject]?.add(.nothing, at: kernel.now)
    default: break
    }
  }
}
