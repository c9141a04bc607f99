internal import CitiesProtocol

/// What the screens of all subjects have in common.
protocol SubjectScreen: Sendable {
  /// Whether letters are typed into a filter; else they are commands.
  var isTyping: Bool { get }
  /// Whether the list is seen, from where Esc leads out.
  var isAtList: Bool { get }
  /// Whether something that is wanted was not there yet.
  var isWaitingForData: Bool { get }

  /// Does what a key means on this screen.
  mutating func press(_ key: Key, _ layout: Layout) -> Reaction
  /// Asks for what is to be seen and not there.
  mutating func ask(_ layout: Layout, _ asker: inout Asker)
  /// Takes an answer, if it is still wanted.
  mutating func take(_ id: UInt64, _ answer: Result<Answer, WireError>, _ layout: Layout) -> Reaction
  /// Brings the view to the selection after the screen's size has changed.
  mutating func settle(_ layout: Layout)
  /// Forgets what is under way.
  mutating func lost()
  /// The data of a subject has changed.
  mutating func outdated(_ subject: Subject)
  /// Asks again for what was not there yet.
  mutating func retry()
}

/// What a key or an answer came to.
enum Reaction: Sendable {
  /// It meant nothing here.
  case ignored
  /// It was dealt with.
  case handled
  /// A city was chosen.
  case chosen(CityRow)
  /// Something is to lie over the screen.
  case over(Overlay)
  /// The user's position is wanted.
  case wantsPosition
}

extension ListCursor {
  /// Rows that a turn of the mouse wheel moves.
  private static let wheel = 3

  /// The moves that keys mean in every list.
  static let moves: [Key: Move] = [
    .up: .by(-1), .down: .by(1), .pageUp: .pages(-1), .pageDown: .pages(1), .home: .first, .end: .last,
    .wheelUp: .scroll(-wheel), .wheelDown: .scroll(wheel),
  ]
}
