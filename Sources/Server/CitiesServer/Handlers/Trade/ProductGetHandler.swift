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
    let trade = generation.data
    let currency = try trade.currency(params.in ?? ProductList.defaultCurrency, "in")
    guard let index = (try? ProductCode(params.sku)).flatMap(trade.index) else {
      throw WireError(.notFound, "no product has the code \"\(params.sku.excerpt(64))\"")
    }
    let converter = CurrencyConverter(trade.rates, to: currency, rounding: Rounding(params.rounding))
    return .sliced(
      ProductGetWork(try trade.code(ofProductAt: index), index, converter, page, params.explain, generation, desk))
  }
}

/// Converts the transactions of one product one after the other, writes those of the page, then the paths.
final class ProductGetWork: SlicedWork {
  private let product: ProductCode
  private var converter: CurrencyConverter
  /// Where the transactions stand in the book, and which of them are in the page.
  private let positions: Range<Int>
  private let page: Range<Int>
  private let explains: Bool
  private let generation: ServedGeneration<ResidentTrade>
  private let desk: TradeDesk
  private let sources: Provenance
  private var next: Int
  private var sum = ProductSum()
  private var rows = RowBuffer()
  private var paths = RowBuffer()
  private var unwritten: ArraySlice<ConversionPath>?

  init(
    _ product: ProductCode, _ index: Int, _ converter: CurrencyConverter, _ page: Page, _ explain: Bool?,
    _ generation: ServedGeneration<ResidentTrade>, _ desk: TradeDesk
  ) {
    (self.product, self.converter, self.generation, self.desk) = (product, converter, generation, desk)
    positions = generation.data.positions(ofProductAt: index)
    let indexes = page.indexes(of: positions.count)
    self.page = positions.lowerBound + indexes.lowerBound..<positions.lowerBound + indexes.upperBound
    explains = explain ?? false
    sources = desk.sources(of: generation.data)
    next = positions.lowerBound
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while next < positions.upperBound {
      let steps = try takeTransaction()
      if slice.isOver(after: steps) { return false }
    }
    var rest = unwritten ?? converter.paths[...]
    while let path = rest.popFirst() {
      try paths.append(desk) { $0.writePath(path) }
      unwritten = rest
      if slice.isOver(after: 1 + path.steps.count / Self.writtenPerStep) { return rest.isEmpty }
    }
    return true
  }

  /// Steps of a path that are written, or traced, in one step of a slice.
  private static let writtenPerStep = 8
  private static let tracedPerStep = 2

  /// Converts the next transaction, and returns what that took in steps of a slice.
  private func takeTransaction() throws(WireError) -> Int {
    var steps = 1
    let row = try converter.row(generation.data.sale(at: next, of: product), steps: &steps)
    sum.add(row)
    if page.contains(next) {
      let trace = explains ? trace(row) : nil
      steps += (trace?.count ?? 0) / Self.tracedPerStep
      try rows.append(desk) { $0.writeSale(row, trace: trace) }
    }
    next += 1
    return steps
  }

  /// What an amount was on the way.
  ///
  /// It may need more than 38 digits there although the last value does not: then there is no trace.
  private func trace(_ row: ConvertedTransaction) -> [ExactDecimal]? {
    guard case .converted = row.outcome, let path = converter.path(from: row.transaction.currency) else { return nil }
    return try? path.trace(row.transaction.amount, rounding: converter.rounding).map(\.value)
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    reply.writeMap(count: sources.asOf == nil ? 8 : 9)
    reply.writeKey("sku")
    reply.writeText(product.text)
    reply.writeRows("rows", rows)
    try reply.writeAsOf(of: sources)
    reply.writeKey("count")
    reply.writeUnsigned(UInt64(positions.count))
    reply.writeRows("paths", paths)
    reply.writeKey("total")
    reply.writeTotal(sum.total, in: converter.target)
    try reply.writeSources(sources)
    reply.writeKey("rounding")
    reply.writeText(converter.rounding.mode.rawValue)
    reply.writeKey("generation")
    reply.writeEncoded(generation.encodedName)
  }
}
