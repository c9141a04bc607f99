internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

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

  /// Refuses what is no list of currencies, and what contradicts itself.
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
    defer { SourceNotes(sources: reply.sources, insists: true).tell(context, rendering) }
    if page.count {
      return try context.render(
        count: reply.total, generation: reply.generation, sample: reply.sources.sample, rendering)
    }
    try context.render(
      TradeListing.of(reply, in: currencies ?? [ProductList.defaultCurrency]), rendering)
    try context.output.flush()
    PageReport(shown: UInt64(reply.rows.count), total: reply.total, offset: page.offset)
      .tell(context.diagnostics, empty: "there are no products; 'citiesctl status' tells of their feeds")
    if reply.rows.isEmpty { return .nothingFound }
    let isPartial = reply.rows.contains { $0.totals.contains(where: \.partial) }
    return context.reportRemainders(RemainderNotes.lines(reply.rows), isPartial: isPartial, rendering)
  }
}
