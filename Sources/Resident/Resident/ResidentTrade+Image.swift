import Base
import CBOR
import CitiesProtocol
package import Money

extension ResidentTrade {
  /// Writes down `book`: the importer's side.
  ///
  /// The same set of records gives the same sections in any order, but for the one that keeps that order.
  ///
  /// - Throws: what the encoder throws; it takes every summary.
  /// - Precondition: at most ``maximumCurrencies`` currencies, 2³² − 1 transactions and 4 GiB of codes.
  /// - Complexity: O(transactions + rates + V²) for V currencies with rates.
  package static func image(of book: TradeBook, summary: Summary, fingerprint: UInt64) throws -> ResidentImage {
    precondition(book.currencies.count <= maximumCurrencies, "too many currencies")
    let indexes = Dictionary(uniqueKeysWithValues: zip(book.currencies, book.currencies.indices))
    var rates: [UInt8] = []
    for rate in book.rates.rates {
      TradeRecord(rate.value, currency: indexes[rate.from] ?? 0, other: indexes[rate.to] ?? 0).append(to: &rates)
    }
    let sales = Sales(book.ledger, indexes)
    guard let products = ByteTable.encode(book.ledger.products.map { Array($0.text.utf8) }) else {
      preconditionFailure("too many codes")
    }
    return ResidentImage(
      kind: kind, fingerprint: fingerprint,
      sections: [
        (.tradeSummary, try CBOREncoder().encode(summary)),
        (.currencies, book.currencies.reduce(into: []) { $0.append(littleEndian: $1.packed) }),
        (.rates, rates), (.nextStops, book.rates.nextStops.reduce(into: []) { $0.append(littleEndian: $1) }),
        (.products, products), (.productOffsets, [UInt8](column: sales.offsets)), (.transactions, sales.records),
        (.sourcePositions, [UInt8](column: sales.sourcePositions)),
      ])
  }

  /// The transactions back to back, and the first of each product.
  private struct Sales {
    var records: [UInt8] = []
    var offsets: [UInt32] = [0]
    var sourcePositions: [UInt32] = []

    init(_ ledger: ProductLedger, _ indexes: [CurrencyCode: Int]) {
      records.reserveCapacity(ledger.count * TradeRecord.size)
      for product in ledger.products.indices {
        for sale in ledger[at: product] {
          TradeRecord(sale.amount, currency: indexes[sale.currency] ?? 0).append(to: &records)
        }
        sourcePositions += ledger.sourceOrder(at: product).map(UInt32.init)
        offsets.append(UInt32(records.count / TradeRecord.size))
      }
    }
  }
}

extension ResidentTrade {
  /// Entries that ``prove(_:)`` looks at: products and transactions side by side.
  package var proofSteps: Int { max(productCount, transactionCount) }

  /// Proves that the products and transactions at `steps` can be read.
  ///
  /// - Throws: ``ResidentError`` with the section and the first entry that cannot.
  /// - Complexity: O(k) in the steps, about 0.2 µs each.
  package func prove(_ steps: Range<Int>) throws(ResidentError) {
    for step in steps.clamped(to: 0..<productCount) { _ = try product(at: step) }
    for step in steps.clamped(to: 0..<transactionCount) {
      guard let record = TradeRecord(transactions, at: step), record.currency < currencies.count else {
        throw file.error(.contents("section \(FourBytes.transactions): record \(step) is not a transaction"))
      }
    }
  }
}

extension ResidentTrade {
  /// Checks what opening takes on trust: that the routes are the best ones, and that products and transactions are what
  /// they should be and are in their order.
  ///
  /// A file that was written by ``image(of:summary:fingerprint:)`` and has its checksums passes; this check trusts
  /// neither.
  ///
  /// - Throws: ``ResidentError`` with the section and the position of the first contradiction.
  /// - Complexity: O(N + V³) for N transactions and V currencies with rates.
  package func verify() throws(ResidentError) {
    guard let searched = try? RateTable(rates.rates), searched.nextStops == rates.nextStops else {
      throw contradiction(.nextStops, "the routes are not the best ones")
    }
    var last: ProductCode?
    var all: [Transaction] = []
    for index in 0..<productCount {
      let product = try product(at: index)
      if let last, last >= product { throw contradiction(.products, "entry \(index) does not ascend") }
      last = product
      let found = try transactions(ofProductAt: index)
      guard !found.isEmpty, ProductLedger(found)[product]?.elementsEqual(found, by: Self.isSame) == true else {
        throw contradiction(.transactions, "those of entry \(index) are missing or out of order")
      }
      all += try sourceOrder(ofProductAt: index).map { found[$0] }
    }
    try verifySummary()
    try verifyImage(TradeBook(rates: searched, ledger: ProductLedger(all)))
  }

  /// Every section must be what the records give, to the byte.
  private func verifyImage(_ book: TradeBook) throws(ResidentError) {
    let image: ResidentImage
    do {
      image = try Self.image(of: book, summary: summary, fingerprint: file.header.fingerprint)
    } catch {
      throw contradiction(.tradeSummary, "\(error)")
    }
    if let difference = image.difference(from: file) { throw file.error(.contents(difference)) }
  }

  private func verifySummary() throws(ResidentError) {
    let counts = [FeedName.rates: rates.rates.count, .transactions: transactionCount]
    for feed in summary.feeds where counts[feed.feed].map({ UInt64($0) != feed.records }) ?? true {
      throw contradiction(.tradeSummary, "\(feed.records) records of \(feed.feed.rawValue) are declared")
    }
  }

  /// Whether two transactions of a product are written alike: equal amounts may differ in scale.
  private static func isSame(_ left: Transaction, _ right: Transaction) -> Bool {
    left == right && left.amount.scale == right.amount.scale
  }

  private func contradiction(_ section: FourBytes, _ problem: String) -> ResidentError {
    file.error(.contents("section \(section): \(problem)"))
  }
}
