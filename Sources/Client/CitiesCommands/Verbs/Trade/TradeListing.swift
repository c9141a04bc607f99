internal import CBOR
internal import CitiesProtocol

/// The rows about products, transactions and rates.
enum TradeListing {
  /// `sku count`, the total in each currency under its code, and `partial`; JSON has the totals as on the wire.
  static func of(_ reply: ProductList.Reply, in currencies: [String]) -> Listing<ProductList.Row> {
    let totals = currencies.indices.map { index in
      Column<ProductList.Row>(currencies[index], in: [.table, .rows]) { row in
        row.totals.indices.contains(index) ? Cell(row.totals[index].amount) : .absent
      }
    }
    let columns: [Column<ProductList.Row>] =
      [Column("sku") { .text($0.sku) }, Column("count") { .count($0.count) }] + totals + [
        Column("totals", in: .json) { .wire($0.totals, totalsText($0.totals)) },
        Column("partial", in: [.rows, .json]) { .flag($0.totals.contains(where: \.partial)) },
        Column("incomplete", in: .table) { $0.totals.contains(where: \.partial) ? .text("partial") : .absent },
      ]
    let isPartial = reply.rows.contains { $0.totals.contains(where: \.partial) }
    return Listing(
      columns: columns, rows: reply.rows, total: reply.total, generation: reply.generation, sources: reply.sources,
      members: [("partial", .flag(isPartial))])
  }

  private static func totalsText(_ totals: [TotalRow]) -> String {
    totals.map { total in "\(total.amount.map { "\($0)" } ?? "?") \(total.currency)" }.joined(separator: ", ")
  }

  /// `amount currency converted to path reason`, and `steps` where they are asked for.
  static func of(_ reply: ProductGet.Reply, explained: Bool) -> Listing<ProductGet.Row> {
    let total = reply.total
    let paths = reply.paths
    let path: @Sendable (ProductGet.Row) -> ConversionRow? = { row in paths.first { $0.from == row.currency } }
    var columns: [Column<ProductGet.Row>] = [
      Column("amount") { .amount($0.amount) }, Column("currency") { .text($0.currency) },
      Column("converted") { Cell($0.converted) },
      Column("to", in: [.table, .rows]) { $0.converted == nil ? .absent : .text(total.currency) },
      Column("path", in: [.table, .rows]) { row in Cell(path(row).map(ConversionText.path)) },
      Column("reason") { Cell($0.reason) },
    ]
    if explained {
      columns += [
        Column("steps", in: [.table, .rows]) { row in
          Cell(path(row).map { ConversionText.steps($0, row.trace ?? [], row.converted) })
        },
        Column("trace", in: .json) { row in
          row.trace.map { .wire($0, $0.map { "\($0)" }.joined(separator: " ")) } ?? .absent
        },
      ]
    }
    var listing = Listing(
      columns: columns, rows: reply.rows, total: reply.count, generation: reply.generation, sources: reply.sources)
    listing.members =
      [("sku", .text(reply.sku))] + members(of: total) + [
        ("rounding", .text(reply.rounding.rawValue)), ("paths", .wire(paths, "")),
      ]
    let count = reply.count == 1 ? "1 transaction" : "\(reply.count) transactions"
    listing.notes = [
      "", "\(reply.sku): \(count), \(total.amount.map { "\($0)" } ?? "more than 38 digits") \(total.currency)",
    ]
    if explained { listing.notes += paths.flatMap(ConversionText.lines).map { "  " + $0 } }
    return listing
  }

  private static func members(of total: TotalRow) -> [(name: String, value: Cell)] {
    [
      ("currency", .text(total.currency)), ("amount", Cell(total.amount)), ("partial", .flag(total.partial)),
      ("remainders", .wire(total.remainders, "")),
    ]
  }

  /// `sku amount currency partial`: the total of a product alone; JSON has what it leaves out.
  static func total(of reply: ProductGet.Reply) -> Listing<TotalRow> {
    let sku = reply.sku
    return Listing(
      columns: [
        Column("amount") { Cell($0.amount) }, Column("currency") { .text($0.currency) },
        Column("sku") { _ in .text(sku) },
        Column("partial", in: [.rows, .json]) { .flag($0.partial) },
        Column("remainders", in: .json) { .wire($0.remainders, "") },
      ], rows: [reply.total], total: 1, generation: reply.generation, sources: reply.sources)
  }

  /// `from to rate derived path rounded`; JSON has the steps.
  static func of(_ reply: RateList.Reply) -> Listing<ConversionRow> {
    let columns: [Column<ConversionRow>] = [
      Column("from") { .text($0.from) }, Column("to") { .text($0.to) }, Column("rate") { .amount($0.rate) },
      Column("kind", in: .table) { .text($0.derived ? "derived" : "given") },
      Column("derived", in: [.rows, .json]) { .flag($0.derived) },
      Column("path", in: [.table, .rows]) { .text(ConversionText.path($0)) },
      Column("rounded", in: [.rows, .json]) { .flag($0.rounded) },
      Column("steps", in: .json) { .wire($0.steps, ConversionText.lines($0).joined(separator: "; ")) },
    ]
    return Listing(
      columns: columns, rows: reply.rows, total: UInt64(reply.rows.count), generation: reply.generation,
      sources: reply.sources, members: [("unreachable", .wire(reply.unreachable, ""))])
  }

  /// `result to amount from rate derived path`, and `steps` where they are asked for; JSON always has them.
  static func of(_ reply: RateConvert.Reply, explained: Bool) -> Listing<RateConvert.Reply> {
    var columns: [Column<RateConvert.Reply>] = [
      Column("result") { .amount($0.result) }, Column("to") { .text($0.path.to) },
      Column("amount") { .amount($0.amount) }, Column("from") { .text($0.path.from) },
      Column("rate") { .amount($0.path.rate) }, Column("derived", in: [.rows, .json]) { .flag($0.path.derived) },
      Column("path", in: [.table, .rows]) { .text(ConversionText.path($0.path)) },
      Column("rounding", in: .json) { .text($0.rounding.rawValue) },
    ]
    let text: @Sendable (RateConvert.Reply) -> String = { ConversionText.steps($0.path, $0.trace, $0.result) }
    columns.append(Column("steps", in: explained ? .all : .json) { .wire($0.path.steps, text($0)) })
    columns.append(Column("trace", in: .json) { .wire($0.trace, "") })
    var listing = Listing(
      columns: columns, rows: [reply], total: 1, generation: reply.generation, sources: reply.sources)
    if explained { listing.notes = [""] + ConversionText.lines(reply.path) }
    return listing
  }
}
