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
  /// The words after the program's name, as they were typed.
  package internal(set) var words: [String] = []
  /// Where names of cities in other languages are: below the prefix that the program is installed in.
  lazy var translationsPath = "\(ProcessEnvironment.programFolder)/../\(Translations.installedName)"

  private var madeClient: Client?
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
  var isInteractive: Bool { output.isTerminal && isatty(input) == 1 }

  /// The client of the command: one, and so one connection.
  ///
  /// - Parameters:
  ///   - options: How the server is reached.
  ///   - isShared: Whether only a running server will do, and not a private one.
  /// - Returns: The client, connected at its first request.
  package func client(_ options: ConnectionOptions, isShared: Bool = false) -> Client {
    let client = madeClient ?? Client(isShared ? options.sharedConfiguration : options.configuration)
    madeClient = client
    return client
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
    _ options: ConnectionOptions, isShared: Bool = false, _ question: (Client) throws(ClientError) -> Answer
  ) throws(ClientError) -> Answer {
    let client = client(options, isShared: isShared)
    var readiness: ReadinessWait?
    defer { readiness?.finish() }
    while true {
      do {
        return try question(client)
      } catch {
        var waiting = readiness ?? ReadinessWait(diagnostics: diagnostics, options: options)
        defer { readiness = waiting }
        guard try waiting.wait(for: error) else { throw error }
      }
    }
  }

  /// The reply to a request, which ``ask(_:isShared:_:)`` sends.
  package func send<Message: RequestMessage>(
    _ message: Message, _ options: ConnectionOptions
  ) throws(ClientError) -> Message.Reply {
    try ask(options) { (client) throws(ClientError) in try client.send(message) }
  }

  /// The parts of cities' rows that will be shown.
  func cityParts(_ options: OutputOptions) -> [CityPart]? {
    CityListing.parts(options.columns, isTable: options.format(for: output) == .table)
  }

  /// Writes rows in the chosen format.
  func render<Row>(_ listing: Listing<Row>, _ options: OutputOptions) throws {
    let format = options.format(for: output)
    let renderer = RowRenderer(
      format: format, columns: options.columns, endsRowsWithNUL: options.endsRowsWithNUL,
      isCSVSafe: options.csvSafe, colours: format == .table ? colours(options.color) : nil,
      width: format == .table ? TerminalSize(descriptor: output.descriptor)?.columns : nil,
      showsUnicode: LocaleCodeset.isUTF8(environment))
    if format != .table || !output.isTerminal {
      try renderer.render(listing, to: output)
    } else if !options.noPager, let pager = Pager(environment: environment) {
      try renderer.render(naming(listing, options), to: output, through: pager)
    } else {
      try renderer.render(naming(listing, options), to: output)
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
  private func naming<Row>(_ listing: Listing<Row>, _ options: OutputOptions) -> Listing<Row> {
    guard listing.city != nil, let translations = readerNames(options.language) else { return listing }
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
