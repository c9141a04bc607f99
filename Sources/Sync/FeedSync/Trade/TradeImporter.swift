package import CitiesProtocol
import Money
package import Resident

/// The feeds `rates` and `transactions` become `trade.resident`.
///
/// They are used as one pair. With a copy of one alone the book is made all the same: no rates make every amount in
/// another currency a remainder, and the server tells which feed is missing.
package struct TradeImporter: SubjectImporter {
  /// `rates` and `transactions`.
  package let feeds = ResidentTrade.feeds
  /// The trade book.
  package let kind = ResidentTrade.kind

  /// Makes an importer; it keeps nothing.
  package init() {}

  /// Reads one feed's bytes before they take the place of the last good copy.
  package func examine(_ feed: FeedName, _ bytes: [UInt8]) throws(FeedError) -> FeedContents {
    switch feed {
    case .rates:
      let file = try RatesFile(bytes, name: feed.rawValue)
      return try FeedContents(file.notes, kept: file.table.rates.count)
    case .transactions:
      let file = try TransactionsFile(bytes, name: feed.rawValue)
      return try FeedContents(file.notes, kept: file.ledger.count)
    default: throw FeedError(.unavailable, "\(feed.rawValue) is no feed of trade")
    }
  }

  /// Makes the trade book from the copies that there are.
  package func image(of copies: [FeedName: SourceCopy]) throws(FeedError) -> ResidentImage {
    var summary = ResidentTrade.Summary(feeds: [], sample: false)
    func note(_ feed: FeedName, _ copy: SourceCopy, records: Int, _ notes: ImportNotes) throws(FeedError) {
      _ = try notes.counts(kept: records)
      summary.feeds.append(.init(feed: feed, records: UInt64(records), skipped: notes.skipped))
      summary.sample = summary.sample || copy.isSample
    }
    var book = TradeBook(rates: .empty, ledger: ProductLedger([]))
    if let copy = copies[.rates] {
      let file = try RatesFile(copy.bytes, name: FeedName.rates.rawValue)
      try note(.rates, copy, records: file.table.rates.count, file.notes)
      book = TradeBook(rates: file.table, ledger: book.ledger)
    }
    if let copy = copies[.transactions] {
      let file = try TransactionsFile(copy.bytes, name: FeedName.transactions.rawValue)
      try note(.transactions, copy, records: file.ledger.count, file.notes)
      book = TradeBook(rates: book.rates, ledger: file.ledger)
    }
    do {
      return try ResidentTrade.image(of: book, summary: summary, fingerprint: copies.fingerprint)
    } catch {
      throw FeedError(.badData, "the trade book cannot be written down: \(error)")
    }
  }
}
