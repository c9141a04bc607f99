package import CitiesProtocol
import Resident
import System

/// What a feed has delivered becomes its stored copy, and the copies become the resident file.
package struct FeedIntake: Sendable {
  /// The feed.
  package let name: FeedName
  private let limit: Int
  private let loss: LossLimits
  private let store: SourceStore
  private let assembler: SubjectAssembler
  private let now: SyncEngine.Clock

  /// Takes in bytes of the feed `name`, at most `limit`, with losses up to `loss`, as `now` has the time.
  package init(
    _ name: FeedName, limit: Int = FetchLimits.usualBytes, loss: LossLimits = LossLimits(), store: SourceStore,
    assembler: SubjectAssembler, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) {
    self.name = name
    self.limit = limit
    self.loss = loss
    self.store = store
    self.assembler = assembler
    self.now = now
  }

  /// Checks what is configured for the feed's records.
  ///
  /// - Throws: ``FeedError`` that names the key, such as a time zone that does not exist.
  func checkSettings() throws(FeedError) { try assembler.check(name) }

  /// The stored copy if there is a sound one; a damaged one is set aside, with a line in `remarks`.
  func copy(_ remarks: inout [String]) throws(FeedError) -> StoredCopy? {
    switch try store.read(name) {
    case .absent: return nil
    case .sound(let copy): return try counted(copy)
    case .damaged:
      let aside = try store.setAside(name, at: now())
      remarks.append("the stored copy of feed \(name.rawValue) is damaged; it is set aside as \(aside)")
      return nil
    }
  }

  /// `copy` with all counts: one that an earlier version wrote has only some, and is looked at again.
  private func counted(_ copy: StoredCopy) throws(FeedError) -> StoredCopy {
    guard copy.details.counts == nil, let contents = try? assembler.examine(name, copy.bytes) else { return copy }
    var copy = copy
    copy.details.count(contents)
    try store.write(copy, of: name)
    return copy
  }

  /// Seconds since `copy` was confirmed; `nil` if that is in the future.
  func age(of copy: StoredCopy) -> Int64? { copy.age(at: now()) }

  /// Takes what a source has delivered: examined, then stored in the place of the last good copy.
  ///
  /// Unless it `mayShrink`, a list that has lost too much does not replace good data from the same URL.
  func take(
    _ bytes: [UInt8], from url: String, _ validators: SourceValidators = SourceValidators(), isSample: Bool = false,
    as outcome: FeedOutcome.Outcome, instead stored: StoredCopy?, mayShrink: Bool = true
  ) throws(FeedError) -> FeedResult {
    guard bytes.count <= limit else {
      throw FeedError(
        .badData,
        "\(SourceLocation.shown(url)): more than the \(limit) bytes that are accepted; limits.bytes can be raised")
    }
    if let stored, stored.bytes == bytes, stored.details.url == url, stored.details.sample == isSample {
      return try keep(stored, validators)
    }
    let contents = try examine(bytes, from: url)
    if !mayShrink, let stored { try checkLoss(of: contents, from: url, instead: stored) }
    var details = StoredCopy.Details(url: url, confirmed: now(), validators: validators, sample: isSample)
    details.count(contents)
    let copy = StoredCopy(details, bytes)
    try store.write(copy, of: name)
    var result = FeedResult(outcome, copy)
    result.remarks = contents.remarks
    return result
  }

  /// Notes that the stored copy is still right.
  func keep(_ stored: StoredCopy, _ validators: SourceValidators) throws(FeedError) -> FeedResult {
    var copy = stored
    copy.details.confirmed = now()
    copy.details.validators = validators
    try store.write(copy, of: name)
    return FeedResult(.unchanged, copy)
  }

  /// Makes the resident file anew if it is not what the copies say.
  func assemble(_ attempt: FeedAttempt) throws(FeedError) {
    _ = try assembler.assemble(force: attempt.isForced)
    attempt.progress(Progress("done", done: 1))
  }

  private func checkLoss(of new: FeedContents, from url: String, instead stored: StoredCopy) throws(FeedError) {
    let details = stored.details
    guard details.url == url, !details.sample else { return }
    let excess = loss.excess(
      from: FeedCounts(records: details.records, skipped: details.skipped),
      to: FeedCounts(records: new.counts.kept, skipped: new.counts.skipped))
    guard let excess else { return }
    throw FeedError(
      .badData,
      """
      \(SourceLocation.shown(url)): refused, the source has shrunk: \(excess); the data before stays (loss.percent); \
      to accept it: citiesctl refresh --force \(name.rawValue)
      """)
  }

  private func examine(_ bytes: [UInt8], from url: String) throws(FeedError) -> FeedContents {
    do throws(FeedError) {
      return try assembler.examine(name, bytes)
    } catch {
      throw FeedError(error.reason, "\(SourceLocation.shown(url)): \(error)")
    }
  }
}

extension FeedResult {
  /// How an attempt ended that left `copy`.
  init(_ outcome: FeedOutcome.Outcome, _ copy: StoredCopy) {
    self.init(
      outcome, copy.details.counts ?? RecordCounts(kept: copy.details.records, skipped: copy.details.skipped),
      notes: copy.details.notes, asOf: copy.details.confirmed, isSample: copy.details.sample)
  }
}
