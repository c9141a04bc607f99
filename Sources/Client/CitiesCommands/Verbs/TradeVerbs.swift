internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `product`: the commands about products.
struct ProductGroup: VerbGroup {
  static let verbs: [any Verb.Type] = [ProductListVerb.self, ProductShowVerb.self]

  static let configuration = CommandConfiguration.group(
    "product", verbs,
    abstract: "Ask about products and the totals of their transactions.",
    discussion: """
      Totals are exact: each transaction is converted in full precision and rounded to two places, half to even, and the \
      total is the sum of what is shown. What cannot be converted is never guessed: it is listed by currency, and the \
      exit status is 4. In JSON amounts are strings, since most readers would convert numbers to floats.

        citiesctl product list --in EUR,USD
        citiesctl product show T2006 --explain
      """)
}

/// `rate`: the commands about currency rates.
struct RateGroup: VerbGroup {
  static let verbs: [any Verb.Type] = [RateListVerb.self, RateConvertVerb.self]

  static let configuration = CommandConfiguration.group(
    "rate", verbs,
    abstract: "Ask about currency rates, and convert amounts.",
    discussion: """
      A rate that is not given is derived from others: with the fewest reversed rates, then the fewest conversions, \
      then by currency codes. A path is written as USD>EUR>CAD, with < where the given rate leads the other way.

        citiesctl rate list --base EUR
        citiesctl rate convert 12.50 USD EUR --explain
      """)
}

/// `product list`: all products with their totals.
struct ProductListVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "list", in: "product", usage: "[<options>]",
    abstract: "List products with their totals, a column for each currency.",
    discussion: """
      The columns are sku, count, the total in each currency under its code, and partial, which is true where a total \
      leaves out what cannot be converted; standard error says what that is, and the exit status is 4.

        citiesctl product list --in EUR,USD --all
      """)

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("The currencies, separated by commas, at most 16 (default: EUR).", valueName: "currencies"))
  private var inWord: String?

  @OptionGroup var rounding: RoundingOption
  @OptionGroup(title: "Page") var page: PageOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses invalid lists of currencies, and contradictions.
  func validate() throws {
    _ = try CurrencyNames.list("--in", inWord)
    if page.count { try rendering.requireNumber() }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let currencies = try CurrencyNames.list("--in", inWord)
    let request = ProductList(
      in: currencies, rounding: rounding.mode, offset: page.offset == 0 ? nil : page.offset)
    let (reply, _) = try context.ask(connection) { (client) throws(ClientError) in
      try Pages(client: client, first: request, wanted: page.wanted(ProductList.defaultLimit)).fetch()
    }
    defer { SourceNotes(sources: reply.sources, insists: true).note(on: context, rendering) }
    if page.count {
      return try context.render(
        count: reply.total, generation: reply.generation, sample: reply.sources.sample, rendering)
    }
    try context.render(
      TradeListing.of(reply, in: currencies ?? [ProductList.defaultCurrency]), rendering)
    try context.output.flush()
    PageReport(shown: UInt64(reply.rows.count), total: reply.total, offset: page.offset)
      .note(on: context.diagnostics, empty: "there are no products; 'citiesctl status' shows their feeds")
    if reply.rows.isEmpty { return .nothingFound }
    let isPartial = reply.rows.contains { $0.totals.contains(where: \.partial) }
    return context.reportRemainders(RemainderNotes.lines(reply.rows), isPartial: isPartial, rendering)
  }
}

/// `product show SKU`: the transactions of one product and their total.
struct ProductShowVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "show", in: "product", usage: "[<options>] <sku>",
    abstract: "Show the transactions of a product, converted, and their total.",
    discussion: """
      The columns are amount, currency, converted, to, path and reason, and with --explain steps. The total is below a \
      table, a key of json, and alone with --total (amount, currency, sku, partial); it is that of all \
      transactions, however many are shown. Rows are in the order of the source; --sort amount orders them by amount as \
      given, whatever the currency, and --sort currency by currency and amount. The code of a product is compared exactly.

        citiesctl product show T2006 --in USD --explain
        citiesctl product show T2006 --total | cut -f1
      """)

  @Argument(help: "The product's code.")
  private var sku: Word

  @Option(name: .customLong("in"), help: ArgumentHelp("The currency (default: EUR).", valueName: "currency"))
  private var inWord: String?

  @OptionGroup var rounding: RoundingOption

  @Option(
    name: [.customShort("s", allowingJoined: true), .customLong("sort")],
    help: ArgumentHelp(
      "The order: source (as the source lists them; the default), amount or currency.", valueName: "sort"),
    completion: Choice.completion(of: ProductGet.Sort.self))
  private var sortWord: String?

  @Flag(help: "Say how each amount came about.")
  var explain = false

  @Flag(help: "Only the total.")
  var total = false

  @OptionGroup(title: "Page") var page: PageOptions
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses the empty code, invalid currencies, and contradictions.
  func validate() throws {
    if sku.text.isEmpty {
      throw ValidationError("the code of a product is wanted; 'citiesctl product list' prints them")
    }
    _ = try inWord.map { try CurrencyNames.one("--in", $0) }
    _ = try Choice.read("--sort", sortWord, of: ProductGet.Sort.self)
    if total && (page.count || explain) { throw ValidationError("--total takes no --count and no --explain") }
    if page.count { try rendering.requireNumber() }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let sort: ProductGet.Sort? = try Choice.read("--sort", sortWord)
    let request = ProductGet(
      sku: sku.text, in: try inWord.map { try CurrencyNames.one("--in", $0) }, rounding: rounding.mode,
      explain: explain ? true : nil, sort: sort == .source ? nil : sort, offset: page.offset == 0 ? nil : page.offset)
    let wanted = total ? 0 : page.wanted(BankList.defaultLimit)
    let (reply, _) = try context.ask(connection) { (client) throws(ClientError) in
      try Pages(client: client, first: request, wanted: wanted).fetch()
    }
    defer { SourceNotes(sources: reply.sources, insists: true).note(on: context, rendering) }
    if page.count {
      return try context.render(
        count: reply.count, generation: reply.generation, sample: reply.sources.sample, rendering)
    }
    if total {
      try context.render(TradeListing.total(of: reply), rendering)
    } else {
      try context.render(TradeListing.of(reply, explained: explain), rendering)
    }
    try context.output.flush()
    if !total {
      PageReport(shown: UInt64(reply.rows.count), total: reply.count, offset: page.offset)
        .note(on: context.diagnostics, empty: "the product has no transactions")
    }
    return context.reportRemainders(RemainderNotes.lines(reply.total), isPartial: reply.total.partial, rendering)
  }
}

/// `rate list`: the given rates, or all that lead to a currency.
struct RateListVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "list", in: "rate", usage: "[<options>]",
    abstract: "List the given rates, or with --base all rates to a currency.",
    discussion: """
      The columns are from, to, rate, derived, path and rounded, which is true where a rate was rounded to 38 digits. \
      A key of json lists the currencies without a path.

        citiesctl rate list
        citiesctl rate list --base EUR
      """)

  @Option(
    name: .customLong("base"),
    help: ArgumentHelp("List the rates from every other currency to this one.", valueName: "currency"))
  private var baseWord: String?

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  func validate() throws { _ = try base }

  private var base: String? {
    get throws { try baseWord.map { try CurrencyNames.one("--base", $0) } }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = RateList(base: try base)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    try context.render(TradeListing.of(reply), rendering)
    try context.output.flush()
    if context.diagnostics.isTerminal {
      if let base = try base, !reply.unreachable.isEmpty {
        let names = reply.unreachable.joined(separator: ", ")
        context.diagnostics.note("unreachable", "no path of rates leads to \(base) from \(names)")
      } else if reply.rows.isEmpty {
        context.diagnostics.note("empty", "there are no rates; 'citiesctl status' shows their feed")
      }
    }
    SourceNotes(sources: reply.sources, insists: true).note(on: context, rendering)
    return reply.rows.isEmpty ? .nothingFound : .found
  }
}

/// `rate convert AMOUNT FROM TO`: an amount in another currency.
struct RateConvertVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "convert", in: "rate", usage: "[<options>] <amount> <from> <to>",
    abstract: "Convert an amount into another currency.",
    discussion: """
      The amount is a plain decimal of up to 38 digits, negative too. The columns are result, to, amount, from, rate, \
      derived and path, and with --explain steps, so that 'cut -f1' is the result. The exit status is 4 if no path of \
      rates leads there, and 65 if the path takes too many rates.

        citiesctl rate convert 12.50 USD EUR
        citiesctl rate convert -3 CAD USD --explain
      """)

  @Argument(help: "The amount.")
  private var amount: Word

  @Argument(help: "The currency of the amount.")
  private var from: Word

  @Argument(help: "The currency of the result.")
  private var to: Word

  @OptionGroup var rounding: RoundingOption

  @Flag(help: "Say how the result came about.")
  var explain = false

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses invalid amounts and currencies.
  func validate() throws { _ = try request }

  private var request: RateConvert {
    get throws {
      RateConvert(
        amount: try AmountArgument.parse(amount), from: try CurrencyNames.one("<from>", from.text),
        to: try CurrencyNames.one("<to>", to.text), rounding: rounding.mode)
    }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = try request
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    try context.render(TradeListing.of(reply, explained: explain), rendering)
    try context.output.flush()
    SourceNotes(sources: reply.sources, insists: true).note(on: context, rendering)
    return .found
  }
}
