import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// `product.get`: the transactions of one product, converted, with their total.
final class ProductGetHandler: RequestHandler {
  let method = ProductGet.method
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(ProductGet.self)
    let page = try Page(
      offset: params.offset, limit: params.limit, default: ProductGet.defaultLimit, maximum: ProductGet.maximumLimit)
    let generation = try desk.generation(for: request, named: params.generation)
    let (trade, name) = (generation.data, generation.name)
    let currency = try trade.currency(params.in ?? ProductList.defaultCurrency, "in")
    guard let index = (try? ProductCode(params.sku)).flatMap(trade.index) else {
      throw WireError(.notFound, "no product has the code \"\(params.sku.prefix(64))\"")
    }
    let (sources, rounding) = (desk.sources(of: trade), Rounding(params.rounding))
    let explains = params.explain ?? false
    let count = trade.transactionCount(ofProductAt: index)
    return try desk.answer(request, into: &reply, cost: count * trade.pathCost) { () throws(WireError) in
      let statement: ProductStatement
      do throws(ResidentError) {
        statement = try trade.statement(ofProductAt: index, in: currency, rounding: rounding)
      } catch {
        throw WireError(error)
      }
      return ProductGet.Reply(
        sku: statement.product.text, rows: Self.rows(statement, page, explains ? rounding : nil),
        count: UInt64(count), paths: statement.paths.map { ConversionRow($0) },
        total: TotalRow(statement.total, in: currency), rounding: rounding.mode, sources: sources, generation: name)
    }
  }

  /// The rows of a page, with what their amounts were on the way if `explained` says how that was rounded.
  private static func rows(_ statement: ProductStatement, _ page: Page, _ explained: Rounding?) -> [ProductGet.Row] {
    let paths = Dictionary(uniqueKeysWithValues: statement.paths.map { ($0.from, $0) })
    return page.indexes(of: statement.rows.count).map { index in
      let row = statement.rows[index]
      guard let explained, case .converted = row.outcome, let path = paths[row.transaction.currency] else {
        return ProductGet.Row(row, trace: nil)
      }
      // An amount on the way may need more than 38 digits although the last one does not: then there is no trace.
      let trace = try? path.trace(row.transaction.amount, rounding: explained).map(\.value)
      return ProductGet.Row(row, trace: trace)
    }
  }
}
