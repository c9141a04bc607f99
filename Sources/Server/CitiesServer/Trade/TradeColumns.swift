import CitiesProtocol
import Coroutines
import Money
import Resident

/// The totals of all products in the currencies that were requested lately: each computed once per generation.
///
/// An unfinished column is shared by all requests for it: each computes a part in its own slices, and the next one
/// continues where the last one stopped. It is dropped when no request uses it any more. All of it belongs to the
/// loop's thread.
final class TradeColumns {
  /// Columns that are kept: two requests' worth, at 80 bytes per product each.
  static let maximum = 2 * ProductList.maximumCurrencies

  /// Which column.
  ///
  /// A generation is named by its serial number, not by its content: totals of a file that was changed in place must
  /// not be those of a sound file with the same name of a generation.
  struct Key: Hashable {
    var serial: UInt64
    var currency: CurrencyCode
    var rounding: Rounding
  }

  private struct Unfinished {
    weak var column: TradeColumn?
  }

  /// The finished columns, the one that was used last at the end.
  private var finished: [TradeColumn] = []
  private var unfinished: [Key: Unfinished] = [:]
  /// The number of columns computed so far, for tests.
  private(set) var computed = 0

  /// The number of finished columns, for tests.
  var kept: Int { finished.count }
  /// The number of unfinished columns, for tests.
  var underway: Int { unfinished.values.count { $0.column != nil } }

  /// The column of `trade`: finished, in the making, or a new one.
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

  /// Computes what is left of `column`, as others may do meanwhile.
  ///
  /// - Throws: `too-expensive`, or `internal` for a damaged book: all requests for the column get the error;
  ///   ``Stopped``.
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
  /// Transactions of one step.
  private static let transactionsPerStep = 8

  let key: TradeColumns.Key
  /// The totals of the products done so far, in the order of products.
  private(set) var totals: [ProductTotal] = []
  /// The book; nil once the column is finished, which would keep an older file open otherwise.
  private var book: ResidentTrade?
  private let productCount: Int
  private var converter: CurrencyConverter
  private var positions: Range<Int>
  private var product: ProductCode?
  private var sum = ProductSum()
  private var failure: WireError?

  init(_ key: TradeColumns.Key, _ trade: ResidentTrade) {
    (self.key, book, productCount) = (key, trade, trade.productCount)
    converter = CurrencyConverter(trade.rates, to: key.currency, rounding: key.rounding)
    positions = trade.positions(ofProductAt: 0)
  }

  /// Whether there is a total of every product.
  var isFinished: Bool { totals.count == productCount }

  /// Takes the next few transactions, of one product.
  ///
  /// - Returns: what they took, in steps of a budget.
  /// - Throws: as ``TradeColumns/finish(_:_:)``, and the same again if it is called after an error.
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
    (sum, product) = (ProductSum(), nil)
    positions = trade.positions(ofProductAt: totals.count)
    if isFinished { book = nil }
  }
}
