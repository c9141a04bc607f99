import Base
import CBOR
package import CitiesProtocol
package import Money

/// `trade.resident`: the server's side, an opened book of rates and transactions.
///
/// | Section | Holds |
/// |---|---|
/// | `META` | ``Summary`` in CBOR |
/// | `CURR` | ``CurrencyCode/packed`` of the currencies of rates and transactions, ascending, 8 bytes each |
/// | `RATE` | a ``TradeRecord`` a rate, in the table's order |
/// | `NEXT` | ``RateTable/nextStops``, 2 bytes each, so that nobody searches for paths at load |
/// | `SKUS` | the products' codes in alphabetical order, a `ByteTable` |
/// | `PTXN` | where each product's transactions begin, and the count of all: 4 bytes each |
/// | `TXNS` | a ``TradeRecord`` a transaction: by product, then in a ledger's order |
/// | `TSRC` | by product, the positions of its transactions in the order of the source: 4 bytes each |
///
/// Opening reads the rates and the products' offsets; transactions are read when their product is asked for. The file is
/// somebody else's: what leads outside, or makes no sense, is told as an error of the file and never a trap.
package final class ResidentTrade: @unchecked Sendable {
  /// The kind of the file; raise the row version with any change to its sections.
  package static let kind = ResidentKind(
    code: "TRAD", name: "trade book", fileName: "trade.resident", rowVersion: 2,
    remedy: "citiesd-sync run --force rates transactions")
  /// The feeds that it is made from.
  package static let feeds: [FeedName] = [.rates, .transactions]
  /// Currencies of rates and of transactions that a file may have in all.
  package static let maximumCurrencies = 2 * RateTable.maximumCurrencies

  /// What the importer tells about its work.
  package struct Summary: Codable, Equatable, Sendable {
    /// The feeds that there was a copy of.
    package var feeds: [Feed]
    /// Whether any of the data is made up, for newcomers to try things with.
    package var sample: Bool

    /// Puts it together.
    package init(feeds: [Feed], sample: Bool) { (self.feeds, self.sample) = (feeds, sample) }

    /// The counts of one feed.
    package struct Feed: Codable, Equatable, Sendable {
      /// Which.
      package var feed: FeedName
      /// Good records, without repetitions.
      package var records: UInt64
      /// Records that were skipped as bad.
      package var skipped: UInt64

      /// Puts the counts together.
      package init(feed: FeedName, records: UInt64, skipped: UInt64) {
        (self.feed, self.records, self.skipped) = (feed, records, skipped)
      }
    }
  }

  /// The file.
  package let file: ResidentFile
  /// The importer's counts.
  package let summary: Summary
  /// The given rates and the paths between all currencies.
  package let rates: RateTable
  /// The currencies of rates and transactions, in the order of their codes.
  package let currencies: [CurrencyCode]
  /// Products in all.
  package let productCount: Int
  /// Transactions in all.
  package let transactionCount: Int
  let products: ByteTable
  let offsets: Column
  let transactions: UnsafeRawBufferPointer
  let sourcePositions: Column

  /// Opens the book at `path`.
  ///
  /// - Throws: ``ResidentError`` with what was expected and found, and what to do.
  /// - Complexity: as ``ResidentFile/init(path:kind:verify:)``; beyond that O(products + rates · log rates).
  package convenience init(path: String, verify: ResidentFile.Verification = .automatic) throws(ResidentError) {
    try self.init(file: ResidentFile(path: path, kind: Self.kind, verify: verify))
  }

  /// Takes the sections of `file`.
  package init(file: ResidentFile) throws(ResidentError) {
    self.file = file
    let reader = TradeReader(file)
    summary = try reader.summary()
    currencies = try reader.currencies()
    rates = try reader.rates(currencies)
    transactions = try reader.records(.transactions)
    transactionCount = transactions.count / TradeRecord.size
    sourcePositions = try reader.sourcePositions(of: transactionCount)
    (products, offsets) = try reader.products(of: transactionCount)
    productCount = products.count
  }

  /// What the file holds, as 64 bits.
  package var generation: Generation { file.generation }
  /// Good records of both feeds.
  package var count: Int { rates.rates.count + transactionCount }
}

/// The names of the sections.
extension FourBytes {
  static let tradeSummary: FourBytes = "META"
  static let currencies: FourBytes = "CURR"
  static let rates: FourBytes = "RATE"
  static let nextStops: FourBytes = "NEXT"
  static let products: FourBytes = "SKUS"
  static let productOffsets: FourBytes = "PTXN"
  static let transactions: FourBytes = "TXNS"
  static let sourcePositions: FourBytes = "TSRC"
}
