import CitiesProtocol
import Money

extension ResidentTrade {
  /// Checks what opening takes on trust: that the routes are the best ones, and that products and transactions are what
  /// they should be and stand in their order.
  ///
  /// A file that was written by ``image(of:summary:fingerprint:)`` and has its checksums passes; this is for whoever doubts
  /// either.
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
