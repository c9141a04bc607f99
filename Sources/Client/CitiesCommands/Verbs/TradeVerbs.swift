package import CitiesProtocol

/// `product`: the commands for products; `rate`: the commands for exchange rates.
extension VerbGroup {
  static let product = VerbGroup(
    "product", verbs: [ProductListVerb.self, ProductShowVerb.self], usual: ProductShowVerb.self,
    abstract: "Show products and the totals of their transactions.",
    discussion: """
      Totals are exact. Each transaction is converted in full precision and rounded once, half to even, to the \
      decimals of the currency in ISO 4217 (two for most, none for JPY); the \
      total is the sum of the rounded amounts. Amounts that cannot be converted are never guessed: they are listed by \
      currency, and the exit status is 4. It is also 4 if records of a product cannot be read, or a rate that a \
      conversion would have used. In JSON, amounts are strings, since most readers would turn numbers into binary fractions.
      """)

  static let rate = VerbGroup(
    "rate", verbs: [RateListVerb.self, RateConvertVerb.self], usual: RateConvertVerb.self,
    abstract: "Show exchange rates and convert amounts.",
    discussion: """
      A rate that is not given is derived from others, over the path with the fewest reversed rates, then the fewest \
      conversions, then the first in the order of currency codes. A path is written as USD>EUR>CAD; '<' marks a rate \
      that is used in reverse.
      """)
}

/// `product list`: all products with their totals.
struct ProductListVerb: PagedVerb {
  static let command = CommandText(
    "list", in: "product", usage: "[<options>]",
    abstract: "List products with their totals.",
    discussion: """
      The columns are sku, count, one for each currency (at most 16) with its code as the name and the total as the \
      value, and partial, which is true if a total leaves out amounts that cannot be converted or records that cannot be \
      read. Standard error then lists those, and the exit status is 4. In JSON, left_out is the number of such records \
      whose product is not known either.

        # List every product with its total in euros and in dollars
        citiesctl product list --in EUR,USD --all
      """)

  static let columns = TradeListing.columns(in: [])

  private var currencies: [String]?
  var rounding = RoundingOption()
  var page = PageOptions()
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    currencies = try table.option("--in", "currencies", .currencies, "Currencies, separated by commas (default: EUR).")
    try table.group(&rounding)
    try table.group(&page)
  }

  func perform(in context: Context) throws -> ExitStatus {
    let reply = try fetch(ProductList(in: currencies, rounding: rounding.mode), in: context)
    defer { context.noteSources(reply.sources) }
    if page.count { return try context.render(countOf: reply, sources: reply.sources) }
    try context.render(TradeListing.of(reply, in: currencies ?? [ProductList.defaultCurrency]))
    context.diagnostics.notePage(
      reply, page, empty: "no products; 'citiesctl status' shows the state of their feeds")
    if reply.rows.isEmpty { return .nothingFound }
    return context.reportRemainders(RemainderNotes.lines(reply), isPartial: reply.isPartial)
  }
}

/// `product show SKU`: the transactions of one product and their total.
struct ProductShowVerb: PagedVerb {
  static let command = CommandText(
    "show", in: "product", usage: "[<options>] <sku>",
    abstract: "Show the transactions of a product and their total.",
    discussion: """
      The columns are amount, currency, converted, to, path and reason, and with --explain also steps. A table follows \
      a page about the product; with --explain there is no page, and the total and the rates follow the table. JSON \
      has the total in the keys amount, currency and partial. --total prints only the total, with the columns amount, \
      currency, sku and partial. It is always that of all transactions, even if some rows are left out. Rows are in \
      the order of the source; --sort amount orders them by amount as given, regardless of the currency, and --sort \
      currency by currency, then amount.

        # Show the transactions in dollars, and how each was converted
        citiesctl product show T2006 --in USD --explain
        # Print only the total
        citiesctl product show T2006 --total | cut -f1
      """)

  static let columns = TradeListing.columns(to: "", [], explained: false)

  private var sku = ""
  private var currency: String?
  var rounding = RoundingOption()
  private var sort: ProductGet.Sort?
  var explain = false
  var total = false
  var page = PageOptions()
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    sku = table.argument("sku", "The code of the product.", completion: .products, isRequired: true) ?? ""
    currency = try table.option("--in", "currency", .currency, "The currency of the total (default: EUR).")
    try table.group(&rounding)
    sort = try table.option("--sort", short: "-s", "order", .choice, "The order: source (default), amount or currency.")
    explain = table.flag("--explain", "Show each step of the conversions.")
    total = table.flag("--total", "Print only the total.")
    try table.group(&page)
  }

  /// Rejects an empty code, invalid currencies, and contradictory options.
  func validate() throws {
    if sku.isEmpty {
      throw ValidationError("missing argument: the code of a product; 'citiesctl product list' lists them")
    }
    if total && (page.count || explain) {
      throw ValidationError("--total cannot be combined with --count or --explain")
    }
    try validateCount()
  }

  func perform(in context: Context) throws -> ExitStatus {
    let reply = try fetchProduct(in: context)
    defer { context.noteSources(reply.sources) }
    if page.count { return try context.render(countOf: reply, sources: reply.sources) }
    if total {
      try context.render(TradeListing.total(of: reply))
    } else {
      var listing = TradeListing.of(reply, explained: explain)
      if !explain, context.showsPage {
        try context.write(TradeListing.page(of: reply))
        context.output.write("\n")
        listing.notes = []
      }
      try context.render(listing)
    }
    if !total { context.diagnostics.notePage(reply, page, empty: "the product has no transactions") }
    return context.reportRemainders(RemainderNotes.lines(reply.total), isPartial: reply.total.partial)
  }

  /// The reply; for an unknown product, the failure names the command that lists products.
  private func fetchProduct(in context: Context) throws -> ProductGet.Reply {
    var request = ProductGet(
      sku: sku, in: currency, rounding: rounding.mode, explain: explain ? true : nil, sort: sort == .source ? nil : sort
    )
    do {
      return try fetch(request, wanted: total ? 0 : nil, in: context)
    } catch {
      var failure = CommandFailure(error)
      guard failure.code == "not-found" else { throw failure }
      if let other = other(in: context) {
        context.note("resolved", "\"\(sku)\" resolved to \(other)")
        request.sku = other
        return try fetch(request, wanted: total ? 0 : nil, in: context)
      }
      failure.message += "; 'citiesctl product list' lists them"
      throw failure
    }
  }
}

extension ProductShowVerb {
  /// The only code that is the given one in another case.
  private func other(in context: Context) -> String? {
    let codes = try? context.pages(ProductList()).rows.map(\.sku)
    let alike = (codes ?? []).filter { $0.lowercased() == sku.lowercased() }
    return alike.count == 1 ? alike[0] : nil
  }
}

/// `rate list`: the given rates, or all rates to one currency.
struct RateListVerb: RowVerb {
  static let command = CommandText(
    "list", in: "rate", usage: "[<options>]",
    abstract: "List the given rates, or all rates to one currency.",
    discussion: """
      The columns are from, to, rate, derived, path and rounded, which is true if a rate was rounded to 38 digits. \
      With --base, json also lists, as unreachable, the currencies that cannot be converted to this one. If rates of \
      the source cannot be read, a note counts them, and the exit status is 4.

        # List the rates as their source gives them
        citiesctl rate list
        # List the rate of every currency to the euro, derived ones too
        citiesctl rate list --base EUR
      """)

  /// `from to rate derived path rounded`; JSON includes the steps.
  static let columns: [ListingColumn<ConversionRow>] = [
    ListingColumn("from") { .text($0.from) }, ListingColumn("to") { .text($0.to) },
    ListingColumn("rate") { .amount($0.rate) },
    ListingColumn("kind", in: .table) { .text($0.derived ? "derived" : "given") },
    ListingColumn("derived", in: [.rows, .json]) { .flag($0.derived) },
    ListingColumn("path", in: [.table, .rows]) { .text(ConversionText.path($0)) },
    ListingColumn("rounded", in: [.rows, .json]) { .flag($0.rounded) },
    ListingColumn("steps", in: .json) { .wire($0.steps, ConversionText.lines($0).joined(separator: "; ")) },
    ListingColumn("left_out_rates", in: .json) { .wire($0.leftOutRates) { _ in "" } },
  ]

  private var base: String?
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    base = try table.option("--base", "currency", .currency, "List the rate of every other currency to this one.")
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = RateList(base: base)
    let reply = try context.send(request)
    try context.render(TradeListing.of(reply))
    if context.diagnostics.isTerminal {
      if let base, !reply.unreachable.isEmpty {
        let names = reply.unreachable.joined(separator: ", ")
        context.note("unreachable", "no path of rates leads to \(base) from \(names)")
      } else if reply.rows.isEmpty {
        context.note("empty", "no rates; 'citiesctl status' shows the state of their feed")
      }
    }
    context.noteSources(reply.sources)
    let lines = RemainderNotes.unread(reply.leftOut, of: "the list")
    let status = context.reportRemainders(lines, isPartial: reply.leftOut != nil)
    return reply.rows.isEmpty ? .nothingFound : status
  }
}

/// `rate convert AMOUNT FROM TO`: converts an amount into another currency.
package struct RateConvertVerb: LineVerb {
  package static let command = CommandText(
    "convert", in: "rate", usage: "[<options>] [<amount>] <from> <to>\n[<options>] -",
    abstract: "Convert an amount into another currency.",
    discussion: """
      The amount is a decimal number of up to 38 digits, with a point and no separators. It may be negative: -5 is \
      an amount, not an option, with or without '--' before it; without an amount, it is 1. The word 'to' may stand between the currencies. The \
      columns are result, to, amount, from, rate, \
      derived and path, and with --explain also steps. The exit status is 4 if no path of rates leads from one \
      currency to the other, or if a rate cannot be read that the conversion would have used; and 65 if the path has \
      too many rates.

      If the argument is -, every line of standard input is an amount and two currencies, with spaces or tabs between them. \(LineHelp.answers)

        # Convert 12.50 dollars into euros
        citiesctl rate convert 12.50 USD EUR
        # Convert a negative amount, and show each step
        citiesctl rate convert -3 CAD USD --explain
        # Convert the amounts of a file with lines such as 12.50 USD EUR
        citiesctl rate convert - < amounts.txt
      """)

  package static let columns = TradeListing.conversionColumns(explained: false)

  private var amount = ""
  private var from: String?
  private var to: String?
  private var last: String?
  var rounding = RoundingOption()
  var explain = false
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    amount = table.argument("amount", "A decimal number such as 12.50 or -3.", isRequired: true) ?? ""
    from = table.argument("from", "The currency of the amount, such as USD.", completion: .currencies)
    to = table.argument("to", "The currency of the result.", completion: .currencies)
    last = table.argument("", "")  // in `12.50 USD to EUR`
    try table.group(&rounding)
    explain = table.flag("--explain", "Show each step of the conversion.")
  }

  /// Creates an instance for the parser.
  package init() {}

  /// Whether the command reads lines from standard input.
  package var readsLines: Bool { amount == Self.standardInput && from == nil }

  /// Rejects invalid amounts and currencies.
  package func validate() throws {
    if readsLines { try validateLines() } else { _ = try request }
  }

  private var request: RateConvert {
    get throws {
      // An amount may be left out: it is 1 then.
      if let from, last == nil, (try? AmountArgument.parse(amount)) == nil, amount.allSatisfy(\.isLetter) {
        if let to, Self.isPreposition(from) { return try request("1", amount, to) }
        if to == nil, !Self.isPreposition(from) { return try request("1", amount, from) }
      }
      guard let from, let to else { throw ValidationError("missing argument: '\(from == nil ? "<from>" : "<to>")'") }
      guard let last else { return try request(amount, from, to) }
      guard Self.isPreposition(to) else { throw ValidationError("unexpected argument '\(last)'") }
      return try request(amount, from, last)
    }
  }

  /// Whether `word` is the 'to' of "12.50 USD to EUR".
  private static func isPreposition(_ word: String) -> Bool { word.lowercased() == "to" }

  private func request(_ amount: String, _ from: String, _ to: String) throws -> RateConvert {
    try Self.checkOrder([amount, from, to])
    return RateConvert(
      amount: try AmountArgument.parse(amount), from: try OptionValue<String>.currency.read("<from>", from),
      to: try OptionValue<String>.currency.read("<to>", to), rounding: rounding.mode)
  }

  /// Rejects arguments in which the amount is not the first.
  ///
  /// - Throws: `ValidationError` with the arguments in the right order.
  private static func checkOrder(_ words: [String]) throws {
    func isAmount(_ word: String) -> Bool { (try? AmountArgument.parse(word)) != nil }
    guard let first = words.first, !isAmount(first), let index = words.firstIndex(where: isAmount) else { return }
    var rest = words
    let amount = rest.remove(at: index)
    throw ValidationError("the amount comes first: \(([amount] + rest).map(quotedForShell).joined(separator: " "))")
  }

  package func perform(in context: Context) throws -> ExitStatus {
    if readsLines { throw HelperProgram.beside().replaceThisProcess(context.words) }
    let request = try request
    let reply = try context.send(request)
    try context.render(TradeListing.of(reply, explained: explain))
    context.noteSources(reply.sources)
    let rates = reply.path.leftOutRates
    return context.reportRemainders(RemainderNotes.unread(rates: rates), isPartial: rates != nil)
  }
}

// Lines of standard input.
extension RateConvertVerb {
  package static var answersAreWhole: Bool { true }

  package func request(line: String) throws -> RateConvert {
    var words = line.split { $0.is(" ") || $0.is("\t") }.map(String.init)
    if words.count == 4, Self.isPreposition(words[2]) { words.remove(at: 2) }
    guard words.count == 3 else {
      throw ValidationError("not an amount and two currencies: '\(line)'; write them as 12.50 USD EUR")
    }
    return try request(words[0], words[1], words[2])
  }

  package var rowColumns: [ListingColumn<Row>] { TradeListing.conversionColumns(explained: explain) }

  package func listing(_ reply: RateConvert.Reply) -> Listing<RateConvert.Reply> {
    TradeListing.of(reply, explained: explain)
  }
}
