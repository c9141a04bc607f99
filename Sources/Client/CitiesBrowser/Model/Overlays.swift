internal import CitiesCommands
internal import CitiesProtocol

/// A panel over the screen, until Esc.
enum Overlay: Sendable {
  /// The help about keys, scrolled to a line.
  case keys(from: Int)
  /// The weekly hours of a location.
  case hours(BankRow)
  /// The cities whose details were shown.
  case visits(selected: Int)
  case currencies([String], selected: String)
  /// The latest refresh of a subject.
  case refresh(Subject)
  /// The question where the user is.
  case position
}

/// Asks where the user is: first for a city, then whether to save its position.
struct PositionPanel: Sendable {
  /// The city that the system's time zone is named after: a suggestion, never an assumption.
  let suggestion: String?
  /// The text typed so far.
  private(set) var line: LineEditor
  /// The hits for the text, best first; the largest cities while the line is empty.
  private(set) var cities = FetchedValue<TextKey, [CityRow]>()
  private(set) var cursor = ListCursor()
  /// The chosen city, whose position may be saved.
  private(set) var picked: CityRow?

  static let offered = 5

  /// Asks, with a suggestion in the line.
  init(suggestion: String? = nil) {
    self.suggestion = suggestion
    line = LineEditor(suggestion ?? "")
    cities.setKey(TextKey(line.text))
  }

  /// The result of a key.
  enum PanelState: Sendable {
    /// It stays open.
    case open
    /// It stays open: the cities that the key is about have not arrived.
    case waiting
    /// It is closed without an answer.
    case closed
    /// The user's city, and whether to save its position.
    case found(CityRow, isKept: Bool)
  }

  /// Handles a key.
  mutating func press(_ key: KeyPress) -> PanelState {
    if let picked {
      switch key {
      case .character("y"): return .found(picked, isKept: true)
      case .character("n"): return .found(picked, isKept: false)
      case .escape: self.picked = nil
      default: break
      }
      return .open
    }
    let move = ListCursor.move(for: key, isTyping: true)
    if !cities.isSettled, move != nil || key == .enter { return .waiting }
    if let move { cursor.move(move, count: cities.value?.count ?? 0, height: Self.offered) }
    switch key {
    case .escape: return .closed
    case .enter: picked = city(at: cursor.selected)
    default: if line.press(key) { cities.setKeyKeepingValue(TextKey(line.text)) }
    }
    return .open
  }

  /// The suggested city at a place, if any.
  func city(at place: Int) -> CityRow? {
    guard let cities = cities.value, cities.indices.contains(place) else { return nil }
    return cities[place]
  }

  mutating func ask(_ window: inout RequestWindow) {
    let most = UInt64(Self.offered)
    if line.text.isSearched {
      cities.ask(&window, CityFind(query: line.text, limit: most)) { $0.rows.map(\.city) }
    } else {
      // Most people live in the largest cities.
      cities.ask(&window, CitySearch(prefix: "", sort: .population, limit: most)) { $0.rows }
    }
  }

  /// Takes an answer, if it is waited for.
  mutating func take(_ id: UInt64, _ answer: BrowserAnswer) {
    if cities.take(id, answer) { cursor = ListCursor() }
  }

  /// Whether the cities were refused for a reason that may pass.
  var isWaitingForData: Bool { cities.problem?.mayPass == true }

  /// Invalidates the cities or their request, as a change of the data or the connection requires.
  mutating func apply(_ change: DataChange) { if change.concerns(.cities) { cities.apply(change) } }
}
