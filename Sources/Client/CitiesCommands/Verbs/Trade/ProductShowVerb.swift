internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

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
    name: .customLong("sort"),
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

  /// Refuses the empty code, what is no currency, and what contradicts itself.
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
    defer { SourceNotes(sources: reply.sources, insists: true).tell(context, rendering) }
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
        .tell(context.diagnostics, empty: "the product has no transactions")
    }
    return context.reportRemainders(RemainderNotes.lines(reply.total), isPartial: reply.total.partial, rendering)
  }
}
