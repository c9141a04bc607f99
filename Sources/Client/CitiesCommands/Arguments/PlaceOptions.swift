internal import CitiesClient
package import CitiesProtocol

/// The options for resolving a name to a city.
struct PlaceOptions: ArgumentGroup {
  var first = false
  var strict = false

  mutating func declare(in table: inout ArgumentTable) throws {
    table.flag(&first, "--first", "Take the first city that 'find' finds, even by a prefix or a misspelt name.")
    table.flag(&strict, "--strict", "Accept only an exact title.")
  }

  func validate() throws {
    if first && strict { throw ValidationError("--first cannot be combined with --strict") }
  }

  /// The place in a line of standard input.
  ///
  /// - Throws: `ValidationError` for an invalid position, or an empty line.
  func place(line: String) throws -> Place {
    let position = try PlaceArgument.position(line.split(separator: " ").map(String.init))
    let place = try position.map(Place.init(at:)) ?? PlaceArgument.parse(line)
    guard strict, let query = place.query else { return place }
    return Place(title: query)
  }

  /// The place in `words`, taken together; `nil` without words.
  ///
  /// - Throws: `ValidationError` for an invalid position.
  func place(_ words: [String]) throws -> Place? {
    words.isEmpty ? nil : try place(line: words.joined(separator: " "))
  }
}

extension Context {
  /// Sends a request about a place; with `--first`, about the position of the first result of `find`.
  ///
  /// Prints the resolved city on standard error. If no city has the name, the failure lists the results of `find`.
  ///
  /// - Throws: ``CommandFailure``.
  func ask<Answer>(
    about place: Place, _ options: PlaceOptions, _ connection: ConnectionOptions,
    _ question: (Client, Place) throws(ClientError) -> (answer: Answer, resolved: ResolvedCity?)
  ) throws(CommandFailure) -> Answer {
    guard let query = place.query else { return try exchange(place, question, connection).answer }
    if options.first {
      let city = try first(of: query, connection).row.city
      return try exchange(Place(at: Position(lat: city.lat, lon: city.lon)), question, connection).answer
    }
    do throws(CommandFailure) {
      let (answer, resolved) = try exchange(place, question, connection)
      note(resolved, for: query)
      return answer
    } catch {
      throw explained(error, about: [query], connection)
    }
  }

  private func exchange<Answer>(
    _ place: Place, _ question: (Client, Place) throws(ClientError) -> (answer: Answer, resolved: ResolvedCity?),
    _ connection: ConnectionOptions
  ) throws(CommandFailure) -> (answer: Answer, resolved: ResolvedCity?) {
    do throws(ClientError) {
      return try ask(connection) { (client) throws(ClientError) in try question(client, place) }
    } catch {
      throw .inWordsOfTheUser(error)
    }
  }

  /// The first result of `find`, which prefers cities near `near`; it is printed on standard error.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  package func first(
    of query: String, near: Place? = nil, _ connection: ConnectionOptions
  ) throws(CommandFailure) -> (row: CityFind.Row, generation: String) {
    let reply: CityFind.Reply
    do throws(ClientError) {
      reply = try send(CityFind(query: query, limit: 1, near: near), connection)
    } catch {
      throw .inWordsOfTheUser(error)
    }
    note(reply.resolved, for: near?.query ?? "")
    guard let row = reply.rows.first else {
      throw CommandFailure(.nothingFound, code: "not-found", "no city is called \"\(query)\"")
    }
    note(ResolvedCity(by: row.by, city: row.city, matched: row.matched), for: query)
    return (row, reply.generation)
  }

  /// The city named by `place`, or of several the nearest to `near`; with `--first`, the first result of `find`.
  ///
  /// Prints the resolved cities on standard error, that of `place` only if `isNoted`.
  ///
  /// - Throws: `ClientError`; ``CommandFailure`` for a query, with suggestions.
  package func city(
    _ place: Place, near: Place?, takesFirst: Bool, with parts: [CityPart]? = nil, isNoted: Bool = true,
    _ connection: ConnectionOptions
  ) throws -> CityGet.Reply {
    if takesFirst, let query = place.query {
      let (row, generation) = try first(of: query, near: near, connection)
      return CityGet.Reply(city: row.city, generation: generation)
    }
    let request =
      place.id.map { CityGet(id: $0, with: parts) } ?? place.title.map { CityGet(title: $0, near: near, with: parts) }
      ?? CityGet(query: place.query ?? "", near: near, with: parts)
    do {
      let reply = try send(request, connection)
      noteSources(reply.sources, .table)
      if isNoted { note(reply.resolved, for: place.query ?? "") }
      note(reply.resolvedNear, for: near?.query ?? "")
      return reply
    } catch {
      guard let query = place.query else { throw error }
      throw explained(.inWordsOfTheUser(error), about: [query, near?.query].compactMap(\.self), connection)
    }
  }

  /// Prints the city to which a name was resolved, unless the name is the title of one city.
  package func note(_ resolved: ResolvedCity?, for query: String) {
    guard let resolved, resolved.by != .title else { return }
    let matched = resolved.matched.map { " (\($0))" } ?? ""
    diagnostics.note("resolved", "\"\(query)\" resolved to \(resolved.city.title)\(matched)")
  }

  /// The number of cities to list if no city has the name.
  private static var similar: UInt64 { 5 }

  /// Adds suggestions to the failure about one of `queries`: the results of `find` if no city has the name, or the
  /// command that draws the country if it is one.
  package func explained(
    _ failure: CommandFailure, about queries: [String], _ connection: ConnectionOptions
  ) -> CommandFailure {
    var failure = failure.about(queries)
    if let country = failure.country {
      failure.hint = "its largest cities:"
      failure.advice = ["'citiesctl map --country \(shellWord(country.lowercased()))' draws the country"]
    }
    guard failure.code == "not-found", let query = failure.query else { return failure }
    let request = CityFind(query: query, limit: Self.similar)
    guard let rows = try? client(connection).send(request).rows else { return failure }
    guard !rows.isEmpty else {
      failure.hint = (try? FindSuggestion.search(request, client(connection))) ?? nil
      return failure
    }
    failure.hint = "find has these; --first takes the first:"
    failure.candidates = rows.map { row in
      var city = row.city
      (city.region, city.regionCode) = (row.region, row.regionCode)
      return city
    }
    return failure
  }
}
