internal import CitiesClient
package import CitiesProtocol
internal import System

/// `time PLACE…`: the local time of places.
struct TimeVerb: RowVerb {
  static let command = CommandText(
    "time", usage: "[<options>] [<time>] [<place> ...]",
    abstract: "Show the local time and next clock change of places.",
    discussion: """
      Each argument is one place: the id or name of a city, or LAT,LON in degrees or a geo: URI, for the time of the \
      nearest city, of its own country if one is near; or a time zone: UTC, an offset such as +05:30 or UTC-3, or a name such as Europe/Tallinn. Codes of \
      cities, such as LHR, and abbreviations, such as EST, are refused (exit status 3). The default is the position \
      saved by 'citiesctl here'. A time before the first place, such as 14:30, 9am or 'friday 9am', or after 'at' at the \
      end, means that time there, as --at does. \
      The server computes the times from its time zone files.

      The columns are title, local (the time there), offset (from UTC), zone, and change: the next clock change, and \
      the local time after it. Tables also show the region, days of the week and the \
      difference to the first place, and on a terminal the day of each place with its working hours (9:00 to 17:00) and \
      those in common; JSON and --columns have abbreviation, \
      daylight (whether it is daylight-saving time) and the columns of 'show'. The exit status is 1 if no time is \
      known.

        # Show the time in three cities
        citiesctl time Tallinn Tokyo 'New York City'
        # Convert half past two in Tallinn to the time in Los Angeles
        citiesctl time 14:30 Tallinn 'Los Angeles, US'
        # Convert nine o'clock tomorrow morning in Tokyo
        citiesctl time tomorrow 9am Tokyo Tallinn
        # Convert a time of another day in Berlin to the time in Lima
        citiesctl time Berlin 'Lima, PE' --at 2026-03-29T15:00
      """)

  static let columns = CityTimeListing.columns

  private var words: [String] = []
  private var at: String?
  /// The words of which ``at`` was one, unless it was an option.
  private var whole: [String] = []
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments(
      "place", "A city's id or name, LAT,LON or a geo: URI; quote a name of several words.", completion: .place)
    at = try table.option(
      "--at", "time", .spokenMoment, "Show the time at this moment (default: now).",
      details: """
        A time with its offset as in RFC 3339, such as 2026-03-01T12:00:00+02:00; or, in the local time of the first \
        place, a time without it (2026-03-01T12:00), a day (2026-03-01, at noon), a time of today (14:30, 9am, \
        '8:30 pm', noon, or midnight, at which the day begins), or of another day ('tomorrow 9am', 'friday 14:00', which \
        may be today). A time that clocks skip or repeat there is noted on standard error.
        """)
    guard at == nil, let (time, rest) = try SpokenMoment.split(words) else { return }
    (at, whole, words) = (time, words, rest)
  }

  private var places: [Place] {
    get throws {
      if let position = try PlaceArgument.position(words) { return [Place(at: position)] }
      return try words.map { try PlaceArgument.parse($0, takesZones: true).acceptingLikely }
    }
  }

  /// Rejects invalid places.
  func validate() throws { _ = try places }

  func perform(in context: Context) throws -> ExitStatus {
    var places = try places
    if places.isEmpty { places = [Place(at: try HereFile(environment: context.environment).required())] }
    var (reply, isPartial): (CityTime.Reply, Bool)
    do {
      (reply, isPartial) = try resolved(&places, in: context)
    } catch {
      guard let name = nameInsteadOfTime(in: context) else { throw error }
      return try name.perform(in: context)
    }
    if context.isForPeople, join(&places, of: reply.rows, in: context) { reply = try times(places, in: context) }
    for (place, row) in zip(places, reply.rows) {
      if let query = place.query, let code = row.resolved, code.by == .code {
        throw ZoneArgument.ambiguous(query, of: code.city)
      }
    }
    context.noteSources(reply.sources)
    try context.render(CityTimeListing.of(reply))
    try context.writeHours(of: reply.rows)
    for (place, row) in zip(places, reply.rows) {
      context.note(row.resolved, for: place.query ?? "", isShown: context.isForPeople)
    }
    for (place, row) in zip(places, reply.rows) {
      if let note = ClockNote.far(place, row) { context.note("far", note) }
    }
    if let place = places.first, let note = clockNote(place, reply, in: context) {
      context.note("clock-change", note)
    }
    for row in reply.rows where row.local == nil {
      let reason =
        row.zone.map { "the server has no time zone file for \($0) (package tzdata)" } ?? "the list names no time zone"
      context.note("no-time", "\(row.city?.title ?? ""): no local time: \(reason)")
    }
    return isPartial ? .partial : reply.rows.contains { $0.local != nil } ? .found : .nothingFound
  }

  /// The verb without a time, if the word for it begins the name of a place, such as `noon texas`: an area alone has no
  /// time.
  private func nameInsteadOfTime(in context: Context) -> Self? {
    guard let at, !whole.isEmpty, !at.utf8.contains(where: isDigit) else { return nil }
    let name = whole.joined(separator: " ")
    guard (try? context.client().send(CityTime(places: [Place(query: name)]))) != nil else { return nil }
    var verb = self
    (verb.at, verb.whole, verb.words) = (nil, [], [name])
    return verb
  }

  /// The note about an asked time that the clocks of `place`, the first one, skip or repeat.
  private func clockNote(_ place: Place, _ reply: CityTime.Reply, in context: Context) -> String? {
    guard let at, let moment = SpokenMoment(at), let row = reply.rows.first else { return nil }
    return ClockNote.changed(moment, row) { seconds in
      guard let shown = reply.at.secondsSince1970 else { return nil }
      let earlier = CityTime(places: [place], at: Timestamp(secondsSince1970: shown - seconds).text)
      return (try? context.client().send(earlier))?.rows.first?.change
    }
  }

  /// The times of `places`, in which a name of several words becomes one place.
  ///
  /// On a terminal, a place that cannot be resolved is reported and left out, unless there is no other.
  ///
  /// - Returns: The reply, and whether a place was left out.
  private func resolved(_ places: inout [Place], in context: Context) throws -> (CityTime.Reply, isPartial: Bool) {
    var isPartial = false
    while true {
      do {
        return (try times(places, in: context), isPartial)
      } catch let failure as CommandFailure {
        guard let query = failure.query, let index = places.firstIndex(where: { ($0.query ?? $0.zone) == query })
        else {
          throw failure
        }
        let after = length(ofNameAt: index, in: places, context).map { index..<index + $0 }
        // An area after a place: `paris texas`.
        if let range = after ?? areaRange(endingAt: index, in: places, context) {
          let words = places[range].compactMap(\.query)
          places.replaceSubrange(range, with: [Place(query: words.joined(separator: " "))])
        } else if context.isForPeople, places.count > 1 {
          context.diagnostics.report(failure.advised(context.words))
          places.remove(at: index)
          isPartial = true
        } else {
          throw failure
        }
      }
    }
  }

  /// The largest number of places of which two may be one name without quotes.
  private static let mostJoined = 10

  /// Joins two words, each of which is a place, into the name of a larger city: `san francisco` without quotes is not
  /// San in Mali.
  ///
  /// - Returns: Whether there was one.
  private func join(_ places: inout [Place], of rows: [CityTime.Row], in context: Context) -> Bool {
    // Each pair is a request.
    guard places.count <= Self.mostJoined, rows.count == places.count else { return false }
    var isJoined = false
    for index in places.indices.dropLast().reversed() where index + 1 < places.count {
      guard let first = places[index].query, let second = places[index + 1].query else { continue }
      let people = rows[index...index + 1].map { $0.city?.population ?? 0 }.max() ?? 0
      let name = Place(query: "\(first) \(second)")
      guard let found = try? context.client().send(CityTime(places: [name])).rows.first?.city,
        found.population ?? 0 > people
      else { continue }
      places.replaceSubrange(index...index + 1, with: [name])
      isJoined = true
    }
    return isJoined
  }

  private func areaRange(endingAt index: Int, in places: [Place], _ context: Context) -> Range<Int>? {
    guard index > 0, length(ofNameAt: 0, in: Array(places[index - 1...index]), context) == 2 else { return nil }
    return index - 1..<index + 1
  }

  /// The number of words from `start` that are the name of a city together; `nil` if none are.
  private func length(ofNameAt start: Int, in places: [Place], _ context: Context) -> Int? {
    let words = places[start...].prefix { $0.query != nil }.compactMap(\.query)
    return (2..<max(2, words.count + 1)).reversed().first { count in
      let name = Place(query: words.prefix(count).joined(separator: " "))
      return (try? context.client().send(CityTime(places: [name]))) != nil
    }
  }

  /// The times of `places`; if one of them cannot be resolved, the failure has suggestions.
  private func times(_ places: [Place], in context: Context) throws -> CityTime.Reply {
    do {
      return try context.ask { (client) throws(ClientError) in try fetch(places, client) }
    } catch {
      let queries = places.compactMap { $0.query ?? $0.zone }
      guard !queries.isEmpty else { throw error }
      var failure = context.explained(error, about: queries)
      if let meanings = failure.query.flatMap(ZoneArgument.meanings) {
        failure.advice.append(meanings)
        (failure.status, failure.code) = (.ambiguous, "ambiguous")
      }
      // There is no --first.
      if failure.code == "not-found", !failure.candidates.isEmpty { failure.hint = "find has these:" }
      throw failure
    }
  }

  /// Sends as many places per request as allowed; all replies refer to the moment of the first.
  private func fetch(_ places: [Place], _ client: Client) throws(ClientError) -> CityTime.Reply {
    let moment = try at.flatMap { SpokenMoment($0) }?.text { () throws(ClientError) in
      try client.send(CityTime(places: Array(places.prefix(1)))).rows.first?.local
    }
    let count = CityTime.maximumPlaces
    var whole = try client.send(CityTime(places: Array(places.prefix(count)), at: moment))
    for start in stride(from: count, to: places.count, by: count) {
      let part = Array(places[start..<min(start + count, places.count)])
      whole.rows += try client.send(CityTime(places: part, at: whole.at.text)).rows
    }
    return whole
  }
}

extension Context {
  /// Writes the hours of a day at several places, for people.
  fileprivate func writeHours(of rows: [CityTime.Row]) throws {
    guard showsPage, let width = TerminalSize(descriptor: output.descriptor)?.columns, let hours = HourRows(rows) else {
      return
    }
    let lines = hours.lines(width: isPlain ? 0 : width, isUnicode: LocaleCodeset.isUTF8(environment))
    output.write("\n" + lines.map { $0 + "\n" }.joined())
    try output.flush()
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
      ListingColumn("offset", weight: .answer) { RowValue($0.offset) },
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
    var columns = columns
    if let first = reply.rows.first, reply.rows.count > 1, let place = columns.firstIndex(where: { $0.name == "zone" })
    {
      let difference = ListingColumn<CityTime.Row>("difference", in: .table, weight: .answer) { row in
        RowValue(row.difference(from: first))
      }
      columns.insert(difference, at: place)
    }
    return Listing(
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
