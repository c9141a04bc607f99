/// What the browser was started for.
enum Purpose: Hashable, Sendable {
  /// Looking around.
  case browse
  /// Choosing one city.
  case pick
}
