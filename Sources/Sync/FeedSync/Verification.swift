import Money
import Resident
import System

/// Verifies a resident file, for `citiesd-sync verify`.
///
/// Checks the header, checksums and content hash, then every section against the records; a deviation from what the
/// importer writes is reported with its section.
package enum Verification {
  /// Verifies the file at `path`, and describes it in one line; `checksumsOnly` reads no records.
  ///
  /// - Throws: ``FeedError`` with what is wrong.
  /// - Complexity: O(n) for n records; about 2 s for 200,000 cities, and 30 ms for their checksums.
  package static func line(for path: String, checksumsOnly: Bool = false) throws(FeedError) -> String {
    func line(_ check: Check) throws(ResidentError) -> String {
      try checksumsOnly ? checksums(check.kind, path) : check.line(path)
    }
    do throws(ResidentError) {
      return try line(checks[0])
    } catch {
      guard case .kind(_, let found) = error.fault, let other = checks.first(where: { $0.kind.code == found }) else {
        throw refusal(error)
      }
      do throws(ResidentError) { return try line(other) } catch { throw refusal(error) }
    }
  }

  private typealias Check = (kind: ResidentKind, line: @Sendable (String) throws(ResidentError) -> String)

  /// All kinds and their checks; a file of none of them is reported as an invalid city index.
  private static let checks: [Check] = [
    (ResidentCities.kind, { (path) throws(ResidentError) in try cities(path) }),
    (ResidentBanks.kind, { (path) throws(ResidentError) in try banks(path) }),
    (ResidentTrade.kind, { (path) throws(ResidentError) in try trade(path) }),
    (ResidentFeeds.kind, { (path) throws(ResidentError) in try feeds(path) }),
  ]

  private static func refusal(_ error: ResidentError) -> FeedError {
    if case .system = error.fault { return FeedError(error) }
    if error.fault == .absent { return FeedError(.io, "\(error.path): there is no such file") }
    guard let remedy = remedy(for: error.path) else { return FeedError(.badData, "\(error.path): \(error.fault)") }
    var advised = error
    advised.remedy = remedy
    return FeedError(advised)
  }

  /// The command that rebuilds the file at `path`; `nil` if the file must not be overwritten on our advice.
  private static func remedy(for path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    if isInStateFolder(path) { return checks.first { $0.kind.fileName == name }?.kind.remedy }
    return name.hasSuffix(".index") ? "citiesd-sync build LIST \(path)" : nil
  }

  /// Whether `run` would replace the file at `path`; elsewhere, `build` makes it.
  private static func isInStateFolder(_ path: String) -> Bool {
    guard let state = try? StateFolder(), let own = resolvedPath(state.path), let file = resolvedPath(path) else {
      return false
    }
    return file.hasPrefix(own + "/")
  }

  private static func checksums(_ kind: ResidentKind, _ path: String) throws(ResidentError) -> String {
    let file = try ResidentFile(path: path, kind: kind, verify: .header)
    try file.verifyContent()
    return describe(file, "checksums match:") + ", records not read"
  }

  private static func cities(_ path: String) throws(ResidentError) -> String {
    try verified(path) { (cities: ResidentCities) in "\(cities.summary.counts)" }
  }

  private static func feeds(_ path: String) throws(ResidentError) -> String {
    let (file, reports) = try ResidentFeeds.verify(path)
    return describe(file) + ", \(reports.count) feeds"
  }

  private static func banks(_ path: String) throws(ResidentError) -> String {
    try verified(path) { (banks: ResidentBanks) in
      let skipped = banks.summary.feeds.reduce(0) { $0 + $1.skipped }
      return "\(banks.count) records of \(banks.summary.feeds.count) feeds, \(skipped) skipped"
    }
  }

  private static func trade(_ path: String) throws(ResidentError) -> String {
    try verified(path) { (trade: ResidentTrade) in
      let skipped = trade.summary.feeds.reduce(0) { $0 + $1.skipped }
      return "\(trade.rates.rates.count) rates, \(trade.transactionCount) transactions of "
        + "\(trade.productCount) products, \(skipped) skipped"
    }
  }

  private static func verified<Content: ResidentContent>(
    _ path: String, _ counts: (Content) -> String
  ) throws(ResidentError) -> String {
    let content = try Content(path: path, verify: .header)
    try content.file.verifyContent()
    try content.verify()
    return describe(content.file) + ", " + counts(content)
  }

  private static func describe(_ file: ResidentFile, _ state: String = "sound") -> String {
    "\(file.path): \(state) \(file.kind.name), generation \(file.generation), \(file.bytes.count) bytes"
  }
}
