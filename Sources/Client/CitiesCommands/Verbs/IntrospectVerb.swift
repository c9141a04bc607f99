internal import ArgumentParser
internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// `introspect`: what the server speaks.
struct IntrospectVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "introspect", usage: "[<options>]",
    abstract: "Print the schema of the wire that the server speaks.",
    discussion: """
      The schema is in CDDL (RFC 8610), byte for byte the file that the server was built with; --methods lists the \
      methods that this socket answers, for 'citiesctl call'.
      """)

  @Flag(help: "List the methods instead.")
  var methods = false

  @OptionGroup(title: "Output") var rendering: OutputOptions
  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  /// Refuses formats that the schema has no rows for.
  func validate() throws {
    let isPlain = rendering.output == nil || rendering.output == .json
    if !methods && !(isPlain && rendering.columns.isEmpty && !rendering.endsRowsWithNUL) {
      throw ValidationError("the schema is a text: only --output json is another form of it; rows are for --methods")
    }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(Introspect()) }
    if methods {
      let columns = [Column<String>("method") { .text($0) }]
      let total = UInt64(reply.methods.count)
      try context.render(Listing(columns: columns, rows: reply.methods, total: total), rendering)
    } else if rendering.output == .json {
      try context.output.writeJSON(reply)
    } else {
      context.output.write(context.output.isTerminal ? visibleLines(reply.schema) : reply.schema)
    }
    return .found
  }
}
