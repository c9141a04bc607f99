internal import CitiesProtocol

extension BankScreen {
  mutating func ask(_ layout: Layout, _ asker: inout Asker) {
    regions.turn(to: true)
    if regions.isMissing, let id = asker.ask(.regions(BankRegions())) { regions.note(id) }
    if list == .locations { askForRows(layout, &asker) }
    nearest.turn(to: scope == .nearest ? here : nil)
    if nearest.isMissing, let here,
      let id = asker.ask(.nearLocations(BankNear(place: Place(at: here), limit: Self.most)))
    {
      nearest.note(id)
    }
    details.turn(to: view == .details ? selected?.location.id : nil)
    if details.isMissing, let key = details.key, let id = asker.ask(.location(BankGet(id: key))) { details.note(id) }
    if view != .list && list == .locations { marked.turnKeeping(to: rows.query) }
    if view != .list && marked.isMissing, let key = marked.key {
      let question = BankSearch(query: key.words, filter: key.conditions, limit: Self.most)
      if let id = asker.ask(.locations(question)) { marked.note(id) }
    }
  }

  private mutating func askForRows(_ layout: Layout, _ asker: inout Asker) {
    let size = PagedRows<Query, BankEntry>.pageSize
    for page in rows.missing(seen: cursor.seen(count: rows.total, height: height(layout))) {
      let question = BankSearch(
        query: rows.query.words, filter: rows.query.conditions, offset: UInt64(page * size), limit: UInt64(size),
        generation: rows.isCurrent ? rows.generation : nil)
      guard let id = asker.ask(.locations(question)) else { return }
      rows.note(page: page, id: id)
    }
  }

  mutating func take(_ id: UInt64, _ answer: Result<Answer, WireError>, _ layout: Layout) -> Reaction {
    switch answer {
    case .success(.regions(let reply)):
      if regions.awaits(id) {
        regions.fill(reply)
        sources = reply.sources
      }
    case .success(.locations(let page)): take(id, page, layout)
    case .success(.nearLocations(let reply)):
      if nearest.awaits(id) {
        nearest.fill(reply.rows)
        sources = reply.sources
      }
    case .success(.location(let reply)):
      if details.awaits(id) { details.fill(reply.entry) }
    case .failure(let error): take(id, error)
    default: return .ignored
    }
    settle(layout)
    return .handled
  }

  private mutating func take(_ id: UInt64, _ page: BankPage, _ layout: Layout) {
    if marked.awaits(id) {
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
    if regions.awaits(id) { regions.fail(error) }
    if nearest.awaits(id) { nearest.fail(error) }
    if details.awaits(id) { details.fail(error) }
    if marked.awaits(id) { marked.fail(error) }
  }

  mutating func lost() {
    rows.lost()
    regions.lost()
    nearest.lost()
    details.lost()
    marked.lost()
  }

  mutating func outdated(_ subject: Subject) {
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
