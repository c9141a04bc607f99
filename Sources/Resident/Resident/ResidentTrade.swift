package import CitiesProtocol
package import Money
import System

/// `trade.resident`, opened by the server: a book of rates and transactions.
///
/// | Section | Holds |
/// |---|---|
/// | `META` | ``Summary`` in CBOR |
/// | `CURR` | ``CurrencyCode/packed`` of the currencies of rates and transactions, ascending, 8 bytes each |
/// | `RATE` | a ``TradeRecord`` per rate, in the table's order |
/// | `NEXT` | ``RateTable/nextStops``, 2 bytes each, so that loading needs no search for paths |
/// | `SKUS` | the products' codes in alphabetical order, a `ByteTable` |
/// | `PTXN` | the start of each product's transactions, and the total count: 4 bytes each |
/// | `TXNS` | a ``TradeRecord`` per transaction: by product, then in a ledger's order |
/// | `PLFT` | by product, the number of its records that could not be read: 4 bytes each |
/// | `RLFT` | a ``TradeRecord`` of value 1 per rate that could not be read, in the order of their codes |
/// | `NLFT` | ``LeftOutRates/nextStops``, 2 bytes each |
/// | `TSRC` | by product, the positions of its transactions in the order of the source: 4 bytes each |
///
/// Opening reads the rates and the products' offsets; transactions are read when their product is requested. The file
/// is untrusted: an offset out of bounds or an invalid number is an error, never a trap.
///
/// `Sendable` because its properties are constants that borrow from read-only bytes.
package final class ResidentTrade: ResidentContent, @unchecked Sendable {
  /// The kind of the file; raise the row version with any change to its sections.
  package static let kind = ResidentKind(
    code: "TRAD", name: "trade book", fileName: "trade.resident", rowVersion: 3,
    remedy: RebuildCommand.trade)
  /// The feeds that it is made from.
  package static let feeds = Subject.trade.feeds
  /// Most currencies in a file: each feed may have its own.
  package static let maximumCurrencies = feeds.count * RateTable.maximumCurrencies

  /// The importer's counts.
  package struct Summary: Codable, Equatable, Sendable {
    /// The feeds with a copy.
    package var feeds: [Feed]
    /// Whether any of the data is sample data.
    package var sample: Bool

    /// Makes a summary.
    package init(feeds: [Feed], sample: Bool) { (self.feeds, self.sample) = (feeds, sample) }

    /// The records that could not be read, of feeds with a property.
    func skipped(_ isWanted: (FeedName) -> Bool) -> UInt64 {
      feeds.reduce(0) { isWanted($1.feed) ? $0 &+ $1.skipped : $0 }
    }

    /// The counts of one feed.
    package struct Feed: Codable, Equatable, Sendable {
      /// Which.
      package var feed: FeedName
      /// Good records, without repetitions.
      package var records: UInt64
      /// Records that were skipped as bad.
      package var skipped: UInt64

      /// Makes the counts.
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
  /// The number of products.
  package let productCount: Int
  /// The number of transactions.
  package let transactionCount: Int
  let products: ByteTable
  let offsets: Column
  let transactions: UnsafeRawBufferPointer
  let sourcePositions: Column
  private let leftOut: Column
  /// The rates that could not be read.
  package let leftOutRates: LeftOutRates
  /// The number of transactions that could not be read, and of which the product is not known either.
  package let leftOutOfList: UInt64

  /// Reads the sections of `file`.
  ///
  /// - Complexity: O(products + rates · log rates).
  package init(file: ResidentFile) throws(ResidentError) {
    self.file = file
    let reader = TradeReader(file)
    summary = try file.value(in: .tradeSummary)
    currencies = try reader.currencies()
    rates = try reader.rates(currencies)
    leftOutRates = try reader.leftOutRates(currencies, beside: rates)
    transactions = try reader.records(.transactions)
    transactionCount = transactions.count / TradeRecord.size
    sourcePositions = try reader.sourcePositions(of: transactionCount)
    (products, offsets) = try reader.products(of: transactionCount)
    productCount = products.count
    leftOut = try reader.leftOut(of: products.count)
    let known = (0..<products.count).reduce(UInt64(0)) { [leftOut] in $0 + UInt64(leftOut[$1]) }
    let unread = summary.skipped { $0 != .rates }
    leftOutOfList = unread - min(known, unread)
  }

  /// The number of rates that could not be read.
  package var leftOutRateCount: UInt64 { summary.skipped { $0 == .rates } }

  /// How many records of the product at `index`, which is below ``productCount``, could not be read.
  package func leftOut(ofProductAt index: Int) -> UInt64 { UInt64(leftOut[index]) }

  /// The number of good records of all feeds.
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
  static let leftOutOfProducts: FourBytes = "PLFT"
  static let leftOutRates: FourBytes = "RLFT"
  static let leftOutStops: FourBytes = "NLFT"
}

extension ResidentTrade {
  /// The index of `product` in alphabetical order; `nil` if there is no such product.
  ///
  /// - Complexity: O(log P) for P products.
  package func index(of product: ProductCode) -> Int? {
    let index = partitionPoint(0..<productCount) { ProductCode.precedes(products[$0], product.text.utf8) }
    return index < productCount && products[index].elementsEqual(product.text.utf8) ? index : nil
  }

  /// The code of the product at `index`, which is below ``productCount``.
  ///
  /// - Throws: ``ResidentError`` if the file holds no code there.
  package func product(at index: Int) throws(ResidentError) -> ProductCode {
    do {
      return try ProductCode(products.text(at: index))
    } catch {
      throw file.error(.contents("section \(FourBytes.products): entry \(index): \(error)"))
    }
  }

  /// How many transactions the product at `index` has; 0 if there is no such product.
  package func transactionCount(ofProductAt index: Int) -> Int { positions(ofProductAt: index).count }

  /// The transactions of the product at `index`, sorted by currency, amount and written scale.
  ///
  /// - Throws: ``ResidentError`` if the file holds no transaction where one should be.
  /// - Complexity: O(n) for its n transactions, regardless of the size of the book.
  package func transactions(ofProductAt index: Int) throws(ResidentError) -> [Transaction] {
    guard index >= 0, index < productCount else { return [] }
    let product = try product(at: index)
    var found: [Transaction] = []
    found.reserveCapacity(transactionCount(ofProductAt: index))
    for position in positions(ofProductAt: index) { found.append(try transaction(at: position, of: product)) }
    return found
  }

  /// The positions of the transactions of the product at `index`; empty if there is no such product.
  ///
  /// Always a range of the book: a file that is overwritten after it was opened may have any offsets (decision 19).
  package func positions(ofProductAt index: Int) -> Range<Int> {
    guard index >= 0, index < productCount else { return 0..<0 }
    let end = min(offsets[index + 1], transactionCount)
    return min(offsets[index], end)..<end
  }

  /// The transaction of `product` at a position of ``positions(ofProductAt:)``.
  ///
  /// - Throws: ``ResidentError`` if the file holds no transaction there.
  /// - Complexity: O(1).
  package func transaction(at position: Int, of product: ProductCode) throws(ResidentError) -> Transaction {
    let record = try record(at: position)
    return Transaction(product: product, amount: record.value, currency: currencies[record.currency])
  }

  func record(at position: Int) throws(ResidentError) -> TradeRecord {
    if let record = TradeRecord(transactions, at: position), record.currency < currencies.count { return record }
    throw file.error(.contents("section \(FourBytes.transactions): record \(position) is not a transaction"))
  }

  /// The position of the transaction that the source lists as number `entry`, from 0, of the product at `index`.
  ///
  /// - Throws: ``ResidentError`` if the file leads outside the product's transactions.
  /// - Complexity: O(1).
  package func sourcePosition(of entry: Int, ofProductAt index: Int) throws(ResidentError) -> Int {
    let range = positions(ofProductAt: index)
    let position = range.lowerBound + sourcePositions[range.lowerBound + entry]
    guard range.contains(position) else {
      throw file.error(
        .contents("section \(FourBytes.sourcePositions): entry \(range.lowerBound + entry) is out of range"))
    }
    return position
  }

  /// The positions of the transactions of the product at `index`, in the order of the source.
  ///
  /// - Throws: ``ResidentError`` if the file leaves one out.
  /// - Complexity: O(n) for its n transactions.
  package func sourceOrder(ofProductAt index: Int) throws(ResidentError) -> [Int] {
    let range = positions(ofProductAt: index)
    var isMissing = [Bool](repeating: true, count: range.count)
    var order: [Int] = []
    order.reserveCapacity(range.count)
    for entry in range {
      let position = sourcePositions[entry]
      guard position < range.count, isMissing[position] else {
        let problem = "section \(FourBytes.sourcePositions): entry \(entry) is out of range or twice there"
        throw file.error(.contents(problem))
      }
      isMissing[position] = false
      order.append(position)
    }
    return order
  }
}
