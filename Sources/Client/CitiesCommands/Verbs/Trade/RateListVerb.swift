internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

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

  /// Refuses what is no currency.
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
        context.diagnostics.note("empty", "there are no rates; 'citiesctl status' tells of their feed")
      }
    }
    SourceNotes(sources: reply.sources, insists: true).tell(context, rendering)
    return reply.rows.isEmpty ? .nothingFound : .found
  }
}
