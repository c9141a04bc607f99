internal import CitiesClient
package import CitiesProtocol

/// The options for resolving a name to a city.
struct PlaceOptions: ArgumentGroup {
  var first = false
  var strict = false

  mutating func declare(in table: inout ArgumentTable) throws {
    first = table.flag("--first", "Take the first city that 'find' finds, even by a prefix or a misspelt name.")
    strict = table.flag("--strict", "Accept only an exact title.")
  }

  func validate() throws {
    if first && strict { throw ValidationError("--first cannot be combined with --strict") }
  }

  /// The place in a line of standard input.
  ///
  /// - Throws: `ValidationError` for an invalid position, or an empty line.
  func place(line: String) throws -> Place {
    let place = try PlaceArgument.parse(line)
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

extension CityRow {
  /// Its title, and its region in brackets, if it is known.
  fileprivate var titleWithRegion: String { region.map { "\(title) (\($0))" } ?? title }
}

extension Context {
  /// Sends a request about a place; with `--first`, about the position of the first result of `find`.
  ///
  /// Prints the resolved city on standard error. If no city has the name, the failure lists the results of `find`.
  ///
  /// - Throws: `ClientError`; ``CommandFailure`` for a name.
  func ask<Answer>(
    about place: Place, _ options: PlaceOptions,
    _ question: (Client, Place) throws(ClientError) -> (answer: Answer, resolved: ResolvedCity?)
  ) throws -> Answer {
    func exchange(_ place: Place) throws(ClientError) -> (answer: Answer, resolved: ResolvedCity?) {
      try ask { (client) throws(ClientError) in try question(client, place) }
    }
    guard let query = place.query else { return try exchange(place).answer }
    if options.first {
      let city = try first(of: query).row.city
      return try exchange(Place(at: Position(lat: city.lat, lon: city.lon))).answer
    }
    do {
      let (answer, resolved) = try exchange(place)
      note(resolved, for: query)
      return answer
    } catch {
      throw explained(error, about: [query])
    }
  }

  /// The first result of `find`, which prefers cities near `near`; it is printed on standard error.
  ///
  /// - Throws: `ClientError`; ``CommandFailure`` if there is none.
  package func first(of query: String, near: Place? = nil) throws -> (row: CityFind.Row, generation: String) {
    let reply = try send(CityFind(query: query, limit: 1, near: near))
    note(reply.resolved, for: near?.query ?? "")
    guard let row = reply.rows.first else {
      throw CommandFailure(.nothingFound, code: "not-found", "no city is called \"\(query)\"")
    }
    note(ResolvedCity(by: row.by, city: row.city, matched: row.matched), for: query)
    return (row, reply.generation)
  }

  /// The city named by `place`, or of several the nearest to `near`; with `--first`, the first result of `find`.
  ///
  /// Prints the resolved cities on standard error, that of `place` only if `isNoted` or if another may be meant.
  ///
  /// - Throws: `ClientError`; ``CommandFailure`` for a query, with suggestions.
  package func city(
    _ place: Place, near: Place?, takesFirst: Bool, with parts: [CityPart]? = nil, isNoted: Bool = true
  ) throws -> CityGet.Reply {
    if takesFirst, let query = place.query {
      let (row, generation) = try first(of: query, near: near)
      return CityGet.Reply(city: row.city, generation: generation)
    }
    let request =
      place.id.map { CityGet(id: $0, with: parts) } ?? place.title.map { CityGet(title: $0, near: near, with: parts) }
      ?? CityGet(query: place.query ?? "", near: near, likely: place.likely, with: parts)
    do {
      let reply = try send(request)
      noteSources(reply.sources, .table)
      note(reply.resolved, for: place.query ?? "", isShown: !isNoted)
      note(reply.resolvedNear, for: near?.query ?? "")
      return reply
    } catch {
      guard let query = place.query else { throw error }
      throw explained(error, about: [query, near?.query].compactMap(\.self))
    }
  }

  /// Prints the city to which a name was resolved, unless the name is the title of one city, or the answer shows it.
  ///
  /// If another city may be meant, both are printed in any case.
  package func note(_ resolved: ResolvedCity?, for query: String, isShown: Bool = false) {
    if let resolved, let second = resolved.second {
      let (first, other) = (resolved.city.titleWithRegion, second.titleWithRegion)
      diagnostics.note("likely", "\"\(query)\" is probably \(first); it may also be \(other)")
      return
    }
    guard let resolved, resolved.by != .title, !isShown else { return }
    let matched = resolved.matched.map { " (\($0))" } ?? ""
    diagnostics.note("resolved", "\"\(query)\" resolved to \(resolved.city.title)\(matched)")
  }

  /// The city with the code that a word in small letters may be; `nil` if there is none.
  func city(withCode word: String) -> CityRow? {
    guard word.utf8.count == 3, word.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
    let reply = try? client().send(CityFind(query: word.uppercased(), limit: 1))
    return reply?.rows.first.flatMap { $0.by == .code ? $0.city : nil }
  }

  /// The number of cities to list if no city has the name.
  private static var similar: UInt64 { 5 }

  /// Adds the names by which the candidates were found, as far as they are not in their titles.
  private func addMatchedNames(to failure: inout CommandFailure) {
    let request = CityFind(query: failure.query ?? "", limit: CityFind.maximumLimit, finished: true)
    guard let rows = (try? client().send(request))?.rows else { return }
    for index in failure.candidates.indices {
      let row = rows.first { $0.city.id == failure.candidates[index].id }
      failure.candidates[index].alternates = row?.matched.map { [$0] }
    }
  }

  /// The failure for an error about one of `queries`, with suggestions: the results of `find` if no city has the name,
  /// or the command that draws the country if it is one.
  package func explained(_ error: any Error, about queries: [String]) -> CommandFailure {
    var failure = CommandFailure(error).about(queries)
    if let country = failure.country {
      failure.hint = "its largest cities:"
      failure.advice = ["'citiesctl map --country \(quotedForShell(country.lowercased()))' draws the country"]
    }
    if let query = failure.query, ["me", "my", "home", "here"].contains(query.lowercased()) {
      failure.advice.insert("'citiesctl here PLACE' saves your position, and 'citiesctl near' starts from it", at: 0)
    }
    if failure.code == "ambiguous", failure.country == nil, isForPeople { addMatchedNames(to: &failure) }
    guard failure.code == "not-found", let query = failure.query else { return failure }
    if let city = city(withCode: query) {
      let command = quotedForShell(city.title)
      failure.advice.append("codes are typed in capitals: \(query.uppercased()) is \(city.title); or write \(command)")
    }
    let request = CityFind(query: query, limit: Self.similar, finished: true)
    guard let reply = try? client().send(request) else { return failure }
    guard !reply.rows.isEmpty else {
      failure.hint = reply.suggestion
      return failure
    }
    failure.hint = "find has these; --first takes the first:"
    failure.candidates = reply.rows.map { row in
      var city = row.city
      (city.region, city.regionCode) = (row.region, row.regionCode)
      return city
    }
    return failure
  }
}
