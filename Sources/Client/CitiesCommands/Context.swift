package import CitiesClient
package import CitiesProtocol
internal import Glibc
internal import System

/// The surroundings of a command: its streams, its environment and its client.
///
/// Tests use their own.
package final class Context {
  /// Standard output.
  package let output: OutputStream
  /// Standard error.
  package var diagnostics: Diagnostics
  /// Descriptor of standard input.
  package let input: Int32
  /// The variables of the process.
  package let environment: (String) -> String?
  /// How long a stream's connecting and answers took, where a command has one.
  var streamTiming: Timing?
  /// How the server is reached.
  package var connection = ConnectionOptions()
  /// The form of the output.
  package var rendering = OutputOptions()
  /// The words after the program's name, as they were typed.
  package internal(set) var words: [String] = []
  /// Where names of cities in other languages are: below the prefix that the program is installed in.
  lazy var translationsPath = "\(ProcessEnvironment.programFolder)/../\(Translations.installedName)"

  private var madeClient: Client?
  private var foreignSocket: ClientError.Attempt?
  private var madeColours: Colours?
  private let start = MonotonicClock.nanoseconds()

  /// Makes a context.
  package init(
    output: OutputStream = OutputStream(), diagnostics: Diagnostics = Diagnostics(), input: Int32 = 0,
    environment: @escaping (String) -> String? = ProcessEnvironment.variable
  ) {
    (self.output, self.diagnostics, self.input, self.environment) = (output, diagnostics, input, environment)
  }

  /// Whether somebody types the input and reads the output.
  var isInteractive: Bool { output.isTerminal && isInputTerminal }

  /// Whether somebody types the input.
  package var isInputTerminal: Bool { isatty(input) == 1 }

  /// Whether the user wants sentences in place of drawings: `CITIES_PLAIN` is set, and neither empty nor `0`.
  package var isPlain: Bool { environment("CITIES_PLAIN").map { !$0.isEmpty && $0 != "0" } ?? false }

  /// The format of the output.
  var format: OutputFormat { rendering.format(for: output) }

  /// Whether to print notes for people, besides a table.
  package var isForPeople: Bool { diagnostics.isTerminal && format == .table }

  /// Whether the answer is a page of facts in place of a table, whose columns nobody has chosen.
  package var showsPage: Bool { format == .table && rendering.columns.isEmpty }

  /// The client of the command: one, and so one connection.
  ///
  /// - Parameter isShared: Whether only a running server will do, and not a private one.
  /// - Returns: The client, connected at its first request.
  package func client(isShared: Bool = false) -> Client {
    if let madeClient { return madeClient }
    let client = Client(isShared ? connection.sharedConfiguration : connection.configuration)
    client.onForeignSocket = { [weak self] in self?.noteForeign($0) }
    madeClient = client
    return client
  }

  /// Prints a note on standard error.
  package func note(_ code: String, _ message: String) { diagnostics.note(code, message) }

  /// Says once on standard error that a socket was not used, and why.
  package func noteForeign(_ socket: ClientError.Attempt) {
    if socket != foreignSocket { diagnostics.note("socket", "\(socket.path): \(socket.reason)") }
    foreignSocket = socket
  }

  /// Says on standard error how long the parts of the command took: `connect 31 µs · server 58 µs · total 0.9 ms`.
  ///
  /// All requests together; `server` is the time from what was sent to what came back, the way and reading it included.
  func reportTiming() {
    let timing = streamTiming ?? madeClient?.totalTiming ?? Timing()
    let parts = [("connect", timing.connect), ("server", timing.answer), ("total", MonotonicClock.time(since: start))]
    diagnostics.note("timing", parts.map { "\($0) \(timingText($1))" }.joined(separator: " · "))
  }

  /// Sends a request; while a subject's data is being fetched, waits and repeats it.
  ///
  /// - Throws: ``ClientError``; `unavailable` when `--wait` is over.
  package func ask<Answer>(
    isShared: Bool = false, _ question: (Client) throws(ClientError) -> Answer
  ) throws(ClientError) -> Answer {
    let client = client(isShared: isShared)
    var readiness: ReadinessWait?
    defer { readiness?.finish() }
    while true {
      do {
        return try question(client)
      } catch {
        var waiting = readiness ?? ReadinessWait(diagnostics: diagnostics, options: connection)
        defer { readiness = waiting }
        guard try waiting.wait(for: error) else { throw error }
      }
    }
  }

  /// The reply to a request, which ``ask(isShared:_:)`` sends.
  package func send<Message: RequestMessage>(_ message: Message) throws(ClientError) -> Message.Reply {
    try ask { (client) throws(ClientError) in try client.send(message) }
  }

  /// The parts of cities' rows that will be shown.
  var cityParts: [CityPart]? { CityListing.parts(rendering.columns, isTable: format == .table) }

  /// Writes rows, and the notes on them: `empty` for people if there are none, `notes`, and where the data is from.
  ///
  /// - Returns: The exit status.
  func write<Row>(
    _ listing: Listing<Row>, empty: String? = nil, _ notes: (Diagnostics) -> Void = { _ in }
  ) throws -> ExitStatus {
    defer {
      noteUnknownHours(listing.unknownHours)
      noteSources(listing.sources)
    }
    try render(listing)
    if listing.rows.isEmpty, let empty { diagnostics.noteEmpty(empty) }
    notes(diagnostics)
    let status = listing.rows.isEmpty ? ExitStatus.nothingFound : .found
    return listing.sources?.status(status) ?? status
  }

  /// Writes rows in the chosen format.
  func render<Row>(_ listing: Listing<Row>) throws {
    let format = format
    let renderer = RowRenderer(
      format: format, columns: rendering.columns, endsRowsWithNUL: rendering.endsRowsWithNUL,
      isCSVSafe: rendering.csvSafe, colours: format == .table ? colours(rendering.color) : nil,
      width: format == .table ? TerminalSize(descriptor: output.descriptor)?.columns : nil,
      showsUnicode: format != .table || LocaleCodeset.isUTF8(environment))
    if format != .table || !output.isTerminal {
      try renderer.render(listing, to: output)
    } else if !rendering.noPager, let pager = Pager(environment: environment) {
      try renderer.render(naming(listing), to: output, through: pager)
    } else {
      try renderer.render(naming(listing), to: output)
    }
    try output.flush()
  }

  /// The looks of output; nil for plain text.
  ///
  /// Parts of `CITIES_COLORS` that are invalid are reported once.
  func colours(_ choice: ColourChoice) -> Colours? {
    guard choice.applies(toTerminal: output.isTerminal, environment: environment) else { return nil }
    if let colours = madeColours { return colours }
    let colours = Colours(environment(Colours.variable))
    madeColours = colours
    if !colours.invalid.isEmpty {
      let parts = colours.invalid.map { "'\($0)'" }.joined(separator: ", ")
      diagnostics.note(
        "colours", "\(Colours.variable): ignored \(parts); write NAME=NUMBERS, with a name of \(Colours.names)")
    }
    return colours
  }

  /// `listing` with names of cities in the user's language.
  private func naming<Row>(_ listing: Listing<Row>) -> Listing<Row> {
    guard listing.city != nil, let translations = readerNames(rendering.language) else { return listing }
    return listing.naming(translations)
  }

  /// Names of cities in one language; `nil` if there are none.
  package func names(in language: String) -> Translations? {
    Translations(path: translationsPath, languages: [ReaderLanguages.variants(of: language)])
  }

  /// Names of cities in `language`, else in the one that the environment asks for; `nil` if there are none.
  package func readerNames(_ language: String? = nil) -> Translations? {
    guard language != ReaderLanguages.none, LocaleCodeset.isUTF8(environment) else { return nil }
    let wanted = language.map { [ReaderLanguages.variants(of: $0)] } ?? ReaderLanguages.wanted(environment)
    guard !wanted.isEmpty else { return nil }
    let translations = Translations(path: translationsPath, languages: wanted)
    if translations == nil, let language {
      diagnostics.note("no-names", "no names in the language \(language) are installed")
    }
    return translations
  }
}
