internal import CitiesMap
internal import CitiesProtocol

extension BankScreen {
  mutating func ask(_ layout: Layout, _ window: inout RequestWindow) {
    regions.setKey(true)
    regions.ask(&window, BankRegions()) { $0 }
    if list == .locations {
      rows.ask(&window, seen: [cursor.seen(count: rows.total, height: height(layout))]) {
        BankSearch(query: $0.words, filter: $0.conditions)
      }
    }
    nearest.setKey(scope == .nearest ? here : nil)
    nearest.ask(&window, here.map { BankNear(place: Place(at: $0), limit: Self.most) }) { $0 }
    details.setKey(view == .details ? selected.map { TextKey($0.location.id) } : nil)
    details.ask(&window, details.key.map { BankGet(id: $0.text) }) { $0.entry }
    if view != .list {
      if list == .locations { marked.setKeyKeepingValue(rows.query) }
      let all = marked.key.map { BankSearch(query: $0.words, filter: $0.conditions, limit: Self.most) }
      marked.ask(&window, all) { $0.rows }
    }
    pane.follow(selectedPosition)
    if view == .map, pane.view == nil, list == .nearest ? nearest.isSettled : marked.isSettled {
      pane.fit(marks.map(\.location.position), in: layout.map)
    }
    names.ask(drawn(layout), &window)
  }

  mutating func take(_ id: UInt64, _ answer: BrowserAnswer, _ layout: Layout) {
    if names.take(id, answer) || details.take(id, answer) { return }
    let followed = (pinned ?? entry(at: cursor.selected))?.location.id
    if regions.take(id, answer), regions.problem == nil { sources = regions.value?.sources }
    if nearest.take(id, answer), nearest.problem == nil { sources = nearest.value?.sources }
    if marked.take(id, answer) { return }
    switch answer {
    case .success(let page as BankPage):
      let change = rows.take(id, page, seen: [cursor.seen(count: rows.total, height: height(layout))])
      if change == .replaced { cursors[.locations] = nil }
      if change != .none { sources = page.sources }
    case .success: break
    case .failure(let error): _ = rows.take(id, error)
    }
    settle(layout)
    guard let followed, let line = cursor.nearest(within: rows.pageSize, { entry(at: $0)?.location.id == followed })
    else { return }
    cursors[list, default: ListCursor()].move(.to(line), count: count, height: height(layout))
  }

  mutating func apply(_ change: DataChange) {
    if change.concerns(.cities) { names.apply(change) }
    guard change.concerns(.banks) else { return }
    pinned = selected
    rows.apply(change)
    regions.apply(change)
    nearest.apply(change)
    details.apply(change)
    marked.apply(change)
  }
}
