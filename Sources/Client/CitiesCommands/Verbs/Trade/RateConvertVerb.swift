internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

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

  /// Refuses what is no amount and no currency.
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
    SourceNotes(sources: reply.sources, insists: true).tell(context, rendering)
    return .found
  }
}
