import CitiesProtocol
import FrameService
import Logging
import Resident
import System

/// The files of one subject: the current one, the one before it, and their replacement.
///
/// A file is opened and checked as a whole before anything changes, and adopted between two requests. A file that is
/// refused changes nothing: the old data stays. The state folder's file takes precedence over the prebuilt ones.
///
/// A file that is changed in place, or turns out to be corrupt, goes out of service at once; then the paths are checked
/// again. See `ResidentSubject+Watching.swift`.
final class ResidentSubject<Data: ResidentData>: SubjectState {
  // Read once per request, and only by the loop thread.
  @exclusivity(unchecked) var current: ServedGeneration<Data>?
  /// The previous generation, for connections that were answered from it.
  var previous: ServedGeneration<Data>? {
    didSet { if let oldValue, oldValue !== previous { releaseLease(of: oldValue) } }
  }
  /// The reason why the newest file was refused, or the current one withdrawn.
  var problem: String?
  var explain: () -> MissingData = {
    MissingData(phase: "no data", reason: "run \(Data.kind.remedy)", isRunning: false)
  }
  /// Whether the last file was withdrawn.
  var isWithdrawn = false
  /// The timer of the next check of files that are open for writing, or have just changed.
  var nextLook: TimerID?
  /// The timer of the next slice of the verification.
  var nextSlice: TimerID?
  var onNews: (_ refused: String?) -> Void = { _ in }
  var onDoubt: () -> Void = {}

  /// The serial of the generation from which each connection was answered first.
  @exclusivity(unchecked) private var firstSerials = PerConnection<UInt64>()
  private let paths: [String]
  let configuration: ServerConfiguration
  let loop: EventLoop
  let log: Logger
  var refused: [String: FileIdentity] = [:]
  private var serial: UInt64 = 0
  private var release: TimerID?
  private var isChecking = false
  private var mustCheckAgain = false
  /// Since when the best file may still be changing.
  private var unsettledSince: Int64?
  private var waiting: [() -> Void] = []

  init(_ configuration: ServerConfiguration, _ loop: EventLoop, _ log: Logger) {
    paths =
      ["\(configuration.stateFolder)/\(Data.kind.fileName)"]
      + configuration.shareFolders.map { "\($0)/\(Data.kind.installedName)" }
    self.configuration = configuration
    self.loop = loop
    self.log = log
  }

  // MARK: Answering

  /// The generation for a request: the one that it names, or else the current one.
  ///
  /// - Throws: `unavailable` without data, `stale-generation` if the named one is gone.
  @inline(__always)
  func generation(
    for caller: Caller, named name: UnsafeRawBufferPointer?
  ) throws(WireError) -> ServedGeneration<Data> {
    guard let current else { throw unavailable }
    let id = caller.connectionID
    guard let name, !current.isNamed(name) else {
      if firstSerials[id] == nil { firstSerials[id] = current.serial }
      return current
    }
    return try olderGeneration(named: name, for: id, current)
  }

  /// Only a connection that started with the older generation may continue with it: others were never answered from it.
  @inline(never)
  private func olderGeneration(
    named name: UnsafeRawBufferPointer, for id: ConnectionID, _ current: ServedGeneration<Data>
  ) throws(WireError) -> ServedGeneration<Data> {
    if let previous, previous.isNamed(name), let first = firstSerials[id], first <= previous.serial { return previous }
    throw WireError(
      .staleGeneration, "\(subject.rawValue): the data has changed since that page; start again with the first one",
      data: ErrorData(subject: subject, generation: current.name))
  }

  /// The same, with the name as text.
  func generation(for caller: Caller, called name: String?) throws(WireError) -> ServedGeneration<Data> {
    guard let name else { return try generation(for: caller, named: nil) }
    return try Array(name.utf8).span.bytes.withUnsafeBytes { (bytes) throws(WireError) in
      try generation(for: caller, named: bytes)
    }
  }

  var unavailable: WireError {
    let missing = missing
    return WireError(
      .unavailable, "\(subject.rawValue): \(isWithdrawn ? "out of service" : "no data yet"): \(missing.reason)",
      data: ErrorData(subject: subject, phase: missing.phase, running: missing.isRunning))
  }

  private var missing: MissingData {
    if !isChecking && !candidates.isEmpty { check {} }
    if isWithdrawn, let problem { return MissingData(phase: "withdrawn", reason: problem, isRunning: isChecking) }
    if isChecking { return MissingData(phase: "loading", reason: "a new file is being opened", isRunning: true) }
    let explained = explain()
    guard let problem else { return explained }
    return MissingData(phase: "refused", reason: problem, isRunning: explained.isRunning)
  }

  // MARK: State

  var subject: Subject { Data.subject }
  var kind: ResidentKind { Data.kind }
  var isReady: Bool { current != nil }
  var generation: String? { current?.name }

  private var phase: String {
    if current != nil { return "ready" }
    if isWithdrawn { return "withdrawn" }
    if isChecking { return "loading" }
    return problem == nil ? "no data" : "refused"
  }

  var status: Status.SubjectStatus {
    Status.SubjectStatus(
      subject: subject, ready: isReady, phase: phase, records: current.map { UInt64($0.data.count) },
      generation: generation, path: current?.path, problem: problem ?? current?.data.remarks.first,
      written: current.flatMap { Timestamp(ofFile: $0.identity) })
  }

  var summary: String {
    guard let current else { return "\(subject.rawValue): no data" }
    return "\(current.data.count) \(subject.rawValue), generation \(current.name), from \(current.path)"
  }

  // MARK: Checking for files

  func loadNow() { finish(Self.openBest(of: candidates, verify: .onUse)) }

  func check(done: @escaping () -> Void) {
    lookAtFiles()
    waiting.append(done)
    guard !isChecking else {
      mustCheckAgain = true
      return
    }
    refused = refused.filter { FileIdentity(path: $0.key) != nil }
    let candidates = candidates
    guard !candidates.isEmpty else {
      // The file that was refused is gone.
      if refused.isEmpty, !isWithdrawn { problem = nil }
      unsettledSince = nil
      return endCheck()
    }
    isChecking = true
    loop.offload({ Self.openBest(of: candidates, verify: .all) }) { [self] results in
      isChecking = false
      finish(results)
      endCheck()
    }
  }

  /// Nanoseconds for which a check waits for a file that is not settled.
  private static var settlingTime: Int64 { 1_000_000_000 }

  private func endCheck() {
    if mustCheckAgain {
      mustCheckAgain = false
      return check {}
    }
    // Otherwise the requests that wait would be answered from the file before: the timer of `lookAgain` checks again.
    if let since = unsettledSince, MonotonicClock.nanoseconds() - since < Self.settlingTime { return }
    unsettledSince = nil
    let done = waiting
    waiting = []
    for action in done { action() }
  }

  private struct Candidate: Sendable {
    let path: String
    let place: Int
    let identity: FileIdentity
  }

  private typealias Opened = (candidate: Candidate, outcome: Outcome)

  private enum Outcome: Sendable {
    case sound(Data)
    case refused(ResidentError)
    /// It may be changing, so its current bytes prove nothing.
    case changing
  }

  /// Files that are neither in use nor refused, down to the place of the current file: below it nothing is better,
  /// unless the current file was removed.
  private var candidates: [Candidate] {
    var found: [Candidate] = []
    let isThere = current.map { FileIdentity(path: $0.path) != nil } ?? false
    for (place, path) in paths.enumerated().prefix(isThere ? (current?.place ?? 0) + 1 : paths.count) {
      guard let identity = FileIdentity(path: path), refused[path] != identity else { continue }
      if identity == current?.identity || identity == current?.state { break }
      found.append(Candidate(path: path, place: place, identity: identity))
    }
    return found
  }

  /// Opens candidates, best first, until one is usable: checking a file that will not be used costs milliseconds.
  private static func openBest(of candidates: [Candidate], verify: ResidentFile.Verification) -> [Opened] {
    var opened: [Opened] = []
    for candidate in candidates {
      opened.append((candidate, open(candidate.path, verify)))
      if case .sound = opened[opened.count - 1].outcome { break }
    }
    return opened
  }

  private static func open(_ path: String, _ verify: ResidentFile.Verification) -> Outcome {
    do throws(ResidentError) {
      let data = try Data(file: ResidentFile(path: path, kind: Data.kind, verify: verify, isLeased: true))
      if let damage = data.file.damage { throw data.file.error(damage) }
      // Reads past the end of a truncated file may have returned zeros.
      return data.file.isSettled && !data.file.hasFaulted ? .sound(data) : .changing
    } catch {
      return error.isTransient ? .changing : .refused(error)
    }
  }

  /// Adopts the first file that could be opened, and reports those before it that could not.
  private func finish(_ opened: [Opened]) {
    var refusal: String?
    let isUnsettled = opened.contains { if case .changing = $0.outcome { true } else { false } }
    unsettledSince = isUnsettled ? unsettledSince ?? MonotonicClock.nanoseconds() : nil
    for one in opened {
      switch one.outcome {
      case .sound(let data):
        // The withdrawn file is still the reason why another one is in use.
        problem = refusal ?? (isWithdrawn && one.candidate.place > 0 ? problem : nil)
        return take(data, one.candidate)
      case .changing:
        refusal = refusal ?? "\(one.candidate.path) is being written"
        lookAgain(at: one.candidate.identity)
      case .refused(let error):
        if case .absent = error.fault { continue }
        refuse(error, one.candidate)
        refusal = refusal ?? error.description
      }
    }
    problem = refusal ?? problem
  }

  private func refuse(_ error: ResidentError, _ candidate: Candidate) {
    refused[candidate.path] = candidate.identity
    if case .system = error.fault {
      tryAgain(candidate.path)
      guard problem != error.description else { return }
    }
    problem = error.description
    log.warning(
      "refused a file\(current == nil ? "" : "; the previous one stays in use"): \(error)",
      metadata: .event(.dataRefused, subject: subject.rawValue, error: error.description))
    onNews(error.description)
  }

  private func take(_ data: Data, _ candidate: Candidate) {
    refused[candidate.path] = nil
    if let current, current.data.generation == data.generation, current.place == candidate.place {
      // The same content in a new file: nothing changes for clients.
      current.identity = data.file.identity
      return
    }
    serial += 1
    let isFirst = serial == 1
    retire(current)
    current = ServedGeneration(data, serial: serial, path: candidate.path, place: candidate.place, of: self)
    isWithdrawn = false
    adoptLease()
    // A private server verifies files only as far as they are read.
    if !configuration.isPrivate { proveSoon() }
    let changed = Logger.Metadata.event(.dataChanged, subject: subject.rawValue, generation: generation)
    if !isFirst { log.notice("swapped: \(summary)", metadata: changed) }
    for remark in data.remarks {
      log.warning(
        "\(candidate.path): \(remark)", metadata: .event(.dataRefused, subject: subject.rawValue, error: remark))
    }
    onNews(nil)
  }

  /// Keeps one older generation for a while, for clients that page through it.
  private func retire(_ old: ServedGeneration<Data>?) {
    if let release { loop.cancel(release) }
    previous = old
    guard old != nil else { return }
    release = loop.schedule(after: configuration.generationGrace) { [unowned self] in
      previous = nil
      release = nil
    }
  }
}
