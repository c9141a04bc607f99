package import CitiesProtocol

/// A feed whose source is kept as it came, and from which, with its subject's other feeds, a resident file is made: every
/// feed is one, with a source on the web or in a local file.
///
/// A web source is contacted if its stored copy is missing, damaged, a sample, from another URL, or as old as the
/// interval (the one-hour rule); else the copy is reused. A local file is looked at every time. A silent attempt asks no
/// source of which nothing is stored, and leaves samples where they are.
package struct StoredFeed<Importer: SubjectImporter>: Feed {
  /// The configured URL or path.
  package let source: String?
  /// Seconds after which the stored copy is old.
  package let interval: Int64
  private let headers: [String]
  private let secrets: [HeaderFile]
  private let fetcher: any SourceFetcher
  private let intake: FeedIntake<Importer>

  /// Sets up a feed.
  ///
  /// - Parameters:
  ///   - configuration: Where it comes from, and how often.
  ///   - headers: Header lines that its server wants.
  ///   - fetcher: Downloads.
  ///   - intake: Keeps what was downloaded.
  package init(
    _ configuration: FeedConfiguration, headers: [String] = [], fetcher: any SourceFetcher,
    intake: FeedIntake<Importer>
  ) {
    source = configuration.url
    interval = configuration.interval
    secrets = configuration.headers
    // A configured header comes before the feed's own of that name.
    let names = Set(secrets.map { "\($0.name.lowercased()):" })
    self.headers = headers.filter { line in !names.contains { line.lowercased().hasPrefix($0) } }
    self.fetcher = fetcher
    self.intake = intake
  }

  /// Its name.
  package var name: FeedName { intake.name }

  /// Brings the stored copy up to date, then the resident file.
  package func update(_ attempt: FeedAttempt) throws(FeedError) -> FeedResult {
    guard let source else { throw FeedError(.unavailable, "no source is configured") }
    try intake.checkSettings()
    let location = try SourceLocation(source)
    var remarks: [String] = []
    let stored = try intake.copy(&remarks)
    defer { intake.end() }
    var result: FeedResult
    switch location {
    case .file where attempt.isSilent && stored?.details.sample == true:
      result = idle(stored)
      _ = try intake.assemble(attempt)
    case .web(let url):
      result = try ask(url, stored, attempt)
      _ = try intake.assemble(attempt.after(downloadShare))
    case .file(let path):
      result = try intake.take(.file(at: path, configuredAs: source), instead: stored, attempt)
      // A file of one feed was made from its source; one of several feeds may have been rebuilt for another of them.
      if let contents = try intake.assemble(attempt), intake.isAloneInSubject {
        (result.outcome, result.remarks) = (.imported, contents.remarks)
      }
    }
    attempt.progress(Progress("done", done: 1))
    result.remarks = remarks + result.remarks
    return result
  }

  /// Rebuilds the resident file from the stored copies.
  package func restore(force: Bool) throws(FeedError) { _ = try intake.assemble(FeedAttempt(isForced: force)) }

  /// Removes the stored copy, then its part of the resident file.
  package func forget() throws(FeedError) { try intake.forget() }

  private func ask(
    _ url: String, _ stored: StoredCopy.Header?, _ attempt: FeedAttempt
  ) throws(FeedError) -> FeedResult {
    if attempt.isSilent, stored?.details.sample ?? true { return idle(stored) }
    // A copy from elsewhere says nothing about this URL, nor does a sample.
    let known = stored.flatMap { $0.details.url == url && !$0.details.sample ? $0 : nil }
    if let known, !attempt.isForced, !attempt.isRetry, let age = intake.age(of: known), age < interval {
      return FeedResult(.reused, known.details)
    }
    if let error = attempt.knownError { throw FeedError(.postponed, error) }
    attempt.progress(Progress("asking", done: 0))
    let validators = known?.details.validators ?? SourceValidators()
    let request = try FetchRequest(url: url, headers: headers, secrets: secretLines(), validators: validators)
    let reply = try fetcher.fetch(request, attempt)
    guard case .body(let bytes, let validators) = reply else {
      guard let known else {
        let shown = SourceLocation.shown(url)
        throw FeedError(.unavailable, "\(shown): \"not modified\" in reply to a request without conditions")
      }
      return try intake.keep(known, known.details.validators)
    }
    attempt.progress(Progress("checking", done: downloadShare))
    return try intake.take(
      .download(bytes, from: url, validators), instead: stored, attempt.after(downloadShare))
  }

  /// No source is asked.
  private func idle(_ stored: StoredCopy.Header?) -> FeedResult {
    stored.map { FeedResult(.idle, $0.details) } ?? FeedResult(.idle, RecordCounts(kept: 0))
  }

  private func secretLines() throws(FeedError) -> [String] {
    var lines: [String] = []
    for header in secrets { lines.append(try header.line()) }
    return lines
  }
}

/// The part of an attempt's progress that a download is; parsing and building are the rest.
let downloadShare = 0.8

/// A feed that takes one of the samples, so that a new user has data to query: `run --samples`.
///
/// A sample never takes the place of real data unless that is forced; real data takes a sample's place by itself.
package struct SampleFeed<Importer: SubjectImporter>: Feed {
  /// The sample's path.
  package let source: String?
  /// Seconds until the real source is contacted.
  package let interval: Int64
  private let path: String
  private let intake: FeedIntake<Importer>

  /// Takes the sample at `path`.
  package init(path: String, interval: Int64, intake: FeedIntake<Importer>) {
    source = path
    self.path = path
    self.interval = interval
    self.intake = intake
  }

  /// Its name.
  package var name: FeedName { intake.name }

  /// Stores the sample unless real data is there.
  package func update(_ attempt: FeedAttempt) throws(FeedError) -> FeedResult {
    try intake.checkSettings()
    var remarks: [String] = []
    let stored = try intake.copy(&remarks)
    defer { intake.end() }
    var result: FeedResult
    if let stored, !stored.details.sample, !attempt.isForced {
      remarks.append("feed \(name.rawValue) has real data, which stays; --force puts the sample in its place")
      result = FeedResult(.reused, stored.details)
    } else {
      result = try intake.take(.sample(at: path), instead: stored, attempt)
    }
    _ = try intake.assemble(attempt)
    attempt.progress(Progress("done", done: 1))
    result.remarks = remarks + result.remarks
    return result
  }
}
