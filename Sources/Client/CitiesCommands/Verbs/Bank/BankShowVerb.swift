internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// `bank show ID`: one location with all its details.
struct BankShowVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "show", in: "bank", usage: "[<options>] <id>",
    abstract: "Show all that is known about one location, with its hours.",
    discussion: """
      On a terminal this is a page for people; the other formats have the columns of 'citiesctl bank list'. An id is \
      stable as long as bank, kind, name, address and position are. If several locations share one, the first \
      has it, and the others have it with a hash of their remaining fields (…-5be0c4d1), equal ones with a number, too.

        citiesctl bank show imaginary-1
        citiesctl bank show imaginary-1 --at 2026-12-24T16:00:00+01:00 --columns open
      """)

  @Argument(help: "The location's id.")
  private var id: Word

  @OptionGroup var moment: MomentOption
  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses the empty id.
  func validate() throws {
    if id.text.isEmpty { throw ValidationError("an id is wanted, such as 'citiesctl bank search' prints") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = BankGet(id: id.text, at: moment.at)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    if rendering.format(for: context.output) == .table && rendering.columns.isEmpty {
      context.output.write(BankPageText.of(reply.entry, at: moment.at))
    } else {
      try context.render(BankListing.of(reply), rendering)
    }
    try context.output.flush()
    SourceNotes(sources: reply.sources).tell(context, rendering)
    return .found
  }
}
