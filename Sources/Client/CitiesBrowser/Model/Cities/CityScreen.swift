internal import CitiesProtocol

/// The screen of the cities: a filter, the list of all that match, and what is known of the selected one.
struct CityScreen: Sendable {
  /// What the list shows.
  struct Query: Hashable, Sendable {
    /// What titles begin with.
    var prefix = ""
    /// How they are compared.
    var match: MatchMode = .folded
  }

  /// What is seen.
  enum View: Hashable, Sendable {
    /// The list.
    case list
    /// The selected city.
    case details
  }

  /// Neighbours that are shown of a city.
  static let neighbours: UInt64 = 12

  /// The filter.
  var filter: LineEditor
  /// Whether letters are typed into the filter; else they are commands.
  var isTyping = true
  /// What is seen.
  var view = View.list
  /// The cities that match.
  private(set) var rows: PagedRows<Query, CityRow>
  /// Where the list stands.
  private(set) var cursor = ListCursor()
  /// The neighbours of the selected city, by its id.
  private(set) var neighbours = Slot<UInt64, [CityNear.Neighbour]>()
  /// Whether the selected city was asked for while the list was still that of an earlier filter.
  private(set) var opensWhenCurrent = false

  /// Begins with a filter.
  init(prefix: String = "") {
    filter = LineEditor(prefix)
    rows = PagedRows(Query(prefix: prefix))
  }

  /// The selected city, if it is there.
  var selected: CityRow? { rows[cursor.selected] }

  /// What a key came to.
  enum Outcome {
    /// It meant nothing here.
    case ignored
    /// It was dealt with.
    case handled
    /// The selected city was chosen.
    case chosen(CityRow)
  }

  /// Moves through the list.
  mutating func move(_ move: ListCursor.Move, _ layout: Layout) {
    opensWhenCurrent = false
    cursor.move(move, count: rows.total, height: layout.cities)
  }

  /// Brings the view to the selection after the screen's size has changed.
  mutating func settle(_ layout: Layout) { cursor.settle(count: rows.total, height: layout.cities) }

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
  mutating func choose() -> Outcome {
    guard rows.isCurrent, let selected else {
      opensWhenCurrent = !rows.isCurrent
      return .handled
    }
    return .chosen(selected)
  }

  // MARK: - The server

  /// Asks for what is to be seen and not there.
  mutating func ask(_ layout: Layout, _ asker: inout Asker) {
    for page in rows.missing(seen: cursor.seen(count: rows.total, height: layout.cities)) {
      let question = CitySearch(
        prefix: rows.query.prefix, match: rows.query.match,
        offset: UInt64(page * PagedRows<Query, CityRow>.pageSize), limit: UInt64(PagedRows<Query, CityRow>.pageSize),
        generation: rows.isCurrent ? rows.generation : nil)
      guard let id = asker.ask(.cities(question)) else { return }
      rows.note(page: page, id: id)
    }
    neighbours.turn(to: view == .details ? selected?.id : nil)
    if neighbours.isMissing, let selected {
      let question = CityNear(place: Place(at: .init(lat: selected.lat, lon: selected.lon)), limit: Self.neighbours + 1)
      guard let id = asker.ask(.neighbours(question)) else { return }
      neighbours.note(id)
    }
  }

  /// Takes an answer, if it is still wanted.
  ///
  /// - Returns: the city that the user chose while this answer was under way.
  mutating func take(_ id: UInt64, _ answer: Result<Answer, WireError>, _ layout: Layout) -> CityRow? {
    switch answer {
    case .success(.cities(let reply)): return take(id, reply, layout)
    case .success(.neighbours(let reply)):
      if neighbours.awaits(id) { neighbours.fill(reply.rows) }
    case .failure(let error):
      if rows.take(id, error) { return nil }
      if neighbours.awaits(id) { neighbours.fail(error) }
    }
    return nil
  }

  private mutating func take(_ id: UInt64, _ reply: CitySearch.Reply, _ layout: Layout) -> CityRow? {
    let seen = cursor.seen(count: rows.total, height: layout.cities)
    let change = rows.take(id, rows: reply.rows, total: reply.total, generation: reply.generation, seen: seen)
    if change == .none { return nil }
    if change == .replaced { cursor = ListCursor() }
    cursor.settle(count: rows.total, height: layout.cities)
    guard opensWhenCurrent else { return nil }
    opensWhenCurrent = false
    return selected
  }

  /// Forgets what is under way.
  mutating func lost() {
    rows.lost()
    neighbours.lost()
  }

  /// The cities have changed.
  mutating func outdated() {
    rows.outdated()
    neighbours.outdated()
  }
}
