internal import CitiesClient
internal import CitiesProtocol

/// What a command works with: its streams, its environment and its client. Tests put their own in place.
final class Context {
  /// Standard output.
  let output: Output
  /// Standard error.
  var diagnostics: Diagnostics
  /// Descriptor of standard input.
  let input: Int32
  /// The variables of the process.
  let environment: (String) -> String?
  /// The client of the command, once it has asked for one.
  private(set) var client: Client?

  /// Puts a context together.
  init(
    output: Output = Output(), diagnostics: Diagnostics = Diagnostics(), input: Int32 = 0,
    environment: @escaping (String) -> String? = systemEnvironment
  ) {
    (self.output, self.diagnostics, self.input, self.environment) = (output, diagnostics, input, environment)
  }

  /// Asks the server; where the subject has no data yet, waits until it has and asks again.
  ///
  /// - Throws: ``ClientError``; `unavailable` when `--wait` is over.
  func ask<Answer>(
    _ options: ConnectionOptions, _ question: (Client) throws(ClientError) -> Answer
  ) throws(ClientError) -> Answer {
    let client = self.client ?? Client(options.configuration)
    self.client = client
    do {
      return try question(client)
    } catch {
      guard case .server(let reason) = error, reason.code == .unavailable, options.wait > .zero else { throw error }
      let isReady = try ReadinessWait(diagnostics: diagnostics).wait(for: reason, options)
      guard isReady else { throw error }
      return try question(client)
    }
  }

  /// Writes rows as the options say.
  func render<Row>(_ listing: Listing<Row>, _ options: OutputOptions) throws {
    let format = options.format(for: output)
    let colour = options.color.applies(toTerminal: output.isTerminal, environment: environment)
    let renderer = RowRenderer(
      format: format, columns: options.columns, endsRowsWithNUL: options.endsRowsWithNUL, colour: colour)
    guard format == .table, output.isTerminal, !options.noPager, let pager = Pager(environment: environment) else {
      return try renderer.render(listing, to: output)
    }
    try renderer.render(listing, to: output, through: pager)
  }
}
