/// The sources that a refresh contacts; a longer reach includes the shorter ones.
package enum FeedReach: Int, Comparable, Sendable {
  /// Web sources that were contacted before, when they are due, and local files.
  case known
  /// All sources that are due.
  case due
  /// All sources, regardless of the age of their stored copies.
  case forced

  /// Whether it is shorter.
  package static func < (one: FeedReach, other: FeedReach) -> Bool { one.rawValue < other.rawValue }
}
