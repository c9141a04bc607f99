internal import CitiesProtocol

/// All texts of the screen and its messages, in English only for now.
enum Strings {
  // MARK: - Everywhere

  static let keysHint = "F1 help"
  static let find = "Find:"
  static let offer = "Enter: use the sample data, which is not real"
  static let samplesLoaded = "The sample data is stored"
  static func noSamples(_ reason: String) -> String { "Could not load the samples: \(reason)" }
  static let waiting = "Waiting for the server ..."
  static let you = "you"

  static func name(of subject: Subject) -> String {
    switch subject {
    case .cities: "Cities"
    case .banks: "Banks"
    case .trade: "Trade"
    default: subject.rawValue
    }
  }

  static func tooSmall(_ size: ScreenSize) -> String {
    "The terminal is too small: \(size.columns)x\(size.rows), "
      + "at least \(ScreenSize.least.columns)x\(ScreenSize.least.rows) needed."
  }
  static func lost(_ reason: String) -> String { "\(reason); trying again ..." }
  static func unreadable(_ reason: String) -> String { "Unreadable reply from the server: \(reason)" }
  static func noData(_ phase: String?, _ done: Double?) -> String {
    "No data yet: \(phase ?? "loading")" + (done.map { ", \(Int(min(max($0, 0), 1) * 100))% done" } ?? "") + " ..."
  }

  /// A note on the origin of the data; `nil` if there is nothing unusual.
  static func note(_ sources: Provenance) -> String? {
    let missing = sources.missingFeeds.map(\.rawValue)
    if !missing.isEmpty { return "NO DATA of \(missing.joined(separator: ", "))" }
    if sources.sample { return "SAMPLE DATA" }
    guard sources.needsNote else { return sources.leftOut > 0 ? "\(sources.leftOut) LEFT OUT" : nil }
    return "OLD DATA" + (sources.asOf.map { " from \($0.text.prefix(10)) \($0.text.prefix(16).suffix(5))" } ?? "")
  }

  /// A count with commas as thousands separators.
  static func grouped(_ count: Int) -> String { groupedText(UInt64(clamping: count)) }

  /// A count with its noun in the singular or plural: `1 city`, `1,204 cities`.
  static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(grouped(count)) \(count == 1 ? one : many)"
  }

  // MARK: - Starting

  static let noSignals = "the system gives no descriptor for signals"
  static func noScreen(_ error: TerminalError) -> String {
    switch error {
    case .absent: "this needs a terminal; in a script, use 'citiesctl search'"
    case .incapable(let type):
      "the terminal '\(type)' (TERM) cannot show a full screen; 'pick --plain' and 'search' work on any terminal"
    case .unknown(let type):
      "no description of the terminal '\(type)' (TERM); install ncurses-term, or try TERM=xterm-256color"
    }
  }

  // MARK: - Trade

  static let currency = "Currency"
  static let total = "Total"
  static func products(_ count: Int) -> String { counted(count, "product", "products") }
  static func transactions(_ count: Int, _ sku: String) -> String { "\(sku): \(transactionCount(count))" }
  static func transactionCount(_ count: Int) -> String { counted(count, "transaction", "transactions") }
  static func amounts(in terms: TradeScreen.Terms) -> String {
    "in \(terms.currency)\(terms.rounding == .step ? ", rounded at each step" : "")"
  }
  static func amount(_ total: TotalRow) -> String {
    guard let amount = total.amount else { return "over 38 digits" }
    return "\(total.partial ? "partial: " : "")\(amount) \(total.currency)"
  }
  static func notConverted(_ reason: String?) -> String { reason.is("overflow") ? "too large" : "no rate" }
  /// The lines about what is not in a total.
  static func leftOut(of total: TotalRow) -> [String] {
    let records = total.leftOut.map { [counted(Int(clamping: $0), "record is", "records are") + " left out"] } ?? []
    let rates = (total.leftOutRates ?? []).map { "not used: the rate \($0.from) to \($0.to) (not readable)" }
    return total.remainders.map(leftOut) + records + rates
  }
  private static func leftOut(_ remainder: TotalRow.Remainder) -> String {
    let sum = remainder.sum.map { "\($0) " } ?? ""
    return "not included: \(sum)\(remainder.currency) (\(notConverted(remainder.reason)))"
  }

  // MARK: - Refreshing

  static let refresh = "Refresh"
  static func outcomes(of subject: Subject, _ refresh: FetchedValue<Subject, [FeedOutcome]>?) -> [String] {
    if let problem = refresh?.problem { return [problem.message] }
    guard let outcomes = refresh?.value else { return subject.feeds.map { "\($0.rawValue): refreshing ..." } }
    return outcomes.map { "\($0.feed.rawValue): \(text(of: $0))" }
  }

  private static func text(of outcome: FeedOutcome) -> String {
    let records = outcome.records.map { ", \(grouped(Int(clamping: $0))) records" } ?? ""
    return switch outcome.outcome {
    case .failed: "failed: \(outcome.error ?? "")"
    case .reused: "up to date" + (outcome.age.map { ", \($0 / 60) min old" } ?? "") + records
    case .imported: "read from file" + records
    case .running: "still running"
    case .idle: "not fetched yet"
    case .unconfigured: "no source set"
    default: outcome.outcome.rawValue + records
    }
  }
}

extension Provenance {
  /// Whether the screen should show a note about it.
  var needsNote: Bool { sample || feeds.contains { $0.stale && $0.excluded != true } }
}
