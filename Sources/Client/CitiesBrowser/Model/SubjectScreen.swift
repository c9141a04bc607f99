internal import CitiesProtocol

/// A screen about one subject.
protocol SubjectScreen: Sendable {
  /// Whether letters are typed into a filter; else they are commands.
  var isTyping: Bool { get }
  /// Whether the list is visible; from other views, Esc leads back to it.
  var isAtList: Bool { get }
  /// Whether data was missing.
  var isWaitingForData: Bool { get }
  /// The sources of the data, for a note.
  var sources: Provenance? { get }

  /// Handles a key on this screen.
  mutating func press(_ key: KeyPress, _ layout: Layout) -> Reaction
  /// Requests the data that the screen shows and does not have.
  mutating func ask(_ layout: Layout, _ window: inout RequestWindow)
  /// Takes an answer if it is still needed.
  mutating func take(_ id: UInt64, _ answer: BrowserAnswer, _ layout: Layout)
  /// Keeps the selection in view after the screen's size has changed.
  mutating func settle(_ layout: Layout)
  /// Invalidates data or pending requests, as a change of the data or the connection requires.
  mutating func apply(_ change: DataChange)
}

/// The reaction of a screen to a key.
enum Reaction: Sendable {
  case ignored
  case handled
  /// The data that the key is about has not arrived: the key has to be pressed again when it has.
  case waiting
  /// What the key asked for is not possible, for a reason.
  case failed(String)
  case chosen(CityRow)
  /// Show a panel over the screen.
  case over(Overlay)
  /// Ask for the user's position.
  case wantsPosition
  /// Perform a command outside the screens.
  case perform(Command)
}

extension ListCursor {
  /// Rows per turn of the mouse wheel.
  private static let wheel = 3

  private static let moves: [KeyPress: Move] = [
    .up: .by(-1), .down: .by(1), .pageUp: .pages(-1), .pageDown: .pages(1), .home: .first, .end: .last,
    .control("p"): .by(-1), .control("n"): .by(1),
  ]

  /// The movement of a key in every list; letters are movements only if no text is being typed.
  static func move(for key: KeyPress, isTyping: Bool) -> Move? {
    switch key {
    case .wheelUp: .scroll(-wheel)
    case .wheelDown: .scroll(wheel)
    case .character("k") where !isTyping: .by(-1)
    case .character("j") where !isTyping: .by(1)
    default: moves[key]
    }
  }
}

/// The views of a subject whose rows have names and positions.
enum ScreenView: Hashable, Sendable {
  case list
  /// The selected row, with a map.
  case details
  case map
}

/// A screen with a filter, a list, details and a map, and their common keys.
protocol FilteredScreen: SubjectScreen {
  /// The line that the user types.
  var filter: LineEditor { get set }
  /// Whether letters are typed into the filter; else they are commands.
  var isTyping: Bool { get set }
  var view: ScreenView { get }
  /// Whether the list answers the filter, so that moves and Enter are about its rows.
  var isCurrent: Bool { get }
  var pane: MapPane { get set }
  /// The position of the selected row.
  var selectedPosition: Position? { get }

  mutating func move(_ move: ListCursor.Move, _ layout: Layout)
  /// Updates the list to the filter.
  mutating func applyFilter()
  /// Switches to another view of the same selection.
  mutating func show(_ view: ScreenView, _ layout: Layout)
  /// Handles a key in the list alone.
  mutating func pressInList(_ key: KeyPress, _ layout: Layout) -> Reaction
  /// Handles a key in the details alone.
  mutating func pressInDetails(_ key: KeyPress, _ layout: Layout) -> Reaction
  /// Handles a key on the map alone.
  mutating func pressOnMap(_ key: KeyPress, _ layout: Layout) -> Reaction
}

/// The keys about the selected row; the letters type if a filter is being typed.
private let (rowKeys, rowLetters): (Set<KeyPress>, Set<KeyPress>) = (
  [.enter, .tab, .alt("m"), .alt("y"), .alt("o")], [.character("m"), .character("y"), .character("o")]
)

extension FilteredScreen {
  /// Whether the list is shown.
  var isAtList: Bool { view == .list }

  /// Handles a key on this screen.
  mutating func press(_ key: KeyPress, _ layout: Layout) -> Reaction {
    if case .paste = key {
      if !isAtList { show(.list, layout) }
      isTyping = true
      return type(key)
    }
    let move = view == .map ? nil : ListCursor.move(for: key, isTyping: isTyping && isAtList)
    let isAboutRow = move != nil || rowKeys.contains(key) || !isTyping && rowLetters.contains(key)
    if isAtList, !isCurrent, isAboutRow { return .waiting }
    if view == .map, pane.press(key, layout) { return .handled }
    if let move {
      self.move(move, layout)
      return .handled
    }
    switch (view, key) {
    case (.list, .character) where isTyping: return type(key)
    case (.list, .character("/")): isTyping = true
    case (.list, .escape) where isTyping: isTyping = false
    case (_, .character("m")), (_, .alt("m")): show(.map, layout)
    case (_, .character("l")), (_, .alt("l")), (.details, .escape), (.map, .escape): show(.list, layout)
    case (.map, .character("n")): walk(1, layout)
    case (.map, .character("p")): walk(-1, layout)
    default: return pressAlone(key, layout)
    }
    return .handled
  }

  private mutating func pressAlone(_ key: KeyPress, _ layout: Layout) -> Reaction {
    let reaction =
      switch view {
      case .list: pressInList(key, layout)
      case .details: pressInDetails(key, layout)
      case .map: pressOnMap(key, layout)
      }
    guard case .ignored = reaction else { return reaction }
    if let selectedPosition, let command = Self.command(key, at: selectedPosition) { return .perform(command) }
    return isAtList && isTyping ? type(key) : .ignored
  }

  /// The command for a position that a key has on every screen.
  private static func command(_ key: KeyPress, at position: Position) -> Command? {
    switch key {
    case .character("y"), .alt("y"): .copy(position)
    case .character("o"), .alt("o"): .open(position)
    default: nil
    }
  }

  private mutating func type(_ key: KeyPress) -> Reaction {
    let before = filter.text
    guard filter.press(key) else { return .ignored }
    if filter.text != before { applyFilter() }
    return .handled
  }

  private mutating func walk(_ rows: Int, _ layout: Layout) {
    move(.by(rows), layout)
    pane.walk()
  }
}
