internal import CitiesProtocol
internal import System

/// What a reader must know of the data behind a reply: that it is made up, that it is old, that its source fails.
struct SourceNotes {
  /// Where the data comes from.
  var sources: Provenance
  /// Whether the ages of all its feeds are told to scripts too, as soon as one of them is in trouble: a total must never
  /// be computed from rates and transactions of which one is old without saying so.
  var insists = false

  /// Tells what there is to tell; of what the answer holds itself, only people are told.
  func tell(_ context: Context, _ options: OutputOptions, now: Int64 = SystemClock.seconds()) {
    tell(context, options.format(for: context.output), now: now)
  }

  /// The same for an answer in a format that is known.
  func tell(_ context: Context, _ format: OutputFormat, now: Int64 = SystemClock.seconds()) {
    if sources.sample {
      if context.diagnostics.isTerminal || !format.isJSON { context.diagnostics.note("sample", "made-up sample data") }
      return
    }
    let troubled = sources.feeds.filter { $0.stale || $0.lastError != nil }
    guard !troubled.isEmpty, context.diagnostics.isTerminal || (insists && !format.hasHead) else { return }
    for source in insists ? sources.feeds : troubled {
      context.diagnostics.note("age", Self.text(source, now))
    }
  }

  /// Warns that an installed list was read in the place of a file that was refused; nothing if that is not so.
  static func warnOfFallback(_ sources: Provenance?, _ context: Context) {
    guard let reason = sources?.fallback else { return }
    context.diagnostics.note("fallback", "answered from the installed list: \(reason)")
  }

  /// `rates: data of 2026-03-01T12:00:00Z, 3 h 5 min old; the last attempt failed: no route`.
  static func text(_ source: Provenance.Source, _ now: Int64) -> String {
    let age = source.asOf?.secondsSince1970.map { ", \(AgeText.of(now - $0)) old" } ?? ""
    let data = source.asOf.map { "data of \($0.text)\(age)" } ?? "no data yet"
    let failure = source.lastError.map { "; the last attempt failed: \($0)" } ?? ""
    return "\(source.feed.rawValue): \(data)\(failure)"
  }
}
