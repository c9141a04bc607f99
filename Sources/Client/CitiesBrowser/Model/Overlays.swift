internal import CitiesProtocol

/// A panel over the screen, until Esc.
enum Overlay: Sendable {
  /// The keys, from a line of them on.
  case keys(from: Int)
  /// When a location is open in a week.
  case hours(BankRow)
  case currencies([String], selected: String)
  case refresh(RefreshPanel)
  case position(PositionPanel)
}

/// The question where the user is: a city is picked on the spot, and whether it is kept is asked.
struct PositionPanel: Sendable {
  /// The city whose name is suggested, because the system's time zone is called after it; it is never assumed.
  let suggestion: String?
  /// The text typed so far.
  private(set) var line: LineEditor
  /// The cities whose titles start with it.
  private(set) var rows: PagedRows<CityScreen.Query, CityRow>
  private(set) var cursor = ListCursor()
  /// The city that was picked, and is to be kept or not.
  private(set) var picked: CityRow?

  static let offered = 5

  /// Asks, with a suggestion in the line.
  init(suggestion: String?) {
    self.suggestion = suggestion
    line = LineEditor(suggestion ?? "")
    rows = PagedRows(CityScreen.Query(prefix: suggestion ?? ""))
  }

  /// The state of the panel after a key.
  enum PanelState: Sendable {
    /// It stays open.
    case open
    /// It is closed without an answer.
    case closed
    /// The user is at a city; whether that is to be kept.
    case found(CityRow, isKept: Bool)
  }

  /// Does what a key means.
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
    switch key {
    case .escape: return .closed
    case .enter: if rows.isCurrent { picked = rows[cursor.selected] }
    case .up, .down:
      cursor.move(.by(key == .up ? -1 : 1), count: min(rows.total, Self.offered), height: Self.offered)
    default:
      if line.press(key) { rows.ask(CityScreen.Query(prefix: line.text)) }
    }
    return .open
  }

  mutating func ask(_ window: inout RequestWindow) {
    // The largest first: most people live there.
    guard !rows.missing(seen: 0..<Self.offered).isEmpty else { return }
    let question = CitySearch(
      prefix: rows.query.prefix, match: .folded, sort: rows.query.prefix.isEmpty ? nil : .population,
      limit: UInt64(Self.offered))
    guard let id = window.ask(.cities(question)) else { return }
    rows.didSend(page: 0, id: id)
  }

  /// Takes an answer, if it is waited for.
  mutating func take(_ id: UInt64, _ answer: Result<BrowserReply, WireError>) {
    switch answer {
    case .success(.cities(let reply)):
      let change = rows.take(
        id, rows: reply.rows, total: UInt64(reply.rows.count), generation: reply.generation, seen: 0..<Self.offered)
      if change == .replaced { cursor = ListCursor() }
    case .success: break
    case .failure(let error): _ = rows.take(id, error)
    }
  }

  /// Forgets what is under way.
  mutating func connectionLost() { rows.connectionLost() }
}

/// A refresh that was asked for, and what came of it.
struct RefreshPanel: Sendable {
  /// The feeds that are brought up to date.
  let feeds: [FeedName]
  private(set) var outcomes = FetchedValue<Bool, [FeedOutcome]>()

  /// Refreshes the feeds of a subject.
  init(_ subject: Subject) {
    feeds = FeedName.all.filter { $0.subject == subject }
    outcomes.setKey(true)
  }

  mutating func ask(_ window: inout RequestWindow) {
    guard outcomes.isMissing, let id = window.ask(.refresh(Refresh(feeds: feeds))) else { return }
    outcomes.didSend(id)
  }

  /// Takes an answer, if it is waited for.
  mutating func take(_ id: UInt64, _ answer: Result<BrowserReply, WireError>) {
    guard outcomes.claim(id) else { return }
    switch answer {
    case .success(.refresh(let reply)): outcomes.fill(reply.feeds)
    case .success: break
    case .failure(let error): outcomes.fail(error)
    }
  }
}
