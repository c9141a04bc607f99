import CBOR
import CitiesProtocol
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
    let generation = try desk.generation(for: caller, named: params.generation)
    return .sliced(ProductListWork(try keys(params, generation), page, generation, desk))
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
}

/// Waits for the columns, one after the other, and drives those that are not finished; then writes the page.
final class ProductListWork: SlicedWork {
  private let keys: [TradeColumns.Key]
  private let generation: ServedGeneration<ResidentTrade>
  private let desk: TradeDesk
  private let sources: Provenance
  /// The products of the page.
  private let page: Range<Int>
  private var column: TradeColumn?
  /// The page's part of each finished column: a whole one is not kept from being dropped.
  private var totals: [[ProductTotal]] = []
  private var rows = RowBuffer()

  init(
    _ keys: [TradeColumns.Key], _ page: Page, _ generation: ServedGeneration<ResidentTrade>, _ desk: TradeDesk
  ) {
    (self.keys, self.generation, self.desk) = (keys, generation, desk)
    sources = desk.sources(of: generation.data)
    self.page = page.indexes(of: generation.data.productCount)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    if page.isEmpty { return true }
    while totals.count < keys.count {
      let column = column ?? desk.columns.column(keys[totals.count], of: generation.data)
      self.column = column
      guard try desk.columns.advance(column, &slice) else { return false }
      totals.append(Array(column.totals[page]))
      self.column = nil
    }
    while rows.count < page.count {
      let steps = try addRow(rows.count)
      if slice.isOver(after: steps) { return rows.count == page.count }
    }
    return true
  }

  /// Remainders and totals that are written in one step of a slice.
  private static let writtenPerStep = 8

  private func addRow(_ row: Int) throws(WireError) -> Int {
    let trade = generation.data
    let index = page.lowerBound + row
    let product = try trade.code(ofProductAt: index)
    try rows.append(of: generation) { writer in
      writer.writeMap(count: 3)
      writer.writePair("sku", product.text)
      writer.writePair("count", UInt64(trade.transactionCount(ofProductAt: index)))
      writer.writeKey("totals")
      writer.writeArray(count: keys.count)
      for (key, column) in zip(keys, totals) { writer.writeTotal(column[row], in: key.currency) }
    }
    return 1 + totals.reduce(0) { $0 + 1 + $1[row].remainders.count } / Self.writtenPerStep
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    reply.writeMap(count: sources.asOf == nil ? 4 : 5)
    reply.writeRows("rows", rows)
    try reply.writeAsOf(of: sources)
    reply.writePair("total", UInt64(generation.data.productCount))
    try reply.writeSources(sources)
    reply.writeGeneration(generation.digits)
  }
}
