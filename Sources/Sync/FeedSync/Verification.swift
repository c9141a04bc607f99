import CitiesProtocol
import Money
import Resident
import System

/// Proves a resident file sound: what `citiesd-sync verify` does.
///
/// Header, checksums and content hash, then every section against the records: what the importer would not have written is
/// reported with its section.
package enum Verification {
  /// Checks the file at `path`, and gives a line about it.
  ///
  /// - Throws: ``FeedError`` with what is wrong.
  /// - Complexity: O(n) for n records; about 2 s for 200,000 cities.
  package static func line(for path: String) throws(FeedError) -> String {
    do throws(ResidentError) {
      return try cities(path)
    } catch {
      guard case .kind(_, let found) = error.fault, let check = others[found] else { throw refusal(error) }
      do throws(ResidentError) { return try check(path) } catch { throw refusal(error) }
    }
  }

  /// How files of other kinds than the cities' are checked.
  private static let others: [FourBytes: @Sendable (String) throws(ResidentError) -> String] = [
    ResidentFeeds.kind.code: { (path) throws(ResidentError) in try feeds(path) },
    ResidentBanks.kind.code: { (path) throws(ResidentError) in try banks(path) },
    ResidentTrade.kind.code: { (path) throws(ResidentError) in try trade(path) },
  ]

  private static func refusal(_ error: ResidentError) -> FeedError {
    if case .system(let call, let code) = error.fault {
      return FeedError(SystemError(call, error.path, code: code))
    }
    if error.fault == .absent { return FeedError(.io, "\(error.path): there is no such file") }
    guard let remedy = remedy(for: error.path) else { return FeedError(.badData, "\(error.path): \(error.fault)") }
    var advised = error
    advised.remedy = remedy
    return FeedError(.badData, advised.description)
  }

  /// What makes the file at `path` anew; `nil` for one that may be anything, which no advice must put an end to.
  private static func remedy(for path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    let kinds = [ResidentCities.kind, ResidentBanks.kind, ResidentTrade.kind, ResidentFeeds.kind]
    if isInStateFolder(path) { return kinds.first { $0.fileName == name }?.remedy }
    return name.hasSuffix(".index") ? "citiesd-sync build LIST \(path)" : nil
  }

  /// Whether `run` would replace the file at `path`; an index anywhere else is what `build` makes.
  private static func isInStateFolder(_ path: String) -> Bool {
    guard let state = try? StateFolder(), let own = resolvedPath(state.path), let file = resolvedPath(path) else {
      return false
    }
    return file.hasPrefix(own + "/")
  }

  private static func cities(_ path: String) throws(ResidentError) -> String {
    let cities = try ResidentCities(path: path, verify: .header)
    try cities.file.verifyContent()
    try cities.verify()
    let summary = cities.summary
    return describe(cities.file)
      + ", \(summary.counts)"
  }

  private static func feeds(_ path: String) throws(ResidentError) -> String {
    let (file, reports) = try ResidentFeeds.verify(path)
    return describe(file) + ", \(reports.count) feeds"
  }

  private static func banks(_ path: String) throws(ResidentError) -> String {
    let banks = try ResidentBanks(path: path, verify: .header)
    try banks.file.verifyContent()
    do throws(ResidentError) {
      try banks.verify()
    } catch {
      // Where the bytes differ, and what that does to answers.
      guard case .contents(let difference) = error.fault, let effect = BankVerification.problem(in: banks) else {
        throw error
      }
      throw banks.file.error(.contents("\(difference); \(effect)"))
    }
    let skipped = banks.summary.feeds.reduce(0) { $0 + $1.skipped }
    return describe(banks.file) + ", \(banks.count) records of \(banks.summary.feeds.count) feeds, \(skipped) skipped"
  }

  private static func trade(_ path: String) throws(ResidentError) -> String {
    let trade = try ResidentTrade(path: path, verify: .header)
    try trade.file.verifyContent()
    try trade.verify()
    let skipped = trade.summary.feeds.reduce(0) { $0 + $1.skipped }
    return describe(trade.file)
      + ", \(trade.rates.rates.count) rates, \(trade.transactionCount) transactions of \(trade.productCount) products, "
      + "\(skipped) skipped"
  }

  private static func describe(_ file: ResidentFile) -> String {
    "\(file.path): sound \(file.kind.name), generation \(file.generation), \(file.bytes.count) bytes"
  }
}
