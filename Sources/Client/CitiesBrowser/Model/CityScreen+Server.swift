internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

extension CityScreen {
  /// Inhabited places among which the suggestions around the user are chosen, and the ground that they lie on, in
  /// metres.
  private static let (neighbourhood, neighbourhoodRadius): (UInt64, Double) = (200, 50_000)
  /// The largest number of cities that are found by a name.
  private static let mostHits: UInt64 = 10
  /// What rows of the list say beyond what rows always do.
  private static let parts: [CityPart] = [.region, .zone]
  /// Titles among which those are counted that start with a sign: there are some 130.
  private static let mostSigns: UInt64 = 512

  /// Requests the data that the screen shows and does not have.
  mutating func ask(_ layout: Layout, _ window: inout RequestWindow) {
    // Replies come in the order of requests: when the titles arrive, what is above or below them is there.
    askForSuggestions(&window)
    askForHits(&window)
    askForSigns(&window)
    for page in !isStart || signs.isSettled ? seenTitles(layout).flatMap(rows.missing) : [] {
      let query = rows.query
      let question = CitySearch(
        prefix: query.prefix, match: query.match, sort: query.order == .key ? nil : query.order,
        offset: UInt64(page * rows.pageSize), limit: UInt64(rows.pageSize),
        generation: rows.isCurrent ? rows.generation : nil, with: Self.parts)
      guard let id = window.ask(.cities(question)) else { return }
      rows.didSend(page: page, id: id)
    }
    neighbours.setKey(view == .details ? selected?.id : nil)
    if neighbours.isMissing, let selected {
      let question = CityNear(place: Place(at: selected.position), limit: Self.neighbours + 1)
      guard let id = window.ask(.neighbours(question)) else { return }
      neighbours.didSend(id)
    }
    // Other names take the server a thousand times as long as a row: a preview does without them.
    otherNames.setKey(view == .details ? selected?.id : nil)
    if otherNames.isMissing, let selected, let id = window.ask(.city(CityGet(id: selected.id, with: [.alternates]))) {
      otherNames.didSend(id)
    }
    names.ask(drawn(layout), &window)
    settlePreview()
  }

  /// Whether the list shows all titles, in their order.
  private var isStart: Bool { rows.query.prefix.isEmpty && rows.query.order == .key }

  private mutating func askForSuggestions(_ window: inout RequestWindow) {
    guard purpose == .browse, isStart else { return }
    suggestions.setKeyKeepingValue(here.map { .around($0) } ?? .largest)
    guard suggestions.isMissing else { return }
    let request: BrowserRequest =
      if let here {
        .neighbours(
          CityNear(
            place: Place(at: here), limit: Self.neighbourhood, radius: Self.neighbourhoodRadius, with: Self.parts))
      } else {
        .cities(CitySearch(prefix: "", sort: .population, limit: UInt64(rows.pageSize), with: Self.parts))
      }
    if let id = window.ask(request) { suggestions.didSend(id) }
  }

  /// Once for all returns to the start: the answer is larger than all others.
  private mutating func askForSigns(_ window: inout RequestWindow) {
    guard isStart else { return }
    signs.setKey(rows.query.match)
    guard signs.isMissing else { return }
    let question = CitySearch(prefix: "", match: rows.query.match, limit: Self.mostSigns)
    if let id = window.ask(.cities(question)) { signs.didSend(id) }
  }

  private mutating func askForHits(_ window: inout RequestWindow) {
    let query = rows.query.prefix
    found.setKey(query.isSearched ? query : nil)
    guard found.isMissing else { return }
    let question = CityFind(query: query, limit: Self.mostHits, near: here.map { Place(at: $0) })
    if let id = window.ask(.found(question)) { found.didSend(id) }
  }

  /// Takes an answer, if it is still needed.
  ///
  /// - Parameters:
  ///   - id: The id of the answer.
  ///   - answer: The answer.
  ///   - layout: Where things stand.
  /// - Returns: `chosen` if the user has chosen a city while this answer was in progress.
  mutating func take(_ id: UInt64, _ answer: Result<BrowserReply, WireError>, _ layout: Layout) -> Reaction {
    if names.take(id, answer) { return .handled }
    switch answer {
    case .success(.cities(let reply)): return take(id, reply, layout)
    case .success(.found(let reply)): return take(id, reply, layout)
    case .success(.city(let reply)):
      if otherNames.claim(id) { otherNames.fill(reply.city.alternates ?? []) }
    case .success(.neighbours(let reply)):
      if neighbours.claim(id) {
        neighbours.fill(reply.rows)
      } else if suggestions.claim(id) {
        suggest(reply.rows.map(\.city), layout)
      }
    case .failure(let error): return take(id, error, layout)
    default: return .ignored
    }
    return .handled
  }

  private mutating func take(_ id: UInt64, _ reply: CitySearch.Reply, _ layout: Layout) -> Reaction {
    if suggestions.claim(id) {
      suggest(reply.rows, layout)
      return .handled
    }
    if signs.claim(id) {
      let count = reply.rows.prefix { $0.name.first?.isLetter == false }.count
      signs.fill(count < reply.rows.count ? count : 0)
      return .handled
    }
    let change = rows.take(
      id, rows: reply.rows, total: reply.total, generation: reply.generation, seen: seenTitles(layout)[0])
    if change == .none { return .ignored }
    adoptHits(layout)
    if change == .replaced { selectFirst(layout) }
    settle(layout)
    return chooseIfCurrent()
  }

  private mutating func take(_ id: UInt64, _ reply: CityFind.Reply, _ layout: Layout) -> Reaction {
    guard found.claim(id) else { return .ignored }
    found.fill(reply.rows)
    adoptHits(layout)
    settle(layout)
    return chooseIfCurrent()
  }

  private mutating func take(_ id: UInt64, _ error: WireError, _ layout: Layout) -> Reaction {
    if rows.take(id, error) { return .handled }
    if neighbours.claim(id) { neighbours.fail(error) }
    if suggestions.claim(id) { suggestions.fail(error) }
    if signs.claim(id) { signs.fail(error) }
    if otherNames.claim(id) { otherNames.fail(error) }
    guard found.claim(id) else { return .handled }
    // The titles are there without it.
    found.fail(error)
    adoptHits(layout)
    settle(layout)
    return chooseIfCurrent()
  }

  private mutating func suggest(_ cities: [CityRow], _ layout: Layout) {
    let inhabited = cities.filter { $0.population != nil }.enumerated()
      .sorted { ($1.element.population ?? 0, $0.offset) < ($0.element.population ?? 0, $1.offset) }
    suggestions.fill(inhabited.map(\.element))
    settle(layout)
  }

  /// Lists the cities that were found by the answered filter.
  private mutating func adoptHits(_ layout: Layout) {
    guard rows.isCurrent, let answered = rows.answered else { return }
    let found = found.key == answered.prefix ? found.value ?? [] : []
    // Where the start of the list is not at hand, what is above it stays.
    let firstTitle = rows[0]?.id ?? (hits.best.isEmpty ? found.first?.city.id : nil)
    let line = lines[cursor.selected]
    hits = CityHits(
      found, for: answered, purpose, hasTitles: rows.total > 0, firstTitle: firstTitle, visits: visits)
    follow(line, layout)
  }

  private mutating func chooseIfCurrent() -> Reaction {
    guard opensWhenCurrent, isCurrent else { return .handled }
    opensWhenCurrent = false
    return selected.map(Reaction.chosen) ?? .handled
  }

  /// Shows the preview when all of its data has come, so that it is drawn once.
  private mutating func settlePreview() {
    guard view == .list, let previewTarget, names.isSettled else { return }
    previewed = previewTarget
  }

  /// Forgets open requests.
  mutating func connectionLost() {
    rows.connectionLost()
    suggestions.connectionLost()
    found.connectionLost()
    neighbours.connectionLost()
    signs.connectionLost()
    otherNames.connectionLost()
    names.connectionLost()
  }

  /// The data of a subject has changed.
  mutating func outdated(_ subject: Subject) {
    guard subject == .cities else { return }
    rows.outdated()
    suggestions.outdated()
    found.outdated()
    neighbours.outdated()
    signs.outdated()
    otherNames.outdated()
    names.outdated()
  }

  /// Repeats requests for data that the server did not have yet.
  mutating func retry() {
    rows.retry()
    suggestions.retry()
    found.retry()
    signs.retry()
  }
}
