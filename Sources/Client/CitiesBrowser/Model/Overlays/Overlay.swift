internal import CitiesProtocol

/// What lies over the screen, until Esc.
enum Overlay: Sendable {
  /// The keys, from a line of them on.
  case keys(from: Int)
  /// When a location is open in a week.
  case hours(BankRow)
  /// A choice among currencies.
  case currencies([String], selected: String)
  /// How a refresh goes.
  case refresh(RefreshPanel)
  /// Where the user is.
  case position(PositionPanel)
}
