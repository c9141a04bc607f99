internal import CBOR
internal import CitiesProtocol

/// The columns of products, transactions and rates.
enum TradeListing {
  /// `sku count`, the total in each currency under its code, and `partial`; in JSON, the totals have the form of the
  /// protocol.
  static func columns(in currencies: [String]) -> [ListingColumn<ProductList.Row>] {
    let totals = currencies.indices.map { index in
      ListingColumn<ProductList.Row>(currencies[index], in: [.table, .rows]) { row in
        row.totals.indices.contains(index) ? RowValue(row.totals[index].amount) : .absent
      }
    }
    return [ListingColumn("sku") { .text($0.sku) }, ListingColumn("count") { .count($0.count) }] + totals + [
      ListingColumn("totals", in: .json) { .wire($0.totals, totalsText($0.totals)) },
      ListingColumn("partial", in: [.rows, .json]) { .flag($0.totals.contains(where: \.partial)) },
      ListingColumn("incomplete", in: .table) { $0.totals.contains(where: \.partial) ? .text("partial") : .absent },
    ]
  }

  /// Products as a listing.
  static func of(_ reply: ProductList.Reply, in currencies: [String]) -> Listing<ProductList.Row> {
    Listing(
      columns: columns(in: currencies), rows: reply.rows, total: reply.total, generation: reply.generation,
      sources: reply.sources, members: [("partial", .flag(reply.isPartial)), ("left_out", RowValue(reply.leftOut))])
  }

  private static func totalsText(_ totals: [TotalRow]) -> String {
    totals.map { total in "\(total.amount.map { "\($0)" } ?? "?") \(total.currency)" }.joined(separator: ", ")
  }

  /// `amount currency converted to path reason`, and `steps` if requested, of transactions that `paths` convert to
  /// `currency`.
  static func columns(
    to currency: String, _ paths: [ConversionRow], explained: Bool
  ) -> [ListingColumn<ProductGet.Row>] {
    let path: @Sendable (ProductGet.Row) -> ConversionRow? = { row in paths.first { $0.from == row.currency } }
    var columns: [ListingColumn<ProductGet.Row>] = [
      ListingColumn("amount") { .amount($0.amount) }, ListingColumn("currency") { .text($0.currency) },
      ListingColumn("converted") { RowValue($0.converted) },
      ListingColumn("to", in: [.table, .rows]) { $0.converted == nil ? .absent : .text(currency) },
      ListingColumn("path", in: [.table, .rows]) { row in RowValue(path(row).map(ConversionText.path)) },
      ListingColumn("reason") { RowValue($0.reason) },
    ]
    if explained {
      columns += [
        ListingColumn("steps", in: [.table, .rows]) { row in
          RowValue(path(row).map { ConversionText.steps($0, row.trace ?? [], row.converted) })
        },
        ListingColumn("trace", in: .json) { .wire($0.trace) { $0.map { "\($0)" }.joined(separator: " ") } },
      ]
    }
    return columns
  }

  /// The transactions of a product as a listing.
  static func of(_ reply: ProductGet.Reply, explained: Bool) -> Listing<ProductGet.Row> {
    let (total, paths) = (reply.total, reply.paths)
    var listing = Listing(
      columns: columns(to: total.currency, paths, explained: explained), rows: reply.rows, total: reply.count,
      generation: reply.generation, sources: reply.sources)
    listing.members = [
      ("sku", .text(reply.sku)), ("currency", .text(total.currency)), ("amount", RowValue(total.amount)),
      ("partial", .flag(total.partial)), ("remainders", .wire(total.remainders, "")),
      ("left_out", RowValue(total.leftOut)), ("left_out_rates", .wire(total.leftOutRates) { _ in "" }),
      ("rounding", .text(reply.rounding.rawValue)), ("paths", .wire(paths, "")),
    ]
    let count = reply.count == 1 ? "1 transaction" : "\(reply.count) transactions"
    listing.notes = ["", "\(reply.sku): \(count), \(text(of: total))"]
    if explained { listing.notes += paths.flatMap { ConversionText.lines($0) }.map { "  " + $0 } }
    return listing
  }

  /// A product as a page: the total of its transactions, which follow as a table, and the rates used.
  static func page(of reply: ProductGet.Reply) -> FactPage {
    var page = FactPage(reply.sku)
    let missing = reply.total.leftOut == nil && reply.total.leftOutRates == nil ? "cannot be converted" : "is left out"
    page.add("total", text(of: reply.total) + (reply.total.partial ? ", without what \(missing)" : ""))
    page.add("transactions", groupedText(reply.count))
    page.add("rates", reply.paths.filter { !$0.steps.isEmpty }.map { "\(ConversionText.path($0)) × \($0.rate)" })
    return page
  }

  private static func text(of total: TotalRow) -> String {
    "\(total.amount.map { "\($0)" } ?? "more than 38 digits") \(total.currency)"
  }

  /// `sku amount currency partial`: only the total of a product; JSON includes the amounts that it leaves out.
  static func total(of reply: ProductGet.Reply) -> Listing<TotalRow> {
    let sku = reply.sku
    return Listing(
      columns: [
        ListingColumn("amount") { RowValue($0.amount) }, ListingColumn("currency") { .text($0.currency) },
        ListingColumn("sku") { _ in .text(sku) },
        ListingColumn("partial", in: [.rows, .json]) { .flag($0.partial) },
        ListingColumn("remainders", in: .json) { .wire($0.remainders, "") },
        ListingColumn("left_out", in: .json) { RowValue($0.leftOut) },
        ListingColumn("left_out_rates", in: .json) { .wire($0.leftOutRates) { _ in "" } },
      ], rows: [reply.total], total: 1, generation: reply.generation, sources: reply.sources)
  }

  /// Rates as a listing.
  static func of(_ reply: RateList.Reply) -> Listing<ConversionRow> {
    Listing(
      columns: RateListVerb.columns, rows: reply.rows, total: UInt64(reply.rows.count), generation: reply.generation,
      sources: reply.sources,
      members: [("unreachable", .wire(reply.unreachable, "")), ("left_out", RowValue(reply.leftOut))])
  }

  /// `result to amount from rate derived path`, and `steps` if requested; JSON always includes them, and a table has a
  /// line below it for each.
  static func of(_ reply: RateConvert.Reply, explained: Bool) -> Listing<RateConvert.Reply> {
    var listing = Listing(
      columns: conversionColumns(explained: explained), rows: [reply], total: 1, generation: reply.generation,
      sources: reply.sources)
    if explained { listing.notes = [""] + ConversionText.lines(reply.path, amounts: reply.trace) }
    return listing
  }

  /// The columns of a conversion.
  static func conversionColumns(explained: Bool) -> [ListingColumn<RateConvert.Reply>] {
    var columns: [ListingColumn<RateConvert.Reply>] = [
      ListingColumn("result") { .amount($0.result) }, ListingColumn("to") { .text($0.path.to) },
      ListingColumn("amount") { .amount($0.amount) }, ListingColumn("from") { .text($0.path.from) },
      ListingColumn("rate") { .amount($0.path.rate) },
      ListingColumn("derived", in: [.rows, .json]) { .flag($0.path.derived) },
      ListingColumn("path", in: [.table, .rows]) { .text(ConversionText.path($0.path)) },
      ListingColumn("rounding", in: .json) { .text($0.rounding.rawValue) },
    ]
    let text: @Sendable (RateConvert.Reply) -> String = { ConversionText.steps($0.path, $0.trace, $0.result) }
    columns.append(ListingColumn("steps", in: explained ? [.rows, .json] : .json) { .wire($0.path.steps, text($0)) })
    columns.append(ListingColumn("trace", in: .json) { .wire($0.trace, "") })
    columns.append(ListingColumn("left_out_rates", in: .json) { .wire($0.path.leftOutRates) { _ in "" } })
    return columns
  }
}

/// The steps of a conversion, as text.
enum ConversionText {
  /// The currencies of a path: `USD>EUR>CAD`; `<` marks a given rate used in reverse.
  static func path(_ row: ConversionRow) -> String {
    row.steps.reduce(row.from) { path, step in path + (step.reversed ? "<" : ">") + step.to }
  }

  /// The steps of a conversion: `× 0.736 = 7.36000 EUR`, and the rounded result.
  static func steps(_ row: ConversionRow, _ trace: [CBORDecimal], _ result: CBORDecimal?) -> String {
    let steps = zip(row.steps, trace).map { step, amount in "× \(step.rate) = \(amount) \(step.to)" }
    guard let result, !steps.isEmpty else { return steps.joined(separator: ", ") }
    return (steps + ["rounded \(result)"]).joined(separator: ", ")
  }

  /// A path for people, one line per step, with the amount after the step if it is given.
  static func lines(_ row: ConversionRow, amounts: [CBORDecimal] = []) -> [String] {
    zip(row.steps, row.steps.indices).map { step, index in
      let amount = amounts.indices.contains(index) ? " = \(amounts[index]) \(step.to)" : ""
      return "\(step.from) to \(step.to): × \(step.rate)\(amount), \(origin(step))"
    }
  }

  private static func origin(_ step: ConversionRow.Step) -> String {
    guard step.reversed else { return "given" }
    return "1/\(step.given), because the rate is given from \(step.to) to \(step.from)"
      + (step.rounded ? "; rounded to 38 digits" : "")
  }
}

/// The amounts not included in totals, by currency.
enum RemainderNotes {
  /// The lines about one product's total:
  /// `not in the total: 3 transactions, 31.00 CHF, because no path of rates leads to EUR`.
  static func lines(_ total: TotalRow) -> [String] {
    total.remainders.map { remainder in
      let sum = remainder.sum.map { "\($0) \(remainder.currency)" } ?? "more than 38 digits of \(remainder.currency)"
      return "not in the total: \(transactions(remainder.count)), \(sum), because \(reason(remainder, total.currency))"
    } + (total.amount == nil ? ["the total in \(total.currency) has more than 38 digits"] : [])
      + unread(total.leftOut, of: "the total", rates: total.leftOutRates)
  }

  /// The lines about records of `whole`, and about rates, that could not be read.
  static func unread(_ count: UInt64? = nil, of whole: String = "", rates: [LeftOutRate]? = nil) -> [String] {
    let records = count.map { count in
      "not in \(whole): \(count) \(count == 1 ? "record" : "records") that cannot be read; "
        + "'citiesctl status --verbose' says why"
    }
    return [records].compactMap(\.self)
      + (rates ?? []).map { "the rate from \($0.from) to \($0.to) cannot be read; the conversion would have used it" }
  }

  /// The lines about the totals of many products: one per pair of currencies.
  static func lines(_ reply: ProductList.Reply) -> [String] {
    let count = reply.rows.reduce(0) { $0 + ($1.totals.first?.leftOut ?? 0) }
    var named: [LeftOutRate] = []
    for rate in reply.rows.flatMap(\.totals).flatMap({ $0.leftOutRates ?? [] }) where !named.contains(rate) {
      named.append(rate)
    }
    return remainders(reply.rows) + unread(count == 0 ? nil : count, of: "the totals")
      + unread(reply.leftOut, of: "any total", rates: named)
  }

  private static func remainders(_ rows: [ProductList.Row]) -> [String] {
    var groups: [(total: TotalRow, remainder: TotalRow.Remainder, products: UInt64)] = []
    for total in rows.flatMap(\.totals) {
      for remainder in total.remainders {
        let same = groups.firstIndex {
          [$0.total.currency, $0.remainder.currency, $0.remainder.reason]
            == [total.currency, remainder.currency, remainder.reason]
        }
        guard let same else {
          groups.append((total, remainder, 1))
          continue
        }
        groups[same].remainder.count += remainder.count
        groups[same].products += 1
      }
    }
    return groups.map { group in
      let products = group.products == 1 ? "1 product" : "\(group.products) products"
      return "not in the totals in \(group.total.currency): \(transactions(group.remainder.count)) of \(products) "
        + "in \(group.remainder.currency), because \(reason(group.remainder, group.total.currency))"
    }
  }

  private static func transactions(_ count: UInt64) -> String { count == 1 ? "1 transaction" : "\(count) transactions" }

  private static func reason(_ remainder: TotalRow.Remainder, _ currency: String) -> String {
    switch remainder.reason {
    case "unreachable": "no path of rates leads to \(currency)"
    case "overflow": "an amount has more than 38 digits"
    default: remainder.reason
    }
  }
}

extension ProductList.Reply {
  /// Whether any of its totals is, or records of unknown products are left out.
  var isPartial: Bool { leftOut != nil || rows.contains { $0.totals.contains(where: \.partial) } }
}

extension Context {
  /// Prints the amounts not included in totals, unless the answer has a place for them.
  ///
  /// - Returns: The exit status for such totals.
  func reportRemainders(_ lines: [String], isPartial: Bool) -> ExitStatus {
    if diagnostics.isTerminal || !format.hasHead {
      for line in lines { diagnostics.note("partial", line) }
    }
    return isPartial ? .partial : .found
  }
}
