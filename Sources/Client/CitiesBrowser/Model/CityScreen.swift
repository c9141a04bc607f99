internal import CitiesMap
internal import CitiesProtocol

/// The screen of the cities: a filter, the list of all that match, and what is known of the selected one.
struct CityScreen: FilteredScreen {
  struct Query: Hashable, Sendable {
    var prefix = ""
    var match: MatchMode = .folded
  }

  /// Neighbours that are shown of a city.
  static let neighbours: UInt64 = 12

  var filter: LineEditor
  /// Whether letters are typed into the filter; else they are commands.
  var isTyping = true
  private(set) var view = ScreenView.list
  var pane = MapPane()
  /// The cities that are named on the map.
  private(set) var names = MapNames()
  private(set) var rows: PagedRows<Query, CityRow>
  private(set) var cursor = ListCursor()
  /// The neighbours of the selected city, by its id.
  private(set) var neighbours = FetchedValue<UInt64, [CityNear.Neighbour]>()
  /// Whether the selected city was asked for while the list was still that of an earlier filter.
  private(set) var opensWhenCurrent = false

  init(prefix: String = "") {
    filter = LineEditor(prefix)
    rows = PagedRows(Query(prefix: prefix))
  }

  /// The selected city, if it is there.
  var selected: CityRow? { rows[cursor.selected] }
  var selectedPosition: Position? { selected?.position }

  var isWaitingForData: Bool { rows.problem?.mayPass == true }

  /// The part of the world that is drawn, if any is.
  func drawn(_ layout: Layout) -> Viewport? {
    switch view {
    case .list: nil
    case .details: selected.map { .around($0.position, in: layout.detailsMap) }
    case .map: pane.view
    }
  }

  mutating func move(_ move: ListCursor.Move, _ layout: Layout) {
    opensWhenCurrent = false
    cursor.move(move, count: rows.total, height: layout.cities)
  }

  /// Brings the view to the selection after the screen's size has changed.
  mutating func settle(_ layout: Layout) {
    cursor.settle(count: rows.total, height: layout.cities)
    pane.resize(to: layout.map)
  }

  /// Turns to another view of the same selection.
  mutating func show(_ view: ScreenView, _ layout: Layout) {
    if view == .map, let selected {
      pane.focus(selected.position, width: Viewport.usualWidth, in: layout.map)
    } else if view == .map && pane.view == nil {
      pane.fit([], in: layout.map)
    }
    self.view = view
  }

  /// Lists what the filter says now.
  mutating func applyFilter() {
    opensWhenCurrent = false
    rows.ask(Query(prefix: filter.text, match: rows.query.match))
  }

  /// Turns accents on or off.
  mutating func toggleMatch() {
    rows.ask(Query(prefix: filter.text, match: rows.query.match == .folded ? .plain : .folded))
  }

  /// Chooses the selected city; while the list is still an earlier one, as soon as it is the right one.
  mutating func choose() -> Reaction {
    guard rows.isCurrent, let selected else {
      opensWhenCurrent = !rows.isCurrent
      return .handled
    }
    return .chosen(selected)
  }

  // MARK: - The server

  /// Asks for what is to be seen and not there.
  mutating func ask(_ layout: Layout, _ window: inout RequestWindow) {
    for page in rows.missing(seen: cursor.seen(count: rows.total, height: layout.cities)) {
      let question = CitySearch(
        prefix: rows.query.prefix, match: rows.query.match,
        offset: UInt64(page * PagedRows<Query, CityRow>.pageSize), limit: UInt64(PagedRows<Query, CityRow>.pageSize),
        generation: rows.isCurrent ? rows.generation : nil)
      guard let id = window.ask(.cities(question)) else { return }
      rows.didSend(page: page, id: id)
    }
    neighbours.setKey(view == .details ? selected?.id : nil)
    if neighbours.isMissing, let selected {
      let question = CityNear(place: Place(at: selected.position), limit: Self.neighbours + 1)
      guard let id = window.ask(.neighbours(question)) else { return }
      neighbours.didSend(id)
    }
    names.ask(drawn(layout), &window)
  }

  /// Takes an answer, if it is still wanted.
  ///
  /// - Parameters:
  ///   - id: The id of the answer.
  ///   - answer: The answer.
  ///   - layout: Where things stand.
  /// - Returns: `chosen` if the user has chosen a city while this answer was under way.
  mutating func take(_ id: UInt64, _ answer: Result<BrowserReply, WireError>, _ layout: Layout) -> Reaction {
    if names.take(id, answer) { return .handled }
    switch answer {
    case .success(.cities(let reply)): return take(id, reply, layout)
    case .success(.neighbours(let reply)):
      if neighbours.claim(id) { neighbours.fill(reply.rows) }
    case .failure(let error):
      if rows.take(id, error) { return .handled }
      if neighbours.claim(id) { neighbours.fail(error) }
    default: return .ignored
    }
    return .handled
  }

  private mutating func take(_ id: UInt64, _ reply: CitySearch.Reply, _ layout: Layout) -> Reaction {
    let seen = cursor.seen(count: rows.total, height: layout.cities)
    let change = rows.take(id, rows: reply.rows, total: reply.total, generation: reply.generation, seen: seen)
    if change == .none { return .ignored }
    if change == .replaced { cursor = ListCursor() }
    cursor.settle(count: rows.total, height: layout.cities)
    guard opensWhenCurrent else { return .handled }
    opensWhenCurrent = false
    return selected.map(Reaction.chosen) ?? .handled
  }

  /// Forgets what is under way.
  mutating func connectionLost() {
    rows.connectionLost()
    neighbours.connectionLost()
    names.connectionLost()
  }

  /// The data of a subject has changed.
  mutating func outdated(_ subject: Subject) {
    guard subject == .cities else { return }
    rows.outdated()
    neighbours.outdated()
    names.outdated()
  }

  /// Asks again for what was not there yet.
  mutating func retry() { rows.retry() }
}

extension CityScreen {
  mutating func pressInList(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .enter: return choose()
    case .press(let row, _):
      guard let city = layout.city(atRow: row), cursor.top + city < rows.total else { return .ignored }
      move(.to(cursor.top + city), layout)
    case .character("a"), .alt("a"): toggleMatch()
    default: return .ignored
    }
    return .handled
  }

  mutating func pressInDetails(_ key: KeyPress, _ layout: Layout) -> Reaction { .ignored }

  mutating func pressOnMap(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .character("0"): show(.map, layout)
    case .enter: return choose()
    default: return .ignored
    }
    return .handled
  }
}
