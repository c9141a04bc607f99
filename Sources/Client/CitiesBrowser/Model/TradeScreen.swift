internal import CitiesProtocol

/// The screen of trade: the products with their totals, and the transactions of one.
struct TradeScreen: SubjectScreen {
  /// The currency of all amounts, and when they are rounded.
  struct Terms: Hashable, Sendable {
    var currency = ProductList.defaultCurrency
    var rounding = RoundingMode.once
  }

  /// A query for the transactions of a product.
  struct Query: Hashable, Sendable {
    var sku: String
    var terms: Terms
  }

  private(set) var terms = Terms() {
    didSet {
      products.query = terms
      transactions?.query.terms = terms
    }
  }
  private(set) var products = PagedRows<Terms, ProductList.Row>(Terms())
  /// The transactions of the open product; `nil` while the products are listed.
  private(set) var transactions: PagedRows<Query, ProductGet.Row>?
  /// The total of the transactions, and their conversions.
  private(set) var total: ProductGet.Reply?
  /// The sources of the data.
  private(set) var sources: Provenance?
  /// The available currencies.
  private(set) var currencies = FetchedValue<Bool, [String]>()
  private var productCursor = ListCursor()
  private var transactionCursor = ListCursor()

  var isTyping: Bool { false }
  var isAtList: Bool { transactions == nil }
  var isWaitingForData: Bool { products.problem?.mayPass == true || transactions?.problem?.mayPass == true }

  private(set) var cursor: ListCursor {
    get { isAtList ? productCursor : transactionCursor }
    set { if isAtList { productCursor = newValue } else { transactionCursor = newValue } }
  }
  /// The number of lines.
  var count: Int { transactions?.total ?? products.total }
  /// The number of lines that fit on the screen, above the lines for the total.
  func height(_ layout: Layout) -> Int { isAtList ? layout.body.count : max(1, layout.body.count - remainders - 1) }
  /// Lines about amounts that are not in the total.
  var remainders: Int { min(2, total.map { Strings.leftOut(of: $0.total).count } ?? 0) }
  /// The open or selected product.
  var sku: String? { transactions?.query.sku ?? products[productCursor.selected]?.sku }

  /// Whether the list answers its query, or an error does, so that moves and Enter are about its rows.
  private var isCurrent: Bool {
    (transactions?.isCurrent ?? products.isCurrent) || (transactions?.problem ?? products.problem) != nil
  }

  // MARK: - Keys

  mutating func press(_ key: KeyPress, _ layout: Layout) -> Reaction {
    let move = ListCursor.move(for: key, isTyping: false)
    if !isCurrent, move != nil || key == .enter { return .waiting }
    if let move {
      self.move(move, layout)
      return .handled
    }
    switch key {
    case .enter where isAtList && products.problem?.code == .unavailable: return .perform(.loadSamples)
    case .enter where isAtList: return open()
    case .escape where !isAtList, .character("l") where !isAtList: transactions = nil
    case .character("c"), .alt("c"):
      currencies.setKey(true)
      if let known = currencies.value { return .over(.currencies(known, selected: terms.currency)) }
      guard let problem = currencies.problem else { return .waiting }
      currencies.setKey(nil)
      return .failed(problem.message)
    case .character("e"), .alt("e"): terms.rounding = terms.rounding == .once ? .step : .once
    case .press(let row, _):
      let line = cursor.top + row - layout.body.lowerBound
      guard layout.body.contains(row), line < min(count, cursor.top + height(layout)) else { return .ignored }
      if isAtList && line == cursor.selected { return open() }
      self.move(.to(line), layout)
    default: return .ignored
    }
    return .handled
  }

  private mutating func move(_ move: ListCursor.Move, _ layout: Layout) {
    cursor.move(move, count: count, height: height(layout))
  }

  private mutating func open() -> Reaction {
    guard let sku else { return count > 0 && products.problem == nil ? .waiting : .handled }
    transactions = PagedRows(Query(sku: sku, terms: terms))
    (total, transactionCursor) = (nil, ListCursor())
    return .handled
  }

  /// Shows all amounts in another currency; the selection stays.
  mutating func convert(to currency: String) { terms.currency = currency }

  mutating func settle(_ layout: Layout) { cursor.settle(count: count, height: height(layout)) }

  mutating func ask(_ layout: Layout, _ window: inout RequestWindow) {
    let seen = [cursor.seen(count: count, height: height(layout))]
    currencies.ask(&window, RateList()) { reply in
      (reply.rows.flatMap { [$0.from, $0.to] } + [ProductList.defaultCurrency]).distinct
    }
    if transactions == nil {
      products.ask(&window, seen: seen) { ProductList(in: [$0.currency], rounding: $0.rounding) }
    } else {
      transactions?.ask(&window, seen: seen) {
        ProductGet(sku: $0.sku, in: $0.terms.currency, rounding: $0.terms.rounding)
      }
    }
  }

  mutating func take(_ id: UInt64, _ answer: BrowserAnswer, _ layout: Layout) {
    let seen = [cursor.seen(count: count, height: height(layout))]
    if currencies.take(id, answer) { return }
    switch answer {
    case .success(let reply as ProductList.Reply):
      let followed = sku
      if products.take(id, reply, seen: seen) != .none { sources = reply.sources }
      if let line = productCursor.nearest(within: products.pageSize, { products[$0]?.sku == followed }), isAtList {
        move(.to(line), layout)
      }
    case .success(let reply as ProductGet.Reply):
      if let change = transactions?.take(id, reply, seen: seen), change != .none {
        (total, sources) = (reply, reply.sources)
      }
    case .success: break
    case .failure(let error): _ = products.take(id, error) || transactions?.take(id, error) == true
    }
    settle(layout)
  }

  mutating func apply(_ change: DataChange) {
    guard change.concerns(.trade) else { return }
    products.apply(change)
    transactions?.apply(change)
    currencies.apply(change)
  }
}
