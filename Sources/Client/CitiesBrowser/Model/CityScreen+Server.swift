internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

extension CityScreen {
  /// The number of places from which the suggestions around the user are chosen, and the radius around the user in
  /// metres.
  private static let (neighbourhood, neighbourhoodRadius): (UInt64, Double) = (200, 50_000)
  /// The maximum number of hits of `city.find`.
  private static let mostHits: UInt64 = 10
  /// The optional parts of the list's rows.
  private static let parts: [CityPart] = [.region, .zone]
  /// The number of first titles that are fetched to count those that start with a sign, which are about 130.
  private static let mostSigns: UInt64 = 512

  /// Requests the data that the screen shows and lacks.
  mutating func ask(_ layout: Layout, _ window: inout RequestWindow) {
    // Replies arrive in the order of requests: the rows above and below the titles arrive before the titles.
    askForSuggestions(&window)
    askForHits(&window)
    askForSigns(&window)
    rows.ask(&window, seen: !isStart || signs.isSettled ? seenTitles(layout) : []) {
      CitySearch(prefix: $0.prefix, match: $0.match, sort: $0.order == .key ? nil : $0.order, with: Self.parts)
    }
    let detailed = view == .details ? selected : nil
    neighbours.setKey(detailed?.id)
    // As in `show`: the best-known cities around, without the districts of this one.
    let near = detailed.map { CityNear(place: Place(at: $0.position), rule: .place, limit: Self.weighed) }
    neighbours.ask(&window, near) { reply in
      let others = reply.rows.filter { row in
        row.city.id != detailed?.id && detailed.map { !row.city.isPart(of: $0, metres: Double(row.distance)) } ?? true
      }
      return Array(others.prefix(Self.neighbours))
    }
    time.setKey(detailed?.id)
    time.ask(&window, detailed.map { CityTime(places: [Place(at: $0.position)]) }) { $0 }
    // Other names take the server a thousand times as long as a row: previews do not have them.
    otherNames.setKey(detailed?.id)
    otherNames.ask(&window, detailed.map { CityGet(id: $0.id, with: [.alternates]) }) {
      SortedNames($0.city.alternates ?? []).names
    }
    pane.follow(selectedPosition)
    names.ask(drawn(layout), &window)
    settlePreview()
  }

  /// Whether the list shows all titles, in their order.
  private var isStart: Bool { rows.query.prefix.isEmpty && rows.query.order == .key }

  private mutating func askForSuggestions(_ window: inout RequestWindow) {
    guard isStart else { return }
    around.setKeyKeepingValue(here)
    let near = here.map {
      CityNear(place: Place(at: $0), limit: Self.neighbourhood, radius: Self.neighbourhoodRadius, with: Self.parts)
    }
    around.ask(&window, near) { Self.suggested($0.rows.map(\.city)) }
    let request = CitySearch(prefix: "", sort: .population, limit: UInt64(rows.pageSize), with: Self.parts)
    largest.ask(&window, request) { Self.suggested($0.rows) }
  }

  /// Requested only once, because the answer is larger than all others.
  private mutating func askForSigns(_ window: inout RequestWindow) {
    guard isStart else { return }
    signs.setKey(rows.query.match)
    signs.ask(&window, CitySearch(prefix: "", match: rows.query.match, limit: Self.mostSigns)) { reply in
      let count = reply.rows.prefix { !Self.startsWithLetter($0.name) }.count
      return count < reply.rows.count ? count : 0
    }
  }

  /// Whether the first letter of a name is one by which it is ordered: the ʻokina of ʻEwa Beach is not.
  private static func startsWithLetter(_ name: String) -> Bool {
    name.unicodeScalars.first.map { $0.properties.isAlphabetic && $0.properties.generalCategory != .modifierLetter }
      ?? false
  }

  private mutating func askForHits(_ window: inout RequestWindow) {
    let query = rows.query.prefix
    found.setKey(query.isSearched ? TextKey(query) : nil)
    guard found.isMissing else { return }
    if let position = PositionText.typed(query) {
      let near = CityNear(place: Place(at: position), limit: Self.mostHits, with: Self.parts)
      found.ask(&window, near) { $0.rows.map { CityFind.Row(by: .near, city: $0.city) } }
    } else {
      // A city is picked among the rows of `citiesctl find`, which uses no saved position.
      let near = purpose == .pick ? nil : here.map { Place(at: $0) }
      found.ask(&window, CityFind(query: query, limit: Self.mostHits, near: near, finished: true)) { $0.rows }
    }
  }

  /// Takes an answer, if it is still needed.
  ///
  /// - Parameters:
  ///   - id: The id of the answer.
  ///   - answer: The answer.
  ///   - layout: The layout of the screen.
  mutating func take(_ id: UInt64, _ answer: BrowserAnswer, _ layout: Layout) {
    if names.take(id, answer) || neighbours.take(id, answer) || otherNames.take(id, answer) || time.take(id, answer) {
      return
    }
    // The first line stays the first.
    let isFirst = cursor.selected <= lines.city(from: 0, towards: 1)
    var followed = isFirst ? nil : pinned ?? city(lines[cursor.selected])
    switch answer {
    case _ where signs.take(id, answer) || around.take(id, answer) || largest.take(id, answer): break
    case .success(let reply as CitySearch.Reply):
      let change = rows.take(id, reply, seen: seenTitles(layout))
      if change == .none { return }
      adoptHits()
      if change == .replaced { (cursor, followed) = (ListCursor(), nil) }
    case .failure(let error) where rows.take(id, error): return
    default:
      guard found.take(id, answer) else { return }
      adoptHits()
    }
    settle(layout)
    follow(followed, layout)
  }

  /// The cities with a known population, the largest first.
  private static func suggested(_ cities: [CityRow]) -> [CityRow] {
    cities.filter { $0.population != nil }.enumerated()
      .sorted { ($1.element.population ?? 0, $0.offset) < ($0.element.population ?? 0, $1.offset) }
      .map(\.element)
  }

  /// Lists the hits of the answered filter.
  private mutating func adoptHits() {
    guard rows.isCurrent, let answered = rows.answered else { return }
    let found = found.key?.text == answered.prefix ? found.value ?? [] : []
    // If the first title is not fetched, the rows above the titles stay.
    let firstTitle = rows[0]?.id ?? (hits.rows.isEmpty ? found.first?.city.id : nil)
    hits = CityHits(found, hasTitles: rows.total > 0, firstTitle: firstTitle, visits: visits)
  }

  /// Shows the preview when all of its data has arrived, so that it is drawn once.
  private mutating func settlePreview() {
    guard view == .list, let previewTarget, names.isSettled else { return }
    previewed = previewTarget
  }

  mutating func apply(_ change: DataChange) {
    guard change.concerns(.cities) else { return }
    pinned = selected
    rows.apply(change)
    around.apply(change)
    largest.apply(change)
    found.apply(change)
    neighbours.apply(change)
    signs.apply(change)
    otherNames.apply(change)
    time.apply(change)
    names.apply(change)
  }
}
