import CBOR
import CitiesProtocol
import Coroutines
import FrameService
import Money
import Resident

/// `product.get`: the transactions of one product, converted, with their total.
final class ProductGetHandler: RequestHandler {
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ params: ProductGet, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let page = try Page(
      offset: params.offset, limit: params.limit, default: ProductGet.defaultLimit, maximum: ProductGet.maximumLimit)
    let generation = try desk.generation(for: caller, called: params.generation)
    let trade = generation.data
    let currency = try trade.currency(params.in ?? ProductList.defaultCurrency, "in")
    guard ProductGet.codeLength.contains(params.sku.utf8.count) else {
      throw .invalidParam(
        "sku", "expected 1 to \(ProductGet.codeLength.upperBound) bytes, found \(params.sku.utf8.count)")
    }
    guard let index = (try? ProductCode(params.sku)).flatMap(trade.index) else {
      throw WireError(.notFound, "no product has the code \"\(params.sku.excerpt(64))\"")
    }
    let converter = CurrencyConverter(
      trade.rates, leftOut: trade.leftOutRates, to: currency, rounding: Rounding(params.rounding))
    let (product, sources) = (try trade.code(ofProductAt: index), desk.sources(of: trade))
    return .computed(from: [generation]) { budget in
      let sales = try await ProductSales(product, index, converter, page, params, generation, sources, budget)
      return { (reply: inout CBORWriter) throws(WireError) in try sales.append(to: &reply) }
    }
  }
}

/// The transactions of one product, converted and totalled, with the rows of a page and the paths of conversions.
struct ProductSales: ~Copyable {
  private let product: ProductCode
  private let index: Int
  private var converter: CurrencyConverter
  /// The positions of the transactions in the book, ordered by currency and amount.
  private let positions: Range<Int>
  /// The requested rows, as indices in the requested order.
  private let page: Range<Int>
  private let order: ProductGet.Sort
  private let explains: Bool
  private let generation: ServedGeneration<ResidentTrade>
  private let sources: Provenance
  private var merge = AmountMerge()
  private var sum: ProductSum
  private var rows = RowBuffer()
  private var paths = RowBuffer()

  /// Converts all transactions, and writes those on the page.
  ///
  /// - Throws: `too-expensive`, `frame-too-large`, or `internal` for a corrupt book; ``Stopped``.
  init(
    _ product: ProductCode, _ index: Int, _ converter: CurrencyConverter, _ page: Page, _ params: ProductGet,
    _ generation: ServedGeneration<ResidentTrade>, _ sources: Provenance, _ budget: Budget
  ) async throws {
    (self.product, self.index, self.converter, self.generation) = (product, index, converter, generation)
    positions = generation.data.positions(ofProductAt: index)
    sum = ProductSum(places: converter.places, leftOut: generation.data.leftOut(ofProductAt: index))
    self.page = page.indexes(of: positions.count)
    order = params.sort ?? .source
    explains = params.explain ?? false
    self.sources = sources
    for position in positions { try await budget.check(try add(position)) }
    // The order by amount is merged from the start: rows before the page are skipped.
    let start = order == .amount && !self.page.isEmpty ? 0 : self.page.lowerBound
    for row in start..<self.page.upperBound { try await budget.check(try write(row)) }
    for path in self.converter.paths {
      let leftOut = self.converter.leftOutRates(from: path.from)
      try paths.append(of: generation) { $0.writePath(path, leftOut: leftOut) }
      try await budget.check(64 + Self.stepsPerWritten * path.steps.count)
    }
  }

  /// The cost in steps of a budget of writing a step of a path, and of tracing it.
  private static let (stepsPerWritten, stepsPerTraced) = (8, 32)

  /// Adds the transaction at a position to the total; returns the cost in steps of a budget.
  private mutating func add(_ position: Int) throws(WireError) -> Int {
    var steps = 64
    let row = try converter.row(generation.data.sale(at: position, of: product), steps: &steps)
    sum.add(row)
    if order == .amount { merge.append(row.transaction, at: position) }
    return steps
  }

  /// Writes the row with a number if it is on the page; returns the cost in steps of a budget.
  private mutating func write(_ number: Int) throws(WireError) -> Int {
    let sale = try sale(number)
    guard number >= page.lowerBound else { return 64 }
    var steps = 64
    let row = try converter.row(sale, steps: &steps)
    let trace = explains ? trace(row) : nil
    steps += (trace?.count ?? 0) * Self.stepsPerTraced
    try rows.append(of: generation) { $0.writeSale(row, trace: trace) }
    return steps
  }

  /// The transaction of a row; in the order by amount, rows must be requested in sequence.
  private mutating func sale(_ number: Int) throws(WireError) -> Transaction {
    let trade = generation.data
    switch order {
    case .currency: return try trade.sale(at: positions.lowerBound + number, of: product)
    case .source: return try trade.sale(at: trade.position(inSource: number, ofProductAt: index), of: product)
    case .amount:
      let product = product
      guard let sale = try merge.next({ (position) throws(WireError) in try trade.sale(at: position, of: product) })
      else { throw WireError(.internal, "the transactions of a product are fewer than the book says") }
      return sale
    }
  }

  /// The intermediate values of an amount.
  ///
  /// If one of them needs more than 38 digits, there is no trace, although the result may fit.
  private mutating func trace(_ row: ConvertedTransaction) -> [ExactDecimal]? {
    guard case .converted = row.outcome, let path = converter.path(from: row.transaction.currency) else { return nil }
    return try? path.trace(row.transaction.amount, rounding: converter.rounding).map(\.value)
  }

  /// Appends the reply.
  ///
  /// - Throws: `unavailable` if the book has gone out of service.
  borrowing func append(to reply: inout CBORWriter) throws(WireError) {
    try reply.writeMap(ProductGet.Reply.CodingKeys.self) { (map) throws(WireError) in
      map.write(.sku, product.text)
      rows.write(.rows, into: &map)
      map.write(.asOf, sources.asOf)
      map.write(.count, positions.count)
      paths.write(.paths, into: &map)
      map.write(.total) { $0.writeTotal(sum.total, in: converter.target) }
      try map.write(.sources, encoding: sources)
      map.write(.rounding, converter.rounding.rawValue)
      map.write(.generation, generation.name)
    }
  }
}

/// Transactions by amount, merged from the runs of each currency, which are already in that order.
///
/// - Complexity: O(currencies) per transaction; memory for one transaction per currency.
private struct AmountMerge {
  private struct Run {
    var head: Transaction
    var position: Int
    var end: Int
  }

  /// The runs in the order of their currencies.
  private var runs: [Run] = []

  /// Adds the next transaction of the book; those of one currency are adjacent.
  mutating func append(_ sale: Transaction, at position: Int) {
    guard let last = runs.indices.last, runs[last].head.currency == sale.currency else {
      return runs.append(Run(head: sale, position: position, end: position + 1))
    }
    runs[last].end = position + 1
  }

  /// Removes the smallest remaining transaction, of equal ones the first currency's; `sale` reads the one at a
  /// position.
  mutating func next(_ sale: (Int) throws(WireError) -> Transaction) throws(WireError) -> Transaction? {
    var least: Int?
    for index in runs.indices where runs[index].position < runs[index].end {
      if least.map({ runs[index].head.amount < runs[$0].head.amount }) ?? true { least = index }
    }
    guard let least else { return nil }
    let taken = runs[least].head
    runs[least].position += 1
    if runs[least].position < runs[least].end { runs[least].head = try sale(runs[least].position) }
    return taken
  }
}
