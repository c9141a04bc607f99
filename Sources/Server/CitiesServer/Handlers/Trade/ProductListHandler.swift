import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// `product.list`: all products with their totals, which are computed once a generation and currency.
final class ProductListHandler: RequestHandler {
  let method = ProductList.method
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(ProductList.self)
    let page = try Page(
      offset: params.offset, limit: params.limit, default: ProductList.defaultLimit, maximum: ProductList.maximumLimit)
    let generation = try desk.generation(for: request, named: params.generation)
    let (trade, name) = (generation.data, generation.name)
    let keys = try keys(params, trade)
    let columns = desk.columns
    let rows = page.indexes(of: trade.productCount)
    let isReady = rows.isEmpty || keys.allSatisfy { columns.has($0) }
    let sources = desk.sources(of: trade)
    let cost = isReady ? rows.count * keys.count : keys.count * (trade.transactionCount + trade.productCount)
    return try desk.answer(request, into: &reply, cost: cost) { () throws(WireError) in
      ProductList.Reply(
        rows: try Self.rows(rows, keys, columns, trade), total: UInt64(trade.productCount), sources: sources,
        generation: name)
    }
  }

  private func keys(_ params: ProductList, _ trade: ResidentTrade) throws(WireError) -> [TradeColumns.Key] {
    let asked = params.in ?? [ProductList.defaultCurrency]
    guard (1...ProductList.maximumCurrencies).contains(asked.count) else {
      throw .invalidParam("in", "expected 1 to \(ProductList.maximumCurrencies) currencies, found \(asked.count)")
    }
    var keys: [TradeColumns.Key] = []
    for text in asked {
      let key = TradeColumns.Key(
        generation: trade.generation, currency: try trade.currency(text, "in"), rounding: Rounding(params.rounding))
      guard !keys.contains(key) else { throw .invalidParam("in", "\(key.currency) stands there twice") }
      keys.append(key)
    }
    return keys
  }

  private static func rows(
    _ indexes: Range<Int>, _ keys: [TradeColumns.Key], _ columns: TradeColumns, _ trade: ResidentTrade
  ) throws(WireError) -> [ProductList.Row] {
    guard !indexes.isEmpty else { return [] }
    var totals: [(currency: CurrencyCode, column: [ProductTotal])] = []
    for key in keys { totals.append((key.currency, try columns.column(key, of: trade))) }
    var rows: [ProductList.Row] = []
    for index in indexes {
      do throws(ResidentError) {
        rows.append(
          ProductList.Row(
            sku: try trade.product(at: index).text, count: UInt64(trade.transactionCount(ofProductAt: index)),
            totals: totals.map { TotalRow($0.column[index], in: $0.currency) }))
      } catch {
        throw WireError(error)
      }
    }
    return rows
  }
}
