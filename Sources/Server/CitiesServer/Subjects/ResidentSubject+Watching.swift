import CitiesProtocol
import FrameService
import Logging
import Resident
import System

/// Nanoseconds between two slices of the verification, in which the loop serves others.
private let proofPause: Int64 = 2_000_000
/// Nanoseconds before the first slice: clients that waited at the socket come first.
private let proofDelay: Int64 = 5_000_000
/// Nanoseconds between two checks of a file that is open for writing.
private let lookPause: Int64 = 5_000_000
/// The same if the file has been unchanged for longer than a write(2) lasts.
private let quietPause: Int64 = 1_000_000_000

/// A resident file is replaced, never changed. A program that copies over it, or edits it, changes the data of replies,
/// and no notification arrives before the first byte changes. Each file is therefore leased: a writer waits until the
/// lease is released. From then on the file is doubtful: after every answer, before it is sent, the file's size and
/// times are compared, which change before its bytes do. A changed file is out of service; like a new file, it returns
/// after it has been opened again on a worker thread, under a lease.
extension ResidentSubject {
  // MARK: Changes in place

  // A key path in a generic type looks its type up by name, each time, in 200,000 instructions.
  private var served: [ServedGeneration<Data>] { [current, previous].compactMap { $0 } }

  var isDoubtful: Bool { current?.isCertain == false || previous?.isCertain == false }

  /// Takes files out of service that were changed in place.
  ///
  /// - Returns: Whether there was one.
  /// - Complexity: One system call per doubtful file.
  @discardableResult
  func inspect() -> Bool {
    var isWithdrawn = false
    for generation in served {
      if let change = changeInPlace(of: generation) {
        withdraw(generation, "\(generation.path) \(change)")
      } else if let damage = generation.data.file.damage {
        _ = withdraw(generation, damage)
      } else {
        continue
      }
      isWithdrawn = true
    }
    return isWithdrawn
  }

  /// The reason why the content may differ from that at opening, as a clause after its path; a file that was replaced,
  /// and so has lost its name, still has its content.
  func changeInPlace(of generation: ServedGeneration<Data>) -> String? {
    let file = generation.data.file
    if file.hasFaulted, !file.isDamaged { return "was shortened while it was served" }
    guard !generation.isCertain else { return nil }
    guard let state = file.state else { return "cannot be looked at any more" }
    guard state != generation.state else { return nil }
    guard state.differsInNames(from: generation.state) else { return "was changed while it was served" }
    generation.state = state
    return nil
  }

  func lookAtFiles() {
    inspect()
    for generation in served {
      guard generation.isCertain else {
        regainLease(of: generation)
        continue
      }
      // Only metadata changed, as by chmod(1): the lease must still be held after the metadata was read.
      let state = generation.data.file.state
      if generation.data.file.lease.isHeld { generation.state = state ?? generation.state } else { doubt(generation) }
    }
  }

  /// Schedules another check of the files; later if only the writer of `file` still has to close it.
  func lookAgain(at file: FileIdentity? = nil) {
    guard nextLook == nil else { return }
    let isQuiet = file.map { !$0.isFresh(at: SystemClock.nanoseconds(), within: FileIdentity.writeTime) } ?? false
    nextLook = loop.schedule(after: isQuiet ? quietPause : lookPause) { [unowned self] in
      nextLook = nil
      check {}
    }
  }

  /// Retries later to open a file after a failed system call, which says nothing about the file: there may have been no
  /// free descriptors.
  func tryAgain(_ path: String) {
    loop.schedule(after: quietPause) { [unowned self] in
      refused[path] = nil
      check {}
    }
  }

  // MARK: Leases

  /// Uses the lease of the current file, which was opened on another thread; without a lease, answers are checked.
  func adoptLease() {
    defer { onDoubt() }
    guard let current else { return }
    current.data.file.lease.direct()
    current.isCertain = current.data.file.lease.isHeld
    if !current.isCertain { regainLease(of: current) }
  }

  func yieldLeases() {
    for generation in served where generation.isCertain && !generation.data.file.lease.isHeld { doubt(generation) }
  }

  private func doubt(_ generation: ServedGeneration<Data>) {
    generation.isCertain = false
    onDoubt()
    regainLease(of: generation)
  }

  /// Releases the lease if a writer is waiting for it, and renews it as soon as no process has the file open for
  /// writing.
  ///
  /// If the file has changed by then, it goes out of service.
  private func regainLease(of generation: ServedGeneration<Data>) {
    let file = generation.data.file
    // A change within the current clock tick could not be detected: the writer waits for the next tick.
    let isFresh = generation.state.isFresh(at: SystemClock.nanoseconds(), within: FileIdentity.tick)
    guard !isFresh else { return lookAgain() }
    file.lease.release()
    let lease = file.lease.take()
    // Either there is no writer now, or the state changes before the bytes do.
    inspect()
    guard !generation.isWithdrawn else { return }
    generation.isCertain = lease == .held && file.lease.isHeld
    if lease != .refused, !generation.isCertain { lookAgain() }
    onDoubt()
  }

  /// Releases the lease of a file that is no longer served.
  func releaseLease(of generation: ServedGeneration<Data>) {
    generation.isCertain = false
    generation.data.file.lease.release()
    onDoubt()
  }

  // MARK: Taking out of service

  /// Takes a file out of service whose content is invalid, although it has not changed since it was opened.
  ///
  /// - Returns: The reply to the request that found the damage.
  func withdraw(_ generation: ServedGeneration<Data>, _ damage: ResidentFault) -> WireError {
    // The same file would open again: only a different one at its path is tried.
    refused[generation.path] = generation.identity
    let isReplaced = generation !== current
    withdraw(generation, "\(generation.data.file.error(damage))")
    return isReplaced ? .dataChanged(subject) : unavailable
  }

  private func withdraw(_ generation: ServedGeneration<Data>, _ reason: String) {
    generation.isWithdrawn = true
    if generation === previous { previous = nil }
    guard generation === current else { return }
    current = nil
    releaseLease(of: generation)
    isWithdrawn = true
    problem = reason
    log.error(
      "out of service: \(reason)",
      metadata: .event(.dataWithdrawn, subject: subject.rawValue, generation: generation.name, error: reason))
    onNews(reason)
    // Deferred: a request may be in the middle of its answer.
    loop.soon { [unowned self] in check {} }
  }

  // MARK: Verification

  /// Verifies the entries of a new generation in slices, between which others are served.
  func proveSoon() {
    if let nextSlice { loop.cancel(nextSlice) }
    nextSlice = loop.schedule(after: proofDelay) { [unowned self] in prove() }
  }

  private func prove() {
    nextSlice = nil
    guard let current, !current.isProved else { return }
    do throws(ResidentError) {
      try current.proveSlice()
      if current.data.file.isDamaged { inspect() }
    } catch {
      guard case .contents(let problem) = error.fault else { return }
      inspect()
      if self.current === current { _ = current.damaged(problem) }
      return
    }
    if !current.isProved, !current.isWithdrawn {
      nextSlice = loop.schedule(after: proofPause) { [unowned self] in prove() }
    }
  }
}
