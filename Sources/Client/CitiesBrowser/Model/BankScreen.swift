internal import CitiesMap
internal import CitiesProtocol

/// The screen of the banks: headings, the locations of a heading or a search, the locations nearest to the user, and
/// the details of the selected one.
struct BankScreen: FilteredScreen {
  enum Scope: Hashable, Sendable {
    /// Lists countries and regions, until words are typed.
    case headings
    case everything
    case country(String, name: String)
    /// The locations of a region; `nil` for locations without one.
    case region(String?, country: String, name: String)
    /// The locations nearest to the user.
    case nearest
  }

  enum List: Hashable, Sendable {
    case headings, locations, nearest
  }

  struct Query: Hashable, Sendable {
    /// Words in the name and address.
    var words = ""
    var country: String?
    /// The region; empty for locations without one.
    var region: String?

    /// The conditions for a request.
    var conditions: BankConditions? {
      country == nil && region == nil ? nil : BankConditions(country: country, region: region)
    }
  }

  /// A line of the headings.
  enum Heading: Hashable, Sendable {
    case country(String, name: String, count: UInt64)
    case region(String?, country: String, name: String, count: UInt64)
  }

  /// The maximum number of locations on a map or in the list of the nearest.
  static let most: UInt64 = 1_000

  var filter = LineEditor()
  /// Whether letters are typed into the filter; otherwise they are commands.
  var isTyping = true
  private(set) var scope = Scope.headings
  private(set) var view = ScreenView.list
  var pane = MapPane()
  /// The user's position, if known.
  var here: Position?
  /// The sources of the data.
  var sources: Provenance?
  var regions = FetchedValue<Bool, BankRegions.Reply>()
  /// The locations of the scope.
  var rows = PagedRows<Query, BankEntry>(Query())
  /// The locations nearest to the user.
  var nearest = FetchedValue<Position, BankNear.Reply>()
  /// The current data of the selected location.
  var details = FetchedValue<TextKey, BankEntry>()
  /// The locations to mark on the map.
  var marked = FetchedValue<Query, [BankEntry]>()
  /// The cities named on the map.
  var names = MapNames()
  /// The location that details and map show in place of that of the selected line.
  ///
  /// It is the one selected when the data changed, whose line the selection follows.
  var pinned: BankEntry?
  /// The position of each kind of list.
  var cursors: [List: ListCursor] = [:]

  init(here: Position?) { self.here = here }

  var isWaitingForData: Bool {
    [rows.problem, regions.problem, nearest.problem, details.problem, marked.problem, names.problem]
      .contains { $0?.mayPass == true }
  }

  // MARK: - The list

  /// Whether the list answers the filter, or Enter would load the samples.
  var isCurrent: Bool {
    switch list {
    case .headings: regions.isSettled
    case .locations: rows.isCurrent || regions.problem?.code == .unavailable
    case .nearest: nearest.isSettled
    }
  }

  var list: List {
    switch scope {
    case .headings: filter.isEmpty ? .headings : .locations
    case .everything, .country, .region: .locations
    case .nearest: .nearest
    }
  }

  var cursor: ListCursor { cursors[list] ?? ListCursor() }

  /// The number of its lines.
  var count: Int {
    switch list {
    case .headings: headings.count
    case .locations: rows.total
    case .nearest: nearest.value?.rows.count ?? 0
    }
  }

  /// The number of lines that fit on the screen.
  func height(_ layout: Layout) -> Int { list == .headings ? layout.body.count : layout.locations }

  /// The lines of the headings.
  var headings: [Heading] {
    (regions.value?.countries ?? []).flatMap { country in
      [.country(country.country, name: country.name, count: country.count)]
        + country.regions.map { .region($0.name, country: country.country, name: country.name, count: $0.count) }
    }
  }

  /// The location at a line; `nil` for a heading, or if it has not been fetched.
  func entry(at index: Int) -> BankEntry? {
    switch list {
    case .headings: nil
    case .locations: rows[index]
    case .nearest: nearest.value.flatMap { $0.rows.indices.contains(index) ? $0.rows[index] : nil }
    }
  }

  var selected: BankEntry? { (isAtList ? nil : pinned) ?? entry(at: cursor.selected) }
  var selectedPosition: Position? { selected?.location.position }

  /// The locations to mark on a map, the selected one first.
  var marks: [BankEntry] {
    let all = (list == .nearest ? nearest.value?.rows : marked.value) ?? []
    guard let selected else { return all }
    return [selected] + all.filter { $0.location.id != selected.location.id }
  }

  /// The viewport of the visible map, if any.
  func drawn(_ layout: Layout) -> Viewport? {
    switch view {
    case .list: nil
    case .details:
      selected.map { .around($0.location.position, width: Self.around(layout.detailsMap), in: layout.detailsMap) }
    case .map: pane.view
    }
  }

  /// The width of the map around a location in metres: slightly more than the closest view with outlines.
  private static func around(_ size: MapSize) -> Double { Double(size.columns) * 2_500 }

  // MARK: - Moving

  mutating func move(_ move: ListCursor.Move, _ layout: Layout) {
    pinned = nil
    cursors[list, default: ListCursor()].move(move, count: count, height: height(layout))
  }

  mutating func settle(_ layout: Layout) {
    cursors[list, default: ListCursor()].settle(count: count, height: height(layout))
    pane.resize(to: layout.map)
  }

  /// Updates the list to the filter.
  mutating func applyFilter() {
    if scope == .nearest && !filter.isEmpty { scope = .everything }
    rows.query = query
  }

  mutating func setScope(_ scope: Scope) {
    self.scope = scope
    filter = LineEditor()
    cursors[.locations] = nil
    cursors[.nearest] = nil
    rows.query = query
  }

  /// Switches to another view of the same selection.
  mutating func show(_ view: ScreenView, _ layout: Layout) {
    if isAtList || view == .list { pinned = nil }
    if view == .map {
      if list == .headings { setScope(.everything) }
      if let selected {
        pane.focus(selected.location.position, width: Self.around(layout.map), in: layout.map)
      } else {
        // It is fitted to the marks when all have arrived.
        pane = MapPane()
      }
    }
    self.view = view
  }

  private var query: Query {
    switch scope {
    case .headings, .everything, .nearest: Query(words: filter.text)
    case .country(let code, _): Query(words: filter.text, country: code)
    case .region(let region, let code, _): Query(words: filter.text, country: code, region: region ?? "")
    }
  }
}

extension BankScreen {
  mutating func pressInList(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .enter where regions.problem?.code == .unavailable: return .perform(.loadSamples)
    case .enter: return open(layout)
    case .press(let row, _):
      guard let line = line(atRow: row, layout) else { return .ignored }
      if line == cursor.selected { return open(layout) }
      move(.to(line), layout)
    case .escape where scope != .headings: setScope(.headings)
    case .character("h"), .alt("h"): return showNearest(layout)
    default: return .ignored
    }
    return .handled
  }

  mutating func pressInDetails(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .character("h"), .alt("h"): return showNearest(layout)
    case .enter:
      guard let entry = details.value ?? selected else { return .ignored }
      return .over(.hours(entry.location))
    default: return .ignored
    }
  }

  mutating func pressOnMap(_ key: KeyPress, _ layout: Layout) -> Reaction {
    switch key {
    case .character("0"): pane.fit(marks.map(\.location.position), in: layout.map)
    case .character("h"), .alt("h"): return showNearest(layout)
    case .enter: return open(layout)
    default: return .ignored
    }
    return .handled
  }

  private func line(atRow row: Int, _ layout: Layout) -> Int? {
    let place = list == .headings ? row - layout.body.lowerBound : layout.location(atRow: row)
    guard layout.body.contains(row), let place, cursor.top + place < count else { return nil }
    return cursor.top + place
  }

  /// Opens the selected line, as soon as it has arrived.
  private mutating func open(_ layout: Layout) -> Reaction {
    guard list == .headings else {
      if selected != nil { show(.details, layout) }
      return selected == nil && count > 0 ? .waiting : .handled
    }
    guard headings.indices.contains(cursor.selected) else { return .handled }
    switch headings[cursor.selected] {
    case .country(let code, let name, _): setScope(.country(code, name: name))
    case .region(let region, let code, let name, _): setScope(.region(region, country: code, name: name))
    }
    return .handled
  }

  /// Lists the locations nearest to the user; in that list, lets the user change the position.
  mutating func showNearest(_ layout: Layout) -> Reaction {
    guard here != nil, scope != .nearest else { return .wantsPosition }
    setScope(.nearest)
    show(.list, layout)
    return .handled
  }
}
