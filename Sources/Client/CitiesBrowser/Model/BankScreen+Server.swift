internal import CitiesMap
internal import CitiesProtocol

extension BankScreen {
  mutating func ask(_ layout: Layout, _ window: inout RequestWindow) {
    regions.setKey(true)
    if regions.isMissing, let id = window.ask(.regions(BankRegions())) { regions.didSend(id) }
    if list == .locations { askForRows(layout, &window) }
    nearest.setKey(scope == .nearest ? here : nil)
    if nearest.isMissing, let here,
      let id = window.ask(.nearLocations(BankNear(place: Place(at: here), limit: Self.most)))
    {
      nearest.didSend(id)
    }
    details.setKey(view == .details ? selected?.location.id : nil)
    if details.isMissing, let key = details.key, let id = window.ask(.location(BankGet(id: key))) {
      details.didSend(id)
    }
    if view != .list && list == .locations { marked.setKeyKeepingValue(rows.query) }
    if view != .list && marked.isMissing, let key = marked.key {
      let question = BankSearch(query: key.words, filter: key.conditions, limit: Self.most)
      if let id = window.ask(.locations(question)) { marked.didSend(id) }
    }
    names.ask(drawn(layout), &window)
  }

  private mutating func askForRows(_ layout: Layout, _ window: inout RequestWindow) {
    let size = rows.pageSize
    for page in rows.missing(seen: cursor.seen(count: rows.total, height: height(layout))) {
      let question = BankSearch(
        query: rows.query.words, filter: rows.query.conditions, offset: UInt64(page * size), limit: UInt64(size),
        generation: rows.isCurrent ? rows.generation : nil)
      guard let id = window.ask(.locations(question)) else { return }
      rows.didSend(page: page, id: id)
    }
  }

  mutating func take(_ id: UInt64, _ answer: Result<BrowserReply, WireError>, _ layout: Layout) -> Reaction {
    if names.take(id, answer) { return .handled }
    switch answer {
    case .success(.regions(let reply)):
      if regions.claim(id) {
        regions.fill(reply)
        sources = reply.sources
      }
    case .success(.locations(let page)): take(id, page, layout)
    case .success(.nearLocations(let reply)):
      if nearest.claim(id) {
        nearest.fill(reply.rows)
        sources = reply.sources
      }
    case .success(.location(let reply)):
      if details.claim(id) { details.fill(reply.entry) }
    case .failure(let error): take(id, error)
    default: return .ignored
    }
    settle(layout)
    return .handled
  }

  private mutating func take(_ id: UInt64, _ page: BankPage, _ layout: Layout) {
    if marked.claim(id) {
      marked.fill(page.rows)
      if view == .map && selected == nil { pane.fit(marks.map(\.location.position), in: layout.map) }
      return
    }
    let seen = cursor.seen(count: rows.total, height: height(layout))
    let change = rows.take(id, rows: page.rows, total: page.total, generation: page.generation, seen: seen)
    if change == .replaced { cursors[.locations] = nil }
    if change != .none { sources = page.sources }
  }

  private mutating func take(_ id: UInt64, _ error: WireError) {
    if rows.take(id, error) { return }
    if regions.claim(id) { regions.fail(error) }
    if nearest.claim(id) { nearest.fail(error) }
    if details.claim(id) { details.fail(error) }
    if marked.claim(id) { marked.fail(error) }
  }

  mutating func connectionLost() {
    rows.connectionLost()
    regions.connectionLost()
    nearest.connectionLost()
    details.connectionLost()
    marked.connectionLost()
    names.connectionLost()
  }

  mutating func outdated(_ subject: Subject) {
    if subject == .cities { names.outdated() }
    guard subject == .banks else { return }
    rows.outdated()
    regions.outdated()
    nearest.outdated()
    details.outdated()
    marked.outdated()
  }

  mutating func retry() {
    rows.retry()
    regions.retry()
    nearest.retry()
  }
}
