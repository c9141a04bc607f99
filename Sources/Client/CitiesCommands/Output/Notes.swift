package import CitiesProtocol
internal import System

/// The order of rows if only the first are shown.
enum RowOrder: String {
  case best
  case nearest
  case largest
}

extension Diagnostics {
  /// Prints, for people, that nothing was found and what to do next.
  package func noteEmpty(_ text: @autoclosure () -> String) { if isTerminal { note("empty", text()) } }

  /// Prints how many rows were left out before or after those shown; for people also an empty result.
  func notePage(_ reply: some PagedReply, _ page: PageOptions, empty: @autoclosure () -> String) {
    let offset = page.offset
    let (shown, total) = (UInt64(reply.rows.count), reply.available)
    if shown == 0, total > 0 {
      note("past-end", "no rows after the first \(offset) (--offset): there are only \(total)")
    } else if shown == 0 {
      noteEmpty(empty())
    } else if shown < total - min(offset, total), !page.isChosen {
      note("cut", "\(shown) of \(total) rows shown; --limit N shows more, --all shows all")
    }
  }

  /// Prints, for people, that the limit was reached, unless they have chosen it; `most` is the largest limit.
  ///
  /// If `isNarrowed`, a name, a radius, an area or filters may be the reason why there are no more rows.
  func noteLimit(
    _ order: RowOrder, shown: Int, limit: UInt64?, or usual: UInt64, of most: UInt64 = PageOptions.maximumLimit,
    isNarrowed: Bool
  ) {
    guard isTerminal, shown > 0, shown >= limit ?? usual, limit ?? most >= most else { return }
    let one = order == .best ? "best match only" : "\(order.rawValue) only"
    let rows = shown == 1 ? one : "the \(shown) \(order.rawValue) are shown"
    let mayBeAll = isNarrowed && shown > 1
    let more = "--limit N \(mayBeAll ? "may show" : "shows") more"
    let next = limit ?? usual >= most ? "--limit is at most \(most)" : more
    note("cut", "\(rows); \(next)")
  }
}

extension Context {
  /// Writes only the number of rows, for `--count`.
  ///
  /// - Returns: ``ExitStatus/found`` if there are any.
  func render(countOf reply: some PagedReply, sources: Provenance? = nil) throws(OutputError) -> ExitStatus {
    let count = reply.available
    if format.isJSON {
      output.write("{\"total\":\(count)")
      output.bytes.appendMember("generation", .text(reply.generation))
      output.bytes.appendMembers(of: sources)
      output.write("}\n")
    } else {
      output.write("\(count)\n")
    }
    try output.flush()
    return count == 0 ? .nothingFound : .found
  }
}

extension Context {
  /// Prints, for people, that a short length without a unit is in metres.
  package func noteMetres() {
    guard diagnostics.isTerminal else { return }
    for (name, next) in zip(words, words.dropFirst() + [""]) {
      let parts = name.split(separator: "=", maxSplits: 1).map(String.init)
      let value = parts.count > 1 ? parts[1] : next
      guard let option = parts.first, ["--radius", "--zoom"].contains(option), let length = Double(value), length < 100
      else { continue }
      diagnostics.note("metres", "\(option) \(value) is in metres; for kilometres, write \(value)km")
    }
  }
}

// MARK: The origin of the data

extension Context {
  /// Prints notes on the data of an answer: from the installed list, missing, not real, old, or of a failing source.
  ///
  /// Scripts get none about facts that an answer of this format itself contains. As soon as one of the feeds of trade
  /// has a problem, the ages of all are printed: a total depends on both rates and transactions.
  package func noteSources(_ sources: Provenance?, _ format: OutputFormat? = nil, now: Int64 = SystemClock.seconds()) {
    guard let sources else { return }
    let format = format ?? self.format
    if let reason = sources.fallback {
      return diagnostics.note("fallback", "answered from the installed list of cities: \(reason)")
    }
    for source in sources.feeds where sources.missingFeeds.contains(source.feed) {
      diagnostics.note("missing", "\(source.feed.rawValue): no data yet: \(source.missing ?? "")")
    }
    for source in sources.feeds where source.excluded != true {
      guard let count = source.leftOut, diagnostics.isTerminal || !format.isJSON else { continue }
      let records = count == 1 ? "1 record" : "\(count) records"
      diagnostics.note("left-out", "\(source.feed.rawValue): \(records) cannot be read; 'citiesctl status -v' says why")
    }
    if sources.sample {
      if diagnostics.isTerminal || !format.isJSON { diagnostics.note("sample", "sample data, not real") }
      return
    }
    // A feed that is off and has no data has neither an age nor an error.
    let known = sources.feeds.filter {
      $0.missing == nil && $0.excluded != true && ($0.stale || $0.asOf != nil || $0.lastError != nil)
    }
    let troubled = known.filter { $0.stale || $0.lastError != nil }
    guard !troubled.isEmpty, diagnostics.isTerminal || !format.hasHead else { return }
    let isTrade = known.contains { $0.feed.servedSubject == .trade }
    for text in Provenance.ages(isTrade ? known : troubled, now) { diagnostics.note("age", text) }
  }
}

extension Provenance {
  /// The exit status of an answer: `usual`, unless a feed is missing.
  package func status(_ usual: ExitStatus) -> ExitStatus { missingFeeds.isEmpty ? usual : .partial }

  /// The notes on `sources`: those that failed for the same reason share a note, with the age of their oldest data.
  static func ages(_ sources: [Source], _ now: Int64) -> [String] {
    // An answer about banks names the feeds without data: this one's report may only be older than its data.
    let unknown = { (feed: FeedName) in feed.servedSubject == .trade ? "no data yet" : "data of unknown age" }
    let well = sources.filter { $0.lastError == nil }.map {
      text($0.feed.rawValue, $0.asOf, or: unknown($0.feed), "", now)
    }
    let failed = [sources.filter { $0.asOf != nil }, sources.filter { $0.asOf == nil }].flatMap { sources in
      let errors = sources.compactMap { source in source.lastError.map { (source.feed, $0) } }
      return SharedFailure.grouping(errors).map { failure in
        let oldest = Provenance(feeds: sources.filter { failure.feeds.contains($0.feed) }).asOf
        let attempts = failure.feeds.count == 1 ? "attempt" : "attempts"
        return text(
          failure.names, oldest, or: failure.feeds.first.map(unknown) ?? "",
          "; the last \(attempts) failed: \(failure.whole ?? failure.reason)", now)
      }
    }
    return well + failed
  }

  /// `rates: data of 2026-03-01T12:00:00Z, 3 h 5 min old; the last attempt failed: no route`.
  private static func text(
    _ names: String, _ asOf: Timestamp?, or unknown: String, _ failure: String, _ now: Int64
  ) -> String {
    let age = asOf?.secondsSince1970.map { ", \(AgeText.of(now - $0)) old" } ?? ""
    return "\(names): \(asOf.map { "data of \($0.text)\(age)" } ?? unknown)\(failure)"
  }
}

/// A duration for people: `31 µs`, `0.9 ms`, `2.0 s`.
func timingText(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  switch microseconds {
  case ..<1_000: return "\(microseconds) µs"
  case ..<1_000_000: return "\(tenths(microseconds, of: 1_000)) ms"
  default: return "\(tenths(microseconds, of: 1_000_000)) s"
  }
}

private func tenths(_ value: Int64, of unit: Int64) -> String {
  let rounded = (value * 10 + unit / 2) / unit
  return "\(rounded / 10).\(rounded % 10)"
}
