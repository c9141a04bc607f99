import Base
package import Money

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
  package func transactionCount(ofProductAt index: Int) -> Int {
    guard index >= 0, index < productCount else { return 0 }
    return offsets[index + 1] - offsets[index]
  }

  /// The transactions of the product at `index`, by currency, amount and written scale.
  ///
  /// - Throws: ``ResidentError`` if the file holds no transaction where one should be.
  /// - Complexity: O(n) for its own n transactions, of which each is read once, whatever the size of the book.
  package func transactions(ofProductAt index: Int) throws(ResidentError) -> [Transaction] {
    guard index >= 0, index < productCount else { return [] }
    let product = try product(at: index)
    var found: [Transaction] = []
    found.reserveCapacity(transactionCount(ofProductAt: index))
    for position in positions(ofProductAt: index) { found.append(try transaction(at: position, of: product)) }
    return found
  }

  /// Where the transactions of the product at `index` stand among all; empty if there is no such product.
  package func positions(ofProductAt index: Int) -> Range<Int> {
    guard index >= 0, index < productCount else { return 0..<0 }
    return offsets[index]..<offsets[index + 1]
  }

  /// The transaction at a position of ``positions(ofProductAt:)``, which is one of `product`.
  ///
  /// - Throws: ``ResidentError`` if the file holds no transaction there.
  /// - Complexity: O(1).
  package func transaction(at position: Int, of product: ProductCode) throws(ResidentError) -> Transaction {
    guard let record = TradeRecord(transactions, at: position), record.currency < currencies.count else {
      throw file.error(.contents("section \(FourBytes.transactions): record \(position) is no transaction"))
    }
    return Transaction(product: product, amount: record.value, currency: currencies[record.currency])
  }

  /// Where the transaction stands that the source lists at `entry`, from 0, among those of the product at `index`.
  ///
  /// - Throws: ``ResidentError`` if the file leads out of the product's transactions.
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

  /// The positions of the transactions of the product at `index` in the order in which the source lists them.
  ///
  /// - Throws: ``ResidentError`` if the file leaves one out.
  /// - Complexity: O(n) for its own n transactions.
  package func sourceOrder(ofProductAt index: Int) throws(ResidentError) -> [Int] {
    guard index >= 0, index < productCount else { return [] }
    let range = offsets[index]..<offsets[index + 1]
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

  /// The product at `index`: its rows in `currency`, and their total.
  ///
  /// - Throws: as ``transactions(ofProductAt:)``.
  /// - Complexity: O(n) for its own n transactions.
  package func statement(
    ofProductAt index: Int, in currency: CurrencyCode, rounding: Rounding
  ) throws(ResidentError) -> ProductStatement {
    ProductStatement(
      try product(at: index), try transactions(ofProductAt: index), rates, in: currency, rounding: rounding)
  }

  /// The total of each product in `currency`, in alphabetical order.
  ///
  /// - Throws: as ``transactions(ofProductAt:)``.
  /// - Complexity: O(N) for all N transactions: once a generation and currency.
  package func totals(in currency: CurrencyCode, rounding: Rounding) throws(ResidentError) -> [ProductTotal] {
    var converter = CurrencyConverter(rates, to: currency, rounding: rounding)
    var totals: [ProductTotal] = []
    totals.reserveCapacity(productCount)
    for index in 0..<productCount {
      totals.append(ProductTotal(try transactions(ofProductAt: index), &converter))
    }
    return totals
  }
}
