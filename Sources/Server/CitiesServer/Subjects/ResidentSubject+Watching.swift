import CitiesProtocol
import FrameService
import Logging
import Resident
import System

/// Nanoseconds between two slices of a proof: the loop is at others' service in between.
private let proofPause: Int64 = 2_000_000
/// Nanoseconds before the first slice: those who waited at the socket come first.
private let proofDelay: Int64 = 5_000_000
/// Nanoseconds within which two changes of a file may have the same time: Linux counts file times in ticks of 4 to 10 ms.
private let tick: Int64 = 50_000_000

extension ResidentSubject {
  // MARK: Changes in place

  /// Takes files out of service that were changed where they stand.
  ///
  /// A resident file is replaced and never changed; somebody who copies over one changes what requests are answered from.
  /// Metadata that changed alone, as by chmod(1) or touch(1), changes nothing.
  ///
  /// - Returns: whether one was.
  /// - Complexity: O(1) for files that nobody touched, else O(size of the file) for their checksums, about 4 ms at most.
  @discardableResult
  func inspect() -> Bool {
    var isWithdrawn = false
    for generation in [current, previous].compactMap(\.self) {
      guard let change = changeInPlace(of: generation) else { continue }
      withdraw(generation, "\(generation.path) \(change)")
      isWithdrawn = true
    }
    return isWithdrawn
  }

  private func changeInPlace(of generation: ServedGeneration<Data>) -> String? {
    let file = generation.data.file
    if file.hasFaulted { return "was shortened while it was served" }
    guard let state = file.state, state != generation.state else { return nil }
    if state.differsInNames(from: generation.state) {
      generation.state = state
      return nil
    }
    guard state.hasSize(of: generation.state), file.bytes.count <= ResidentFile.eagerLimit, file.isIntact else {
      return "was changed while it was served"
    }
    if state.isFresh(at: SystemClock.nanoseconds(), within: tick) {
      lookAgain()
    } else {
      generation.state = state
    }
    return nil
  }

  /// Looks once more when a further change cannot have the time of this one.
  private func lookAgain() {
    guard nextLook == nil else { return }
    nextLook = loop.schedule(after: 2 * tick) { [unowned self] in
      nextLook = nil
      check {}
    }
  }

  // MARK: Taking out of service

  /// Takes a file out of service whose content cannot be served, although it stands as it was opened.
  ///
  /// - Returns: what the request is answered with that has found it out.
  func withdraw(_ generation: ServedGeneration<Data>, damaged problem: String) -> WireError {
    // The same file would open again: only another one at its path is worth a look.
    refused[generation.path] = generation.identity
    withdraw(generation, "\(generation.data.file.error(.contents(problem)))")
    return unavailable
  }

  private func withdraw(_ generation: ServedGeneration<Data>, _ reason: String) {
    generation.isWithdrawn = true
    if generation === previous { previous = nil }
    guard generation === current else { return }
    current = nil
    isWithdrawn = true
    problem = reason
    log.error("out of service: \(reason)")
    onNews(.withdrawn(reason))
    // Not from here: a request may be in the middle of its answer.
    loop.soon { [unowned self] in check {} }
  }

  // MARK: Proof

  /// Proves the entries of a new generation in slices, between which others are served.
  func proveSoon() {
    if let nextSlice { loop.cancel(nextSlice) }
    nextSlice = loop.schedule(after: proofDelay) { [unowned self] in prove() }
  }

  private func prove() {
    nextSlice = nil
    guard let current, !current.isProved else { return }
    do throws(ResidentError) {
      try current.proveSlice()
    } catch {
      guard case .contents(let problem) = error.fault else { return }
      inspect()
      if self.current === current { _ = current.damaged(problem) }
      return
    }
    if !current.isProved { nextSlice = loop.schedule(after: proofPause) { [unowned self] in prove() } }
  }
}
