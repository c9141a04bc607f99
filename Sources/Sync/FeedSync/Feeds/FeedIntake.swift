package import CitiesProtocol
import Resident
import System

/// What a source has delivered, and where it came from.
struct Delivery {
  /// The bytes, and what identifies them.
  let source: SourceFile
  /// The URL, or a local file's path.
  let url: String
  /// Where it came from, as messages show it.
  let place: String
  /// What the server calls the bytes.
  let validators: SourceValidators
  /// What the attempt is called if they are new.
  let outcome: FeedOutcome.Outcome
  /// The path of a local file.
  let path: String?
  /// Whether it is one of the samples.
  let isSample: Bool

  /// A body from the web.
  static func download(_ bytes: [UInt8], from url: String, _ validators: SourceValidators) -> Delivery {
    Delivery(
      source: SourceFile(bytes: bytes), url: url, place: SourceLocation.shown(url), validators: validators,
      outcome: .downloaded, path: nil, isSample: false)
  }

  /// The local file at `path`, which is configured as `source`: also as a `file:` URL, which is the same file.
  ///
  /// - Throws: ``FeedError`` if it cannot be read.
  static func file(at path: String, configuredAs source: String) throws(FeedError) -> Delivery {
    Delivery(
      source: try SourceFile(path: path, regularOnly: true), url: path, place: SourceLocation.shown(source),
      validators: SourceValidators(), outcome: .imported, path: path, isSample: false)
  }

  /// The sample at `path`.
  ///
  /// - Throws: ``FeedError`` if it cannot be read.
  static func sample(at path: String) throws(FeedError) -> Delivery {
    Delivery(
      source: try SourceFile(path: path, regularOnly: true), url: path, place: path, validators: SourceValidators(),
      outcome: .imported, path: path, isSample: true)
  }
}

/// What a feed has delivered becomes its stored copy, and the copies become the resident file.
///
/// Bytes are parsed once: the records that were counted and checked before the bytes took the place of the last good copy
/// are those that the resident file is made from.
package struct FeedIntake<Importer: SubjectImporter>: Sendable {
  /// The feed.
  package let name: FeedName
  private let limit: Int
  private let loss: LossLimits
  private let store: SourceStore
  private let assembler: SubjectAssembler<Importer>
  private let now: SyncEngine.Clock

  /// Takes in bytes of the feed `name`, at most `limit`, with losses up to `loss`; `now` is the clock.
  package init(
    _ name: FeedName, limit: Int = FetchLimits.usualBytes, loss: LossLimits = LossLimits(), store: SourceStore,
    assembler: SubjectAssembler<Importer>, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) {
    self.name = name
    self.limit = limit
    self.loss = loss
    self.store = store
    self.assembler = assembler
    self.now = now
  }

  /// Whether the subject has no other feed.
  var isAloneInSubject: Bool { assembler.importer.feeds == [name] }

  /// Checks what is configured for the feed's records.
  ///
  /// - Throws: ``FeedError`` that names the key, such as a time zone that does not exist.
  func checkSettings() throws(FeedError) { try assembler.importer.check(name) }

  /// The header of the stored copy if there is a sound one; a damaged one is set aside, with a line in `remarks`.
  func copy(_ remarks: inout [String]) throws(FeedError) -> StoredCopy.Header? {
    switch try store.check(name) {
    case .absent: return nil
    case .sound(let header): return try counted(header)
    case .damaged:
      let aside = try store.setAside(name, at: now())
      remarks.append("the stored copy of feed \(name.rawValue) is damaged; it is set aside as \(aside)")
      return nil
    }
  }

  /// `header` with all counts: one that an earlier version wrote has only some, and its body is parsed again.
  private func counted(_ header: StoredCopy.Header) throws(FeedError) -> StoredCopy.Header {
    guard header.details.counts == nil, case .sound(let copy) = try store.read(name),
      let contents = try? assembler.parse(name, SourceFile(bytes: copy.bytes), name: name.rawValue)
    else { return header }
    var header = copy.header
    header.details.count(contents)
    try store.write(header, of: name)
    return header
  }

  /// Seconds since `copy` was confirmed; `nil` if that is in the future.
  func age(of copy: StoredCopy.Header) -> Int64? { copy.details.age(at: now()) }

  /// Takes what a source has delivered: parsed and checked, then stored in the place of the last good copy.
  ///
  /// A list from the web that has lost too much does not replace good data from the same URL unless that is forced.
  func take(
    _ delivery: Delivery, instead stored: StoredCopy.Header?, _ attempt: FeedAttempt
  ) throws(FeedError) -> FeedResult {
    guard delivery.source.bytes.count <= limit(of: delivery) else {
      throw FeedError(
        .badData,
        "\(delivery.place): more than the \(limit) bytes that are accepted; limits.bytes can be raised")
    }
    if let stored, stored.isCopy(of: delivery.source), stored.details.url == delivery.url,
      stored.details.sample == delivery.isSample
    {
      return delivery.path == nil ? try keep(stored, delivery.validators) : confirmed(stored)
    }
    let contents = try parse(delivery, attempt.progress)
    if delivery.path == nil, !attempt.isForced, let stored {
      try checkLoss(of: contents, from: delivery, instead: stored.details)
    }
    var details = StoredCopy.Details(
      url: delivery.url, confirmed: now(), validators: delivery.validators, sample: delivery.isSample)
    details.count(contents)
    try store.write(StoredCopy(details, delivery.source), of: name)
    var result = FeedResult(delivery.outcome, details)
    result.remarks = contents.remarks
    return result
  }

  /// A local list of an importer that names its file may be as long as `build` takes it.
  private func limit(of delivery: Delivery) -> Int {
    delivery.path != nil && assembler.importer.namesLocalFiles ? SourceFile.maximumBytes : limit
  }

  /// Notes that the stored copy is still right.
  func keep(_ stored: StoredCopy.Header, _ validators: SourceValidators) throws(FeedError) -> FeedResult {
    var copy = stored
    copy.details.confirmed = now()
    copy.details.validators = validators
    try store.write(copy, of: name)
    return FeedResult(.unchanged, copy.details)
  }

  /// The same for a local file: it is looked at every time, so that the moment is of no use later.
  private func confirmed(_ stored: StoredCopy.Header) -> FeedResult {
    var result = FeedResult(.unchanged, stored.details)
    result.asOf = now()
    return result
  }

  /// Rebuilds the resident file if it is not what the copies say, and returns what this feed gave; `nil` if it stays.
  func assemble(_ attempt: FeedAttempt) throws(FeedError) -> FeedContents? {
    try assembler.assemble(force: attempt.isForced, progress: attempt.progress)?[name]
  }

  /// Removes the stored copy, and the resident file if no other feed's copy is left to make it from.
  func forget() throws(FeedError) {
    try store.remove(name)
    try assembler.assembleWithout(name)
  }

  /// Ends an attempt: what it has parsed is dropped unless it is small.
  func end() { assembler.release(name) }

  private func checkLoss(
    of new: FeedContents, from delivery: Delivery, instead stored: StoredCopy.Details
  ) throws(FeedError) {
    guard stored.url == delivery.url, !stored.sample else { return }
    let excess = loss.excess(
      from: FeedCounts(records: stored.records, skipped: stored.skipped),
      to: FeedCounts(records: new.counts.kept, skipped: new.counts.skipped))
    guard let excess else { return }
    throw FeedError(
      .badData,
      """
      \(delivery.place): refused, the source has shrunk: \(excess); the data before stays (loss.percent); \
      to accept it: citiesctl refresh --force \(name.rawValue)
      """)
  }

  private func parse(_ delivery: Delivery, _ progress: @escaping ProgressReport) throws(FeedError) -> FeedContents {
    if let path = delivery.path, assembler.importer.namesLocalFiles {
      return try assembler.parse(name, delivery.source, name: path, progress: progress)
    }
    do throws(FeedError) {
      return try assembler.parse(name, delivery.source, name: name.rawValue, progress: progress)
    } catch {
      throw FeedError(error.reason, "\(delivery.place): \(error)")
    }
  }
}

extension FeedResult {
  /// How an attempt ended that left a copy with `details`.
  init(_ outcome: FeedOutcome.Outcome, _ details: StoredCopy.Details) {
    self.init(
      outcome, details.counts ?? RecordCounts(kept: details.records, skipped: details.skipped),
      notes: details.notes, asOf: details.confirmed, isSample: details.sample)
  }
}

/// How much of a source may be lost at once before its new state is refused.
///
/// A source that is out of order can deliver a short list, an empty one, or one whose records are mostly bad, and each is
/// sound JSON. Such a list does not replace good data from the same URL unless the refresh is forced.
package struct LossLimits: Equatable, Sendable {
  /// Percentages that are accepted; 100 switches the rule off.
  package static let percentRange: ClosedRange<Int64> = 0...100
  /// Smallest stores that are accepted, in records.
  package static let recordRange: ClosedRange<Int64> = 1...1_000_000_000

  /// The part of the records that may be lost, or be bad, in percent.
  package var percent: Int64 = 50
  /// Records that a store must hold for the rule to apply: a shorter list may change as it likes.
  package var records: Int64 = 20

  /// The usual limits.
  package init() {}

  /// The figures of a loss that is too large; `nil` if `new` may replace `old`.
  ///
  /// Two rules, each beyond ``percent``: the part of the old records that is lost, and the part of the new ones that is
  /// bad. The second counts only if that part has grown: a source that has always been so does not shrink.
  package func excess(from old: FeedCounts, to new: FeedCounts) -> String? {
    guard old.records >= UInt64(clamping: records), percent < Self.percentRange.upperBound else { return nil }
    let allowed = Double(percent) / 100
    let lost = 1 - Double(new.records) / Double(old.records)
    let isWorse = new.badPart > allowed && new.badPart > old.badPart
    guard lost > allowed || isWorse else { return nil }
    return "\(new.records) good and \(new.skipped) bad records instead of \(old.records) good and \(old.skipped) bad"
  }
}

/// Good and bad records of one state of a source.
package struct FeedCounts: Equatable, Sendable {
  /// Good records.
  package var records: UInt64
  /// Records that were skipped as bad.
  package var skipped: UInt64

  /// Makes counts.
  package init(records: UInt64, skipped: UInt64) { (self.records, self.skipped) = (records, skipped) }

  /// The part of all records that is bad, from 0 to 1; 0 of an empty list.
  fileprivate var badPart: Double {
    let all = Double(records) + Double(skipped)
    return all == 0 ? 0 : Double(skipped) / all
  }
}
