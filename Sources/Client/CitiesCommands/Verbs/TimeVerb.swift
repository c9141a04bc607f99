import Base
internal import CitiesClient
package import CitiesProtocol

/// `time PLACE…`: the local time of places.
struct TimeVerb: RowVerb {
  static let command = CommandText(
    "time", usage: "[<options>] [<time>] [<place> ...]",
    abstract: "Show the local time and next clock change of places.",
    discussion: """
      Each argument is one place: the id or name of a city, or LAT,LON in degrees or a geo: URI, for the time of the \
      nearest city; or a time zone: UTC, an offset such as +05:30 or UTC-3, or a name such as Europe/Tallinn. Codes of \
      cities, such as LHR, and abbreviations, such as EST, are refused (exit status 3). The default is the position \
      saved by 'citiesctl here'. A time before the first place, such as 14:30, means that time there, as --at does. \
      The server computes the times from its time zone files.

      The columns are title, local (the time there), offset (from UTC), zone, and change: the next clock change, and \
      the local time after it. Tables also show the region and days of the week; JSON and --columns have abbreviation, \
      daylight (whether it is daylight-saving time) and the columns of 'show'. The exit status is 1 if no time is \
      known.

        # Show the time in three cities
        citiesctl time Tallinn Tokyo 'New York City'
        # Convert half past two in Tallinn to the time in Los Angeles
        citiesctl time 14:30 Tallinn 'Los Angeles, US'
        # Convert a time of another day in Berlin to the time in Lima
        citiesctl time Berlin 'Lima, PE' --at 2026-03-29T15:00
      """)

  static let columns = CityTimeListing.columns

  private var words: [String] = []
  private var at: String?
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    table.argument(
      &words, "place", "A city's id or name, LAT,LON or a geo: URI; quote a name of several words.", completion: .place)
    try table.option(
      &at, "--at", "time", .moment, "Show the time at this moment (default: now).",
      details: """
        A time with its offset as in RFC 3339, such as 2026-03-01T12:00:00+02:00; or, in the local time of the first \
        place, a time without it (2026-03-01T12:00), a day (2026-03-01, at noon) or a time of today (14:30).
        """)
    // No name of a city starts with a digit and contains a colon.
    guard at == nil, let first = words.first, first.first?.isNumber == true, first.contains(":") else { return }
    at = try OptionValue.moment.read("the time", words.removeFirst())
  }

  private var places: [Place] {
    get throws {
      if let position = try PlaceArgument.position(words) { return [Place(at: position)] }
      return try words.map { try ZoneArgument.zone($0).map(Place.init(zone:)) ?? PlaceArgument.parse($0) }
    }
  }

  /// Rejects invalid places.
  func validate() throws { _ = try places }

  func perform(in context: Context) throws -> ExitStatus {
    var places = try places
    if places.isEmpty { places = [Place(at: try HereFile(environment: context.environment).required())] }
    let reply = try resolved(places, in: context)
    for (place, row) in zip(places, reply.rows) {
      if let query = place.query, let code = row.resolved, code.by == .code {
        throw ZoneArgument.ambiguous(query, of: code.city)
      }
    }
    noteSources(reply.sources, in: context)
    try context.render(CityTimeListing.of(reply), rendering)
    if !isForPeople(in: context) {
      for (place, row) in zip(places, reply.rows) { context.note(row.resolved, for: place.query ?? "") }
    }
    for row in reply.rows where row.local == nil {
      let reason =
        row.zone.map { "the server has no time zone file for \($0) (package tzdata)" } ?? "the list names no time zone"
      context.diagnostics.note("no-time", "\(row.city?.title ?? ""): no local time: \(reason)")
    }
    return reply.rows.contains { $0.local != nil } ? .found : .nothingFound
  }

  /// The times of `places`; if one of them cannot be resolved, the failure has suggestions.
  private func resolved(_ places: [Place], in context: Context) throws -> CityTime.Reply {
    do {
      return try context.ask(connection) { (client) throws(ClientError) in try fetch(places, client) }
    } catch {
      let queries = places.compactMap { $0.query ?? $0.zone }
      guard !queries.isEmpty else { throw error }
      var failure = context.explained(.inWordsOfTheUser(error), about: queries, connection)
      if let meanings = failure.query.flatMap(ZoneArgument.meanings) {
        failure.advice.append(meanings)
        (failure.status, failure.code) = (.ambiguous, "ambiguous")
      }
      if failure.code == "not-found" {
        // There is no --first, and it is unknown whether the words are one name.
        if !failure.candidates.isEmpty { failure.hint = "find has these:" }
        if queries.count > 1 {
          failure.query = nil
          let words = shellWord(words.joined(separator: " "))
          failure.advice.append("a name of several words is one argument: citiesctl time \(words)")
        }
      }
      throw failure
    }
  }

  /// Sends as many places per request as allowed; all replies refer to the moment of the first.
  private func fetch(_ places: [Place], _ client: Client) throws(ClientError) -> CityTime.Reply {
    var rest = places[...]
    let count = CityTime.maximumPlaces
    var whole = try client.send(CityTime(places: Array(rest.prefix(count)), at: at))
    rest = rest.dropFirst(count)
    while !rest.isEmpty {
      whole.rows += try client.send(CityTime(places: Array(rest.prefix(count)), at: whole.at.text)).rows
      rest = rest.dropFirst(count)
    }
    return whole
  }
}

/// The columns of local times.
package enum CityTimeListing {
  /// `title local offset zone change`, and in JSON all other known fields.
  static let columns: [ListingColumn<CityTime.Row>] =
    [
      ListingColumn("title", weight: .name) { RowValue($0.city?.title ?? $0.zone) },
      ListingColumn("region", in: .table, weight: .region) { RowValue($0.city?.region) },
      ListingColumn("local", in: .table, form: .whole, weight: .name, look: { _ in nil }) {
        RowValue($0.local.map { shown($0) })
      },
      ListingColumn("local", in: [.rows, .json]) { RowValue($0.local) },
      ListingColumn("offset", weight: .region) { RowValue($0.offset) },
      ListingColumn("zone", weight: .id) { RowValue($0.zone) },
      ListingColumn("change", in: .table, form: .whole) { row in RowValue(row.change.map { shown($0) }) },
      ListingColumn("change", in: [.rows, .json]) { row in
        row.change.map { .wire($0, $0.local + $0.offset) } ?? .absent
      },
      ListingColumn("abbreviation", in: .json) { RowValue($0.abbreviation) },
      ListingColumn("daylight", in: .json) { row in row.daylight.map { .flag($0) } ?? .absent },
    ] + details.map { column in column.of { $0.city } }

  /// The fields of cities in JSON.
  private static let details = CityListing.columns.filter {
    $0.places.contains(.json) && $0.name != "title" && $0.name != "zone"
  }.map { ListingColumn($0.name, in: .json, form: $0.form, $0.value) }

  /// Times as a listing.
  static func of(_ reply: CityTime.Reply) -> Listing<CityTime.Row> {
    Listing(
      columns: columns, rows: reply.rows, total: UInt64(reply.rows.count), generation: reply.generation,
      sources: reply.sources, members: [("at", .text(reply.at.text))], city: { $0.city })
  }

  /// A local time for people: `Sun 2026-03-29 02:59:59`; without seconds if there are none.
  package static func shown(_ local: String) -> String {
    guard let seconds = try? RFC3339.parse(local + "Z") else { return local }
    let time = local.hasSuffix(":00") ? local.dropLast(3) : local[...]
    return "\(WeekText.days[WeekText.weekday(seconds)].prefix(3)) \(time.prefix(10)) \(time.dropFirst(11))"
  }

  /// A change for people: `Sun 2026-03-29 04:00 (+03:00)`.
  package static func shown(_ change: CityTime.Change) -> String { "\(shown(change.local)) (\(change.offset))" }
}
