internal import CitiesMap
internal import CitiesProtocol

/// The screen of the cities: a filter, the list of matches, and the details of the selected one.
struct CityScreen: FilteredScreen {
  struct Query: Hashable, Sendable {
    var prefix = ""
    var match: MatchMode = .folded
    var order: CitySearch.Sort = .key
  }

  /// The maximum number of visited cities at the start of the list.
  static let mostVisits = 5
  /// The number of neighbours in the details.
  static let neighbours = 12
  /// The number of cities around a city that are weighed.
  static let weighed: UInt64 = 500

  /// The purpose of the browser.
  let purpose: Browser.Purpose
  /// The user's position, if known.
  var here: Position?
  var filter: LineEditor
  /// Whether letters are typed into the filter; otherwise they are commands.
  var isTyping = true
  private(set) var view = ScreenView.list
  var pane = MapPane()
  var sources: Provenance? { nil }
  /// The cities named on the map.
  var names = MapNames()
  /// The titles that start with the filter.
  var rows: PagedRows<Query, CityRow>
  /// The largest cities around the user.
  var around = FetchedValue<Position, [CityRow]>()
  /// The largest cities.
  var largest = FetchedValue<Subject, [CityRow]>(.cities)
  /// The number of titles that do not start with a letter: first in key order, last in the list.
  var signs = FetchedValue<MatchMode, Int>()
  /// The latest visited cities when the filter last became empty, so that a new visit does not move lines.
  private(set) var recent: [CityRow] = []
  private var latest: [CityRow] = []
  /// The ids of all visited cities, which are marked.
  private(set) var visits: Set<UInt64> = []
  /// The cities marked to be picked together, in the order of their marks; `nil` if only one can be picked.
  var marked: [CityRow]?
  /// The visible part of the list.
  private(set) var part: BrowserState.ListPart
  /// The number of lines that the suggestions fill.
  private var screenful: Int
  /// The hits for the filter.
  var found = FetchedValue<TextKey, [CityFind.Row]>()
  /// The hits by their place in the list, for the answered query of ``rows``.
  var hits = CityHits()
  var cursor = ListCursor()
  /// The neighbours of the selected city, by its id.
  var neighbours = FetchedValue<UInt64, [CityNear.Neighbour]>()
  /// The other names of the city in the details, by its id.
  var otherNames = FetchedValue<UInt64, [String]>()
  /// What the server says of the time in the selected city, by its id.
  var time = FetchedValue<UInt64, CityTime.Reply>()
  /// The city of the preview that is being loaded.
  var previewTarget: CityRow?
  /// The city that the preview shows.
  var previewed: CityRow?
  /// The city that details and map show in place of that of the selected line.
  ///
  /// It is a visited one, or the one selected when the data changed, whose line the selection follows.
  var pinned: CityRow?

  init(
    _ purpose: Browser.Purpose, prefix: String = "", here: Position? = nil, _ state: BrowserState, _ layout: Layout
  ) {
    (self.purpose, self.here, part, screenful) = (purpose, here, state.part, layout.body.count)
    filter = LineEditor(prefix)
    let query = Query(prefix: filter.text, order: purpose == .browse ? state.order : .key)
    rows = PagedRows(query, pageSize: layout.pageSize)
    visited(state.visits)
    recent = latest
  }

  /// Marks cities as visited.
  mutating func visited(_ cities: [CityRow]) {
    visits = Set(cities.map(\.id))
    latest = Array(cities.prefix(Self.mostVisits))
  }

  // MARK: - The list

  /// The lines of the list, for the last answer.
  var lines: CityLines {
    var lines = CityLines()
    guard let answered = rows.answered else { return lines }
    // A part that would leave nothing to see is not hidden.
    let hasBest = part != .titles || rows.total == 0
    if answered.prefix.isEmpty {
      if hasBest, answered.order == .key { addStart(to: &lines) }
    } else {
      if rows.total == 0, !hits.isAboutPlace { lines.add(.titles, count: 0, .nothing) }
      // The best match needs no heading: it is directly below the filter, and Enter opens it.
      let heading = rows.total == 0 || hits.isAboutPlace ? hits.heading : nil
      if hasBest { lines.add(.best, count: hits.rows.count, heading) }
    }
    if part != .best || lines.count == 0 {
      lines.add(.titles, count: rows.total, lines.count == 0 ? nil : answered.prefix.isEmpty ? .all : .titles)
    }
    return lines
  }

  /// Adds the sections above all titles, which fill the screen but for the next heading.
  private func addStart(to lines: inout CityLines) {
    lines.add(.visited, count: recent.count, .visited)
    let room = screenful - lines.count - 3
    lines.add(.around, count: min(around.value?.count ?? 0, max(1, room / 2)), .around)
    lines.add(.largest, count: min(largest.value?.count ?? 0, max(1, screenful - lines.count - 2)), .largest)
  }

  /// The city of a line; `nil` for a heading, or if the city has not been fetched.
  func city(_ line: CityLines.Line?) -> CityRow? {
    switch line {
    case .city(.titles, let place): rows[(place + signsFirst) % max(1, rows.total)]
    case .city(.visited, let place): recent.indices.contains(place) ? recent[place] : nil
    case .city(.around, let place): around.value.flatMap { $0.indices.contains(place) ? $0[place] : nil }
    case .city(.largest, let place): largest.value.flatMap { $0.indices.contains(place) ? $0[place] : nil }
    case .city(let section, let place): hits[section, place]?.city
    case .heading, nil: nil
    }
  }

  /// The selected city, if it has been fetched.
  var selected: CityRow? { (isAtList ? nil : pinned) ?? city(lines[cursor.selected]) }
  var selectedPosition: Position? { selected?.position }

  var isWaitingForData: Bool {
    [
      rows.problem, found.problem, around.problem, largest.problem, signs.problem, neighbours.problem,
      otherNames.problem, time.problem, names.problem,
    ].contains { $0?.mayPass == true }
  }

  /// The number of titles at the start of the answered rows that come last in the list.
  private var signsFirst: Int {
    guard let answered = rows.answered, answered.prefix.isEmpty, answered.order == .key else { return 0 }
    return signs.value ?? 0
  }

  /// The visible titles, by their places in the answered rows: two ranges if they wrap around.
  func seenTitles(_ layout: Layout) -> [Range<Int>] {
    let lines = self.lines
    let seen = lines.places(of: .titles, in: cursor.seen(count: lines.count, height: layout.body.count))
    let (first, last) = (seen.lowerBound + signsFirst, seen.upperBound + signsFirst)
    let total = max(rows.total, 1)
    if first >= total { return [first - total..<last - total] }
    return last > total ? [first..<total, 0..<last - total] : [first..<last]
  }

  /// The viewport of the visible map, if any.
  func drawn(_ layout: Layout) -> Viewport? {
    switch view {
    case .list: layout.hasPreview ? previewTarget.map { .around($0.position, in: layout.preview) } : nil
    case .details: selected.map { .around($0.position, in: layout.detailsMap) }
    case .map: pane.view
    }
  }

  mutating func move(_ move: ListCursor.Move, _ layout: Layout) {
    pinned = nil
    let before = cursor.selected
    cursor.move(move, count: lines.count, height: layout.body.count)
    leaveHeading(towards: cursor.selected < before ? -1 : 1, layout)
  }

  /// Keeps the selection in view after the screen's size or the list has changed.
  mutating func settle(_ layout: Layout) {
    screenful = layout.body.count
    cursor.settle(count: lines.count, height: layout.body.count)
    leaveHeading(towards: 1, layout)
    pane.resize(to: layout.map)
  }

  /// Keeps the selection on a city whose line may have changed.
  mutating func follow(_ followed: CityRow?, _ layout: Layout) {
    let lines = self.lines
    guard let id = followed?.id, let line = cursor.nearest(within: rows.pageSize, { city(lines[$0])?.id == id })
    else { return }
    cursor.move(.to(line), count: lines.count, height: layout.body.count)
  }

  private mutating func leaveHeading(towards step: Int, _ layout: Layout) {
    let lines = self.lines
    let city = lines.city(from: cursor.selected, towards: step)
    guard city != cursor.selected else { return }
    cursor.move(.to(city), count: lines.count, height: layout.body.count)
  }

  // MARK: - Views

  /// Switches to another view of the same selection.
  mutating func show(_ view: ScreenView, _ layout: Layout) {
    if isAtList || view == .list { pinned = nil }
    if view == .map, let selected {
      pane.focus(selected.position, width: Viewport.usualWidth, in: layout.map)
    } else if view == .map && pane.view == nil {
      pane.fit([], in: layout.map)
    }
    self.view = view
  }

  /// Shows the details of a visited city.
  mutating func revisit(_ city: CityRow, _ layout: Layout) {
    show(.details, layout)
    pinned = city
  }

  /// Updates the list to the filter.
  mutating func applyFilter() {
    if filter.isEmpty { recent = latest }
    rows.query.prefix = filter.text
  }

  /// Turns accents on or off.
  mutating func toggleMatch() { rows.query.match = rows.query.match == .folded ? .plain : .folded }

  /// Marks the selected city or takes its mark away, and moves to the next one.
  private mutating func toggleMark(_ layout: Layout) {
    guard let selected else { return }
    if let place = marked?.firstIndex(where: { $0.id == selected.id }) {
      marked?.remove(at: place)
    } else {
      marked?.append(selected)
    }
    move(.by(1), layout)
  }

  /// Hides the titles, then the best matches, then nothing.
  mutating func togglePart() { part = part == .all ? .best : part == .best ? .titles : .all }

  /// Switches to the other order of titles.
  mutating func toggleOrder() { rows.query.order = rows.query.order == .key ? .population : .key }

  /// Whether the list, including the hits, answers the current filter.
  var isCurrent: Bool { rows.isCurrent && found.isSettled }

  /// Chooses the selected city, as soon as it has arrived.
  private func choose() -> Reaction {
    if let selected { return .chosen(selected) }
    if case .city? = lines[cursor.selected] { return .waiting }
    return .handled
  }

  /// Whether the preview has to change when the user is idle.
  func wantsRest(_ layout: Layout) -> Bool {
    view == .list && layout.hasPreview && isCurrent && selected != previewTarget
  }

  /// Updates the preview to the selection, because the user is idle.
  mutating func rest(_ layout: Layout) {
    guard wantsRest(layout) else { return }
    previewTarget = selected
    if selected == nil { previewed = nil }
  }
}

extension CityScreen {
  mutating func pressInList(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .enter: return choose()
    case .tab where marked != nil: toggleMark(layout)
    case .press(let row, let column): return press(row, column, layout)
    case .character("a"), .alt("a"): toggleMatch()
    case .character("b"), .alt("b"):
      togglePart()
      settle(layout)
      return .perform(.remember(.part(part)))
    case .character("s") where purpose == .browse, .alt("s") where purpose == .browse:
      toggleOrder()
      return .perform(.remember(.order(rows.query.order)))
    default: return .ignored
    }
    return .handled
  }

  /// Selects the city of a line; a second press opens it; a press on the preview opens the map.
  private mutating func press(_ row: Int, _ column: Int, _ layout: Layout) -> Reaction {
    let line = cursor.top + row - layout.body.lowerBound
    guard layout.body.contains(row) else { return .ignored }
    guard column < layout.listColumns else {
      show(.map, layout)
      return .handled
    }
    guard city(lines[line]) != nil else { return .ignored }
    if line == cursor.selected { return choose() }
    move(.to(line), layout)
    return .handled
  }

  mutating func pressInDetails(_ key: KeyPress, _ layout: Layout) -> Reaction {
    key == .enter && purpose == .pick ? choose() : .ignored
  }

  mutating func pressOnMap(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .character("0"): show(.map, layout)
    case .enter: return choose()
    default: return .ignored
    }
    return .handled
  }
}
