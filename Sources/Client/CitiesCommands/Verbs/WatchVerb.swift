internal import CitiesClient
internal import CitiesProtocol
internal import System

/// `watch`: events, as they occur.
struct WatchVerb: Verb {
  static let command = CommandText(
    "watch", usage: "[<options>] [<subject> …]",
    abstract: "Print changes of the data as they happen.",
    discussion: """
      The current state comes first, an event 'ready' or 'unavailable' for each subject, then every change until the \
      command is interrupted. On a terminal an event is a line of text, elsewhere a JSON object {event, subject, \
      generation, at, message}. If the server stops, a note on standard error says so; the command waits for it and \
      prints the state again. It needs a running server; without one, the exit status is 69.

        # Wait for the next change of the exchange rates and products
        citiesctl watch --limit 2 trade
      """)

  var subjects: [String] = []
  private var output: OutputFormat?
  private var limit: UInt64?
  var connection = ConnectionOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    subjects = table.arguments(
      "subject", "The subjects: cities, banks, trade (default: all).",
      completion: .choices { Subject.all.map(\.rawValue) })
    output = try table.option(
      "--output", short: "-o", "format", .choice { [.table, .tsv, .jsonl] },
      "The format: table, tsv or jsonl; table on a terminal, jsonl elsewhere.")
    limit = try table.option(
      "--limit", short: "-n", "n", .count(from: 1), "Exit after n events, the current state included.")
  }

  func perform(in context: Context) throws -> ExitStatus {
    let names = subjects.map { Subject(rawValue: $0) }
    var stream = WatchStream(connection.sharedConfiguration, subjects: names.isEmpty ? nil : names)
    defer { context.streamTiming = stream.timing }
    var left = limit ?? .max
    while left > 0, let news = try stream.next() {
      for event in events(of: news, context.diagnostics) where left > 0 {
        try write(event, to: context.output)
        left -= 1
      }
    }
    return .found
  }

  /// The events; a lost connection is reported on standard error instead.
  private func events(of news: WatchStream.News, _ diagnostics: Diagnostics) -> [Watch.Event] {
    switch news {
    case .event(let event): return [event]
    case .state(let state): return Self.events(of: state, at: Timestamp(secondsSince1970: SystemClock.seconds()))
    case .disconnected(let reason):
      diagnostics.note("disconnected", "\(reason.shortReason); waiting for the server")
      return []
    }
  }

  /// The state as one event per subject, in the order of their names.
  static func events(of state: Watch.Reply, at now: Timestamp) -> [Watch.Event] {
    state.ready.sorted { $0.key < $1.key }.map { name, isReady in
      Watch.Event(
        event: isReady ? "ready" : "unavailable", subject: Subject(rawValue: name), generation: state.generations[name],
        at: now)
    }
  }

  private func write(_ event: Watch.Event, to output: OutputStream) throws {
    let format = self.output ?? (output.isTerminal ? .table : .jsonl)
    if format == .table {
      output.write(page: Self.sentence(event) + "\n")
    } else {
      try RowRenderer(format: format).render(Listing(columns: Self.columns, rows: [event], total: 1), to: output)
    }
    try output.flush()
  }

  /// `2026-03-01T12:00:00Z  cities changed, generation 1f0c…`.
  static func sentence(_ event: Watch.Event) -> String {
    let subject = event.subject?.rawValue ?? "server"
    let generation = event.generation.map { ", generation \($0)" } ?? ""
    let message = event.message.map { ": \($0)" } ?? ""
    return visible("\(event.at.text)  \(subject) \(event.event)\(generation)\(message)")
  }

  /// `event subject generation at message`.
  private static let columns: [ListingColumn<Watch.Event>] = [
    ListingColumn("event") { .text($0.event) },
    ListingColumn("subject") { RowValue($0.subject?.rawValue) },
    ListingColumn("generation") { RowValue($0.generation) },
    ListingColumn("at") { .text($0.at.text) },
    ListingColumn("message") { RowValue($0.message) },
  ]
}
