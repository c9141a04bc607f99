package import CitiesProtocol

/// A feed whose source is kept as it came, and from which, with its subject's other feeds, a resident file is made: every
/// feed of banks and trade.
///
/// A source of the web is asked if its stored copy is missing, damaged, a sample, from another URL, or as old as the
/// interval (the one-hour rule); else the copy is reused. A local file is looked at every time.
package struct StoredFeed: Feed {
  /// The configured URL or path.
  package let source: String?
  /// Seconds after which the stored copy is old.
  package let interval: Int64
  private let headers: [String]
  private let secrets: [HeaderFile]
  private let fetcher: any SourceFetcher
  private let intake: FeedIntake

  /// Sets up a feed.
  ///
  /// - Parameters:
  ///   - configuration: Where it comes from, and how often.
  ///   - headers: Header lines that its server wants.
  ///   - fetcher: Downloads.
  ///   - intake: Keeps what was downloaded.
  package init(
    _ configuration: FeedConfiguration, headers: [String] = [], fetcher: any SourceFetcher, intake: FeedIntake
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
    var result =
      switch location {
      case .web(let url): try ask(url, stored, attempt)
      case .file(let path):
        try intake.take(
          SourceFile(path: path, regularOnly: true).bytes, from: source, as: .imported, instead: stored)
      }
    try intake.assemble(attempt)
    result.remarks = remarks + result.remarks
    return result
  }

  /// Makes the resident file from the stored copies.
  package func restore(force: Bool) throws(FeedError) { try intake.assemble(FeedAttempt(isForced: force)) }

  private func ask(_ url: String, _ stored: StoredCopy?, _ attempt: FeedAttempt) throws(FeedError) -> FeedResult {
    // A copy from elsewhere says nothing about this URL, nor does a sample.
    let known = stored.flatMap { $0.details.url == url && !$0.details.sample ? $0 : nil }
    if let known, !attempt.isForced, !attempt.isRetry, let age = intake.age(of: known), age < interval {
      return FeedResult(.reused, known)
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
    attempt.progress(Progress("checking", done: 0.8))
    return try intake.take(
      bytes, from: url, validators, as: .downloaded, instead: stored, mayShrink: attempt.isForced)
  }

  private func secretLines() throws(FeedError) -> [String] {
    var lines: [String] = []
    for header in secrets { lines.append(try header.line()) }
    return lines
  }
}
