import CBOR
import CitiesProtocol
import Coroutines
import FrameService
import Money
import Resident

/// `product.list`: all products with their totals, which are computed once per generation and currency.
final class ProductListHandler: RequestHandler {
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ params: ProductList, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let page = try Page(
      offset: params.offset, limit: params.limit, default: ProductList.defaultLimit, maximum: ProductList.maximumLimit)
    let generation = try desk.generation(for: caller, called: params.generation)
    let keys = try keys(params, generation)
    let range = page.indexes(of: generation.data.productCount)
    return .computed(from: [generation]) { [desk] budget in try await Self.list(keys, range, generation, desk, budget) }
  }

  private func keys(
    _ params: ProductList, _ generation: ServedGeneration<ResidentTrade>
  ) throws(WireError) -> [TradeColumns.Key] {
    let asked = params.in ?? [ProductList.defaultCurrency]
    guard (1...ProductList.maximumCurrencies).contains(asked.count) else {
      throw .invalidParam("in", "expected 1 to \(ProductList.maximumCurrencies) currencies, found \(asked.count)")
    }
    var keys: [TradeColumns.Key] = []
    for text in asked {
      let key = TradeColumns.Key(
        serial: generation.serial, currency: try generation.data.currency(text, "in"),
        rounding: Rounding(params.rounding))
      guard !keys.contains(key) else { throw .invalidParam("in", "\(key.currency) is given twice") }
      keys.append(key)
    }
    return keys
  }

  /// Completes the columns one after the other, then writes the products of `page`.
  static func list(
    _ keys: [TradeColumns.Key], _ page: Range<Int>, _ generation: ServedGeneration<ResidentTrade>, _ desk: TradeDesk,
    _ budget: Budget
  ) async throws -> ResultWriter {
    let trade = generation.data
    // Copies only the page's part of each column, so that a whole column can be evicted.
    var totals: [[ProductTotal]] = []
    for key in page.isEmpty ? [] : keys {
      let column = desk.columns.column(key, of: trade)
      try await desk.columns.finish(column, budget)
      totals.append(Array(column.totals[page]))
    }
    let rows = try await rows(keys, totals, page, generation, budget)
    let sources = desk.sources(of: trade)
    let leftOut = trade.leftOutOfList
    return mapWriter(ProductList.Reply.CodingKeys.self) { (map) throws(WireError) in
      rows.write(.rows, into: &map)
      map.write(.asOf, sources.asOf)
      map.write(.total, trade.productCount)
      try map.write(.sources, encoding: sources)
      map.write(.leftOut, leftOut == 0 ? nil : leftOut)
      map.write(.generation, generation.name)
    }
  }

  /// The cost in steps of a budget of writing a remainder or a total.
  private static let stepsPerTotal = 8

  private static func rows(
    _ keys: [TradeColumns.Key], _ totals: [[ProductTotal]], _ page: Range<Int>,
    _ generation: ServedGeneration<ResidentTrade>, _ budget: Budget
  ) async throws -> RowBuffer {
    let trade = generation.data
    var rows = RowBuffer()
    for (row, index) in page.enumerated() {
      let product = try trade.code(ofProductAt: index)
      try rows.append(of: generation) { writer in
        writer.writeMap(ProductList.Row.CodingKeys.self) { map in
          map.write(.sku, product.text)
          map.write(.count, trade.transactionCount(ofProductAt: index))
          map.write(.totals, arrayOf: keys.indices) { $1.writeTotal(totals[$0][row], in: keys[$0].currency) }
        }
      }
      try await budget.check(64 + stepsPerTotal * totals.reduce(0) { $0 + 1 + $1[row].remainders.count })
    }
    return rows
  }
}
