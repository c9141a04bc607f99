internal import CitiesMap
internal import CitiesProtocol

/// The screen of the banks: headings, the locations under one or with certain words, those nearest to the user, and
/// what is known of the selected one.
struct BankScreen: FilteredScreen {
  /// Which locations are listed.
  enum Scope: Hashable, Sendable {
    /// Countries and regions stand in the list, until words are typed.
    case headings
    /// All.
    case everything
    /// Those of a country.
    case country(String, name: String)
    /// Those of a region; `nil` for those without one.
    case region(String?, country: String, name: String)
    /// The nearest to the user.
    case nearest
  }

  /// What the list holds.
  enum List: Hashable, Sendable {
    case headings, locations, nearest
  }

  /// A question for locations.
  struct Query: Hashable, Sendable {
    /// Words of name and address.
    var words = ""
    /// The country's code.
    var country: String?
    /// The region; empty for locations without one.
    var region: String?

    /// The same on the wire.
    var conditions: BankConditions? {
      country == nil && region == nil ? nil : BankConditions(country: country, region: region)
    }
  }

  /// A line of the headings.
  enum Heading: Hashable, Sendable {
    case country(String, name: String, count: UInt64)
    case region(String?, country: String, name: String, count: UInt64)
  }

  /// Locations that a map or the list of the nearest holds at most.
  static let most: UInt64 = 1_000

  /// The words.
  var filter = LineEditor()
  /// Whether letters are typed into the filter; else they are commands.
  var isTyping = true
  /// Which locations are listed.
  private(set) var scope = Scope.headings
  /// What is seen.
  private(set) var view = ScreenView.list
  /// What the map shows.
  var pane = MapPane()
  /// The user's position, where it is known.
  private(set) var here: Position?
  /// Where the data comes from.
  var sources: Provenance?
  /// Countries with their regions.
  var regions = Slot<Bool, BankRegions.Reply>()
  /// The locations of the scope.
  var rows = PagedRows<Query, BankEntry>(Query())
  /// The locations nearest to the user.
  var nearest = Slot<Position, [BankEntry]>()
  /// The selected location, as it is now.
  var details = Slot<String, BankEntry>()
  /// All locations that the map marks.
  var marked = Slot<Query, [BankEntry]>()
  /// Where each kind of list stands.
  var cursors: [List: ListCursor] = [:]

  /// Begins with the headings.
  init(here: Position?) { self.here = here }

  var isWaitingForData: Bool {
    [rows.problem, regions.problem, nearest.problem].contains { $0?.mayPass == true }
  }

  // MARK: - The list

  /// What the list holds.
  var list: List {
    switch scope {
    case .headings: filter.isEmpty ? .headings : .locations
    case .everything, .country, .region: .locations
    case .nearest: .nearest
    }
  }

  /// Where the list stands.
  var cursor: ListCursor { cursors[list] ?? ListCursor() }

  /// How many lines it has.
  var count: Int {
    switch list {
    case .headings: headings.count
    case .locations: rows.total
    case .nearest: nearest.value?.count ?? 0
    }
  }

  /// How many lines are seen.
  func height(_ layout: Layout) -> Int { list == .headings ? layout.body.count : layout.cities }

  /// The lines of the headings.
  var headings: [Heading] {
    (regions.value?.countries ?? []).flatMap { country in
      [.country(country.country, name: country.name, count: country.count)]
        + country.regions.map { .region($0.name, country: country.country, name: country.name, count: $0.count) }
    }
  }

  /// The location at a line, if there is one and it is known.
  func entry(at index: Int) -> BankEntry? {
    switch list {
    case .headings: nil
    case .locations: rows[index]
    case .nearest: nearest.value.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }
  }

  /// The selected location.
  var selected: BankEntry? { entry(at: cursor.selected) }
  var selectedPosition: Position? { selected?.location.position }

  /// What is to be marked on a map, the selected location first.
  var marks: [BankEntry] {
    let all = (list == .nearest ? nearest.value : marked.value) ?? []
    guard let selected else { return all }
    return [selected] + all.filter { $0.location.id != selected.location.id }
  }

  /// The part of the world that is drawn, if any is.
  func drawn(_ layout: Layout) -> Viewport? {
    switch view {
    case .list: nil
    case .details:
      selected.map { .around($0.location.position, width: Self.around(layout.detailsMap), in: layout.detailsMap) }
    case .map: pane.view
    }
  }

  /// The ground around a location that its map shows, in metres: as close as outlines are drawn, and a little farther.
  private static func around(_ size: MapSize) -> Double { Double(size.columns) * 2_500 }

  // MARK: - Moving

  /// Moves through the list.
  mutating func move(_ move: ListCursor.Move, _ layout: Layout) {
    cursors[list, default: ListCursor()].move(move, count: count, height: height(layout))
  }

  mutating func settle(_ layout: Layout) {
    for list in [List.headings, .locations, .nearest] where list == self.list {
      cursors[list, default: ListCursor()].settle(count: count, height: height(layout))
    }
    pane.resize(to: layout.map)
  }

  /// Lists what the filter says now.
  mutating func applyFilter() {
    if scope == .nearest && !filter.isEmpty { scope = .everything }
    rows.ask(query)
  }

  /// Turns to other locations.
  mutating func turn(to scope: Scope) {
    self.scope = scope
    filter = LineEditor()
    cursors[.locations] = nil
    cursors[.nearest] = nil
    rows.ask(query)
  }

  /// Turns to another view of the same selection.
  mutating func turn(to view: ScreenView, _ layout: Layout) {
    if view == .map {
      if list == .headings { turn(to: .everything) }
      if let selected {
        pane.focus(selected.location.position, width: Self.around(layout.map), in: layout.map)
      } else {
        pane.fit(marks.map(\.location.position), in: layout.map)
      }
    }
    self.view = view
  }

  /// Takes the user's position.
  mutating func take(here: Position) { self.here = here }

  private var query: Query {
    switch scope {
    case .headings, .everything, .nearest: Query(words: filter.text)
    case .country(let code, _): Query(words: filter.text, country: code)
    case .region(let region, let code, _): Query(words: filter.text, country: code, region: region ?? "")
    }
  }
}
