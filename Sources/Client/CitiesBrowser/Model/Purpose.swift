/// What the browser was started for.
package enum Purpose: Hashable, Sendable {
  /// Looking around.
  case browse
  /// Choosing one city.
  case pick
}
