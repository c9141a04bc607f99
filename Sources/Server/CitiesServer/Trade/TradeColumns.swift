import CitiesProtocol
import Coroutines
import Money
import Resident

/// The totals of all products in recently requested currencies: each is computed once per generation.
///
/// An unfinished column is shared by all requests for it: each computes a part in its own slices, and the next one
/// continues where the last one stopped. It is dropped when no request uses it any more. Only the loop thread uses
/// these columns.
final class TradeColumns {
  /// The maximum number of columns in the cache: enough for two requests, at 48 bytes per product and column.
  static let maximum = 2 * ProductList.maximumCurrencies

  /// The key of a column.
  ///
  /// It has the serial of the generation, not the generation's name: a file that was changed in place must not share
  /// totals with an intact file of the same name.
  struct Key: Hashable {
    var serial: UInt64
    var currency: CurrencyCode
    var rounding: Rounding
  }

  struct Unfinished {
    weak var column: TradeColumn?
  }

  /// The finished columns, least recently used first.
  private(set) var finished: [TradeColumn] = []
  private(set) var unfinished: [Key: Unfinished] = [:]
  /// The number of columns computed so far, for tests.
  private(set) var computed = 0

  /// The column of `trade`: a finished, an unfinished or a new one.
  ///
  /// - Complexity: O(columns).
  func column(_ key: Key, of trade: ResidentTrade) -> TradeColumn {
    if let index = finished.firstIndex(where: { $0.key == key }) {
      let column = finished.remove(at: index)
      finished.append(column)
      return column
    }
    if let column = unfinished[key]?.column { return column }
    unfinished = unfinished.filter { $0.value.column != nil }
    let column = TradeColumn(key, trade)
    unfinished[key] = Unfinished(column: column)
    return column
  }

  /// Computes the rest of `column`, to which other requests may contribute.
  ///
  /// - Throws: `too-expensive`, or `internal` for a corrupt book, to all requests for the column; ``Stopped``.
  func finish(_ column: TradeColumn, _ budget: Budget) async throws {
    while !column.isFinished {
      let steps: Int
      do throws(WireError) { steps = try column.step() } catch {
        unfinished[column.key] = nil
        throw error
      }
      if column.isFinished { keep(column) } else { try await budget.check(steps) }
    }
  }

  private func keep(_ column: TradeColumn) {
    computed += 1
    unfinished[column.key] = nil
    finished.append(column)
    if finished.count > Self.maximum { finished.removeFirst() }
  }
}

/// The totals of all products in one currency, computed a few transactions at a time.
final class TradeColumn {
  /// The number of transactions in a step.
  private static let transactionsPerStep = 8

  let key: TradeColumns.Key
  /// The totals of the products so far, in product order.
  private(set) var totals: [ProductTotal] = []
  /// The book; `nil` once the column is finished, as it would otherwise keep an older file open.
  private var book: ResidentTrade?
  private let productCount: Int
  private var converter: CurrencyConverter
  private var positions: Range<Int>
  private var product: ProductCode?
  private var sum: ProductSum
  private var failure: WireError?

  init(_ key: TradeColumns.Key, _ trade: ResidentTrade) {
    (self.key, book, productCount) = (key, trade, trade.productCount)
    converter = CurrencyConverter(
      trade.rates, leftOut: trade.leftOutRates, to: key.currency, rounding: key.rounding)
    sum = ProductSum(places: converter.places, leftOut: trade.leftOut(ofProductAt: 0))
    positions = trade.positions(ofProductAt: 0)
  }

  var isFinished: Bool { totals.count == productCount }

  /// Converts the next few transactions of one product.
  ///
  /// - Returns: The cost in steps of a budget.
  /// - Throws: The errors of ``TradeColumns/finish(_:_:)``; after an error, the same one again.
  func step() throws(WireError) -> Int {
    if let failure { throw failure }
    do throws(WireError) { return try takeTransactions() } catch {
      failure = error
      throw error
    }
  }

  private func takeTransactions() throws(WireError) -> Int {
    guard let trade = book else { return 0 }
    var steps = 64
    let taken = positions.prefix(Self.transactionsPerStep)
    let product = try currentProduct(of: trade)
    for position in taken {
      sum.add(try converter.row(trade.sale(at: position, of: product), steps: &steps))
    }
    positions = taken.upperBound..<positions.upperBound
    if positions.isEmpty { finishProduct(of: trade) }
    return steps
  }

  private func currentProduct(of trade: ResidentTrade) throws(WireError) -> ProductCode {
    if let product { return product }
    let code = try trade.code(ofProductAt: totals.count)
    product = code
    return code
  }

  private func finishProduct(of trade: ResidentTrade) {
    totals.append(sum.total)
    (sum, product) = (ProductSum(places: converter.places, leftOut: trade.leftOut(ofProductAt: totals.count)), nil)
    positions = trade.positions(ofProductAt: totals.count)
    if isFinished { book = nil }
  }
}
