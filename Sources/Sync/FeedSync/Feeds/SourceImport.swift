package import CitiesProtocol
import System

/// A feed with a stored copy: the delivery is parsed, checked and stored verbatim, and the resident file is built from
/// the copies of the subject's feeds.
///
/// A web source is contacted if its stored copy is missing, damaged, a sample, from another URL, or as old as the
/// interval (the one-hour rule); else the copy is reused. A local file is read every time. A silent attempt contacts no
/// web source without a stored copy, and keeps samples.
///
/// Bytes are parsed once: the records that were checked before the new copy replaced the last good one are those that
/// go into the resident file.
package struct SourceImport<Importer: SubjectImporter>: Feed {
  /// Its name.
  package let name: FeedName
  /// The configured URL or path, or that of the sample.
  package let source: String?
  /// Seconds until the stored copy is old.
  package let interval: Int64
  /// The configured country of its locations.
  package let country: String?
  private let isSample: Bool
  private let headers: [String]
  private let secrets: [HeaderFile]
  private let limit: Int
  private let loss: LossLimits
  private let fetcher: any SourceFetcher
  private let subject: SubjectStore<Importer>
  private let now: SyncEngine.Clock

  /// Sets up the feed `name` of `subject` as `configuration` has it, with downloads by `fetcher`.
  ///
  /// With a `sample`, that file is its source, so that a new user has data to query (`run --samples`). A sample
  /// replaces real data only if forced.
  package init(
    _ name: FeedName, _ configuration: SyncConfiguration, sample: String? = nil, fetcher: any SourceFetcher,
    subject: SubjectStore<Importer>, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) {
    self.name = name
    source = sample ?? configuration[name].url
    interval = configuration[name].interval
    country = BankFeed(name, configuration[name])?.country
    isSample = sample != nil
    secrets = configuration[name].headers
    // A configured header overrides the built-in one of that name.
    let names = Set(secrets.map { "\($0.name.lowercased()):" })
    headers = (FeedCatalogue.entry(of: name)?.headers ?? []).filter { line in
      !names.contains { line.lowercased().hasPrefix($0) }
    }
    limit = configuration.limits.bytes
    loss = configuration.loss
    self.fetcher = fetcher
    self.subject = subject
    self.now = now
  }

  /// Brings the stored copy up to date, then the resident file; if the source fails, with the last good copy.
  package func update(_ attempt: AttemptOptions) throws(FeedError) -> FeedResult {
    guard let source else { throw FeedError(.unavailable, "no source is configured") }
    try subject.importer.check(name)
    let location = try isSample ? SourceLocation.file(path: source) : SourceLocation(source)
    var remarks: [String] = []
    let stored = try copy(&remarks)
    var (result, new): (FeedResult, NewCopy<Importer.Records>?)
    do throws(FeedError) { (result, new) = try updateCopy(from: location, replacing: stored, attempt) } catch {
      // A service that stops does not wait for a rebuild.
      if error.reason != .cancelled { try? restore(force: false) }
      throw FeedError(error.reason, error.description, remarks: remarks)
    }
    if case .web = location {
      _ = try assemble(attempt.after(downloadShare), new)
    } else if let contents = try assemble(attempt, new), !isSample, result.outcome != .idle,
      subject.importer.feeds == [name]
    {
      // With several feeds, the file may have been rebuilt because of another one.
      (result.outcome, result.remarks) = (.imported, contents.remarks)
    }
    attempt.progress(Progress("done", done: 1))
    result.remarks = remarks + result.remarks
    return result
  }

  /// Rebuilds the resident file from the stored copies.
  package func restore(force: Bool) throws(FeedError) { _ = try assemble(AttemptOptions(isForced: force)) }

  /// Removes the stored copy, then its part of the resident file.
  package func forget() throws(FeedError) { try subject.forget(name) }

  /// Rebuilds the resident file if the copies have changed, and returns this feed's contents; `nil` if it stays.
  private func assemble(
    _ attempt: AttemptOptions, _ new: consuming NewCopy<Importer.Records>? = nil
  ) throws(FeedError) -> FeedContents? {
    try subject.assemble(force: attempt.isForced, for: name, new, progress: attempt.progress)?[name]
  }

  /// What an attempt has found, and the copy that it stores.
  private typealias Found = (result: FeedResult, new: NewCopy<Importer.Records>?)

  private func updateCopy(
    from location: SourceLocation, replacing stored: StoredCopy.Header?, _ attempt: AttemptOptions
  ) throws(FeedError) -> Found {
    switch location {
    case .web(let url): try fetch(url, stored, attempt)
    case .file where isSample && !attempt.isForced && stored?.details.sample == false: (keepRealData(stored), nil)
    case .file where !isSample && attempt.isSilent && stored?.details.sample == true: (idle(stored), nil)
    case .file(let path): try take(Delivery(fileAt: path), replacing: stored, attempt)
    }
  }

  /// The result of a sample that does not replace real data.
  private func keepRealData(_ stored: StoredCopy.Header?) -> FeedResult {
    var result = idle(stored)
    result.outcome = .reused
    result.remarks = ["feed \(name.rawValue) has real data, which stays; --force puts the sample in its place"]
    return result
  }

  private func fetch(
    _ url: String, _ stored: StoredCopy.Header?, _ attempt: AttemptOptions
  ) throws(FeedError) -> Found {
    if attempt.isSilent, stored?.details.sample ?? true { return (idle(stored), nil) }
    // A copy from another URL, or a sample, says nothing about this URL.
    let known = stored.flatMap { $0.details.url == url && !$0.details.sample ? $0 : nil }
    if let known, !attempt.isForced, !attempt.isRetry, let age = known.details.age(at: now()), age < interval {
      return (FeedResult(.reused, known.details), nil)
    }
    if let error = attempt.knownError { throw FeedError(.postponed, error) }
    attempt.progress(Progress("asking", done: 0))
    let validators = known?.details.validators ?? SourceValidators()
    let secrets = try secrets.map { (header) throws(FeedError) in try header.line() }
    let request = FetchRequest(url: url, headers: headers, secrets: secrets, validators: validators)
    switch try fetcher.fetch(request, attempt) {
    case .body(let bytes, let received):
      attempt.progress(Progress("checking", done: downloadShare))
      let delivery = Delivery(source: SourceFile(bytes: bytes), url: url, validators: received)
      return try take(delivery, replacing: stored, attempt.after(downloadShare))
    case .notModified(let newer):
      guard let known else {
        let shown = SourceLocation.shown(url)
        throw FeedError(.unavailable, "\(shown): \"not modified\" in reply to a request without conditions")
      }
      return (try keep(known, known.details.validators.updated(by: newer)), nil)
    }
  }

  /// The result without contacting the source.
  private func idle(_ stored: StoredCopy.Header?) -> FeedResult {
    stored.map { FeedResult(.idle, $0.details) } ?? FeedResult(outcome: .idle, counts: RecordCounts(kept: 0))
  }

  /// The header of the stored copy, if it is sound; a damaged copy is set aside, with a line in `remarks`.
  private func copy(_ remarks: inout [String]) throws(FeedError) -> StoredCopy.Header? {
    switch try subject.check(name) {
    case .absent: return nil
    case .sound(let header): return try counted(header)
    case .damaged:
      let aside = try subject.setAside(name, at: now())
      remarks.append("the stored copy of feed \(name.rawValue) is damaged; it is set aside as \(aside)")
      return nil
    }
  }

  /// `header` with all counts; earlier versions wrote only some, so their bodies are parsed again.
  private func counted(_ header: StoredCopy.Header) throws(FeedError) -> StoredCopy.Header {
    guard header.details.counts == nil, case .sound(let copy) = try subject.read(name),
      let parsed = try? subject.importer.parse(name, copy.bytes, name: name.rawValue, progress: { _ in })
    else { return header }
    var header = copy.header
    header.details.count(parsed.contents)
    try subject.write(header, of: name)
    return header
  }

  /// Parses and checks a delivery, and writes the copy that replaces the last good one with the resident file.
  ///
  /// A web list that has lost too many records replaces good data from the same URL only if forced; the first list of a
  /// source is taken only if forced if most records cannot be read.
  private func take(
    _ delivery: Delivery, replacing stored: StoredCopy.Header?, _ attempt: AttemptOptions
  ) throws(FeedError) -> Found {
    guard delivery.source.bytes.count <= limit(of: delivery) else {
      throw FeedError(.badData, "\(place): more than the \(limit) bytes that are accepted; limits.bytes can be raised")
    }
    if let stored, stored.isCopy(of: delivery.source), stored.details.url == delivery.url,
      stored.details.sample == isSample
    {
      return (try keep(stored, delivery.validators, isLocal: delivery.path != nil), nil)
    }
    let parsed = try parse(delivery, attempt.progress)
    let contents = parsed.contents
    if !attempt.isForced, !isSample { try checkLoss(of: parsed, from: delivery, replacing: stored?.details) }
    var details = StoredCopy.Details(
      url: delivery.url, confirmed: now(), validators: delivery.validators, sample: isSample)
    details.count(contents)
    details.places = PlaceSample(parsed.places)
    if delivery.path == nil, !attempt.isForced, let old = stored?.details, old.url == delivery.url, !old.sample {
      details.remember(old)
    }
    let copy = StoredCopy(details, delivery.source)
    let new = NewCopy(copy.header, try subject.prepare(copy, of: name), consume parsed)
    var result = FeedResult(delivery.path == nil ? .downloaded : .imported, details)
    result.remarks = contents.remarks
    return (result, new)
  }

  /// The source in messages.
  private var place: String { SourceLocation.shown(source ?? "") }

  /// A local list of an importer that names local files may be as long as with `build`.
  private func limit(of delivery: Delivery) -> Int {
    delivery.path != nil && subject.importer.namesLocalFiles ? SourceFile.maximumBytes : limit
  }

  /// Records that the stored copy is still current; a local file is read every time, so that need not be stored.
  private func keep(
    _ stored: StoredCopy.Header, _ validators: SourceValidators, isLocal: Bool = false
  ) throws(FeedError) -> FeedResult {
    var copy = stored
    copy.details.confirmed = now()
    copy.details.validators = validators
    if !isLocal { try subject.write(copy, of: name) }
    return FeedResult(.unchanged, copy.details)
  }

  private func checkLoss(
    of parsed: ParsedFeed<Importer.Records>, from delivery: Delivery, replacing stored: StoredCopy.Details?
  ) throws(FeedError) {
    let (new, problem): (FeedContents, String)
    new = parsed.contents
    if let stored, stored.url == delivery.url, !stored.sample {
      let old = RecordCounts(kept: stored.records, skipped: stored.skipped)
      let most = stored.recent(at: now()).map(\.records).max() ?? 0
      guard delivery.path == nil else { return }
      let moved = loss.excess(from: stored.places, to: parsed.places)
      let shrunk = loss.excess(from: old, to: new.counts, most: most).map { "the source has shrunk: \($0)" }
      guard let excess = shrunk ?? moved else { return }
      problem = "\(excess); the data before stays"
    } else {
      guard let excess = loss.excess(of: new) else { return }
      problem = excess
    }
    throw FeedError(
      .badData,
      "\(place): refused, \(problem) (loss.percent); to accept it: citiesctl refresh --force \(name.rawValue)")
  }

  private func parse(
    _ delivery: Delivery, _ progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<Importer.Records> {
    let (importer, bytes) = (subject.importer, delivery.source.bytes)
    if let path = delivery.path, importer.namesLocalFiles {
      return try importer.parse(name, bytes, name: path, progress: progress)
    }
    return try FeedError.naming(place) { () throws(FeedError) in
      try importer.parse(name, bytes, name: name.rawValue, progress: progress)
    }
  }
}

extension FeedResult {
  /// The result of an attempt that left a copy with `details`.
  init(_ outcome: FeedOutcome.Outcome, _ details: StoredCopy.Details) {
    self.init(
      outcome: outcome, counts: details.counts ?? RecordCounts(kept: details.records, skipped: details.skipped),
      notes: details.notes, asOf: details.confirmed, isSample: details.sample)
  }
}

/// The download's share of an attempt's progress; parsing and building are the rest.
let downloadShare = 0.8

/// Bytes delivered by a source, and their origin.
struct Delivery {
  let source: SourceFile
  /// The URL, or a local file's path.
  let url: String
  let validators: SourceValidators
  /// The path of a local file.
  var path: String?
}

extension Delivery {
  /// The local file at `path`.
  ///
  /// - Throws: ``FeedError`` if it cannot be read.
  init(fileAt path: String) throws(FeedError) {
    self.init(
      source: try SourceFile(path: path, regularOnly: true), url: path, validators: SourceValidators(), path: path)
  }
}
