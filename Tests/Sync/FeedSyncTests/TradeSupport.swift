import CitiesProtocol
import FeedSync
import Money
import Resident
import TestSupport
import TradeReference

/// The lists of the trade feeds, as text.
enum TradeText {
  /// The rates of the specification.
  static let rates = """
    [{"from":"EUR","to":"USD","rate":"1.359"},{"from":"CAD","to":"EUR","rate":"0.732"},
     {"from":"USD","to":"EUR","rate":"0.736"},{"from":"EUR","to":"CAD","rate":"1.366"}]
    """
  /// The transactions of the specification.
  static let transactions = """
    [{"sku":"T2006","amount":"10.00","currency":"USD"},{"sku":"M2007","amount":"34.57","currency":"CAD"},
     {"sku":"R2008","amount":"17.95","currency":"USD"},{"sku":"T2006","amount":"7.63","currency":"EUR"},
     {"sku":"B2009","amount":"21.23","currency":"USD"}]
    """
}

/// The book made from the lists that are given, opened from a file in `folder`.
func book(rates: String?, _ transactions: String?, in folder: TemporaryFolder) throws -> ResidentTrade {
  var copies: [FeedName: SourceCopy] = [:]
  copies[.rates] = rates.map { SourceCopy(bytes: Array($0.utf8)) }
  copies[.transactions] = transactions.map { SourceCopy(bytes: Array($0.utf8), isSample: true) }
  try TradeImporter().image(of: copies).write(to: folder.path("trade.resident"))
  return try ResidentTrade(path: folder.path("trade.resident"))
}

/// The records of a feed's list.
func contents(_ feed: FeedName, _ text: String) throws -> FeedContents {
  try TradeImporter().examine(feed, Array(text.utf8))
}

extension ResidentTrade {
  /// One product's rows as `AMOUNT CURRENCY CONVERTED`, and its total.
  func rows(_ sku: String, in currency: String = "EUR") throws -> (rows: [String], total: String?) {
    guard let index = index(of: try ProductCode(sku)) else { return ([], nil) }
    let statement = ProductStatement(
      try product(at: index), try transactions(ofProductAt: index), rates, in: try CurrencyCode(currency))
    let rows = statement.rows.map { row in
      let outcome = if case .converted(let amount) = row.outcome { "\(amount)" } else { "-" }
      return "\(row.transaction.amount) \(row.transaction.currency) \(outcome)"
    }
    return (rows, statement.total.amount.map { "\($0)\(statement.total.isPartial ? " partial" : "")" })
  }
}
