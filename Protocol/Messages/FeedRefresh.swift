/// `feed.refresh`, internal: `citiesd` asks `citiesd-sync` to bring feeds up to date.
///
/// It is answered when every feed has finished; requests for a feed that is being refreshed are joined.
public struct FeedRefresh: RequestMessage {
  /// The method's name.
  public static let method = "feed.refresh"
  /// Which feeds; all if absent or empty.
  public var feeds: [FeedName]?
  /// Contact the source even if the stored copy is recent, or if it has just failed.
  public var force: Bool?
  /// Skip web sources that were never contacted, because no client has sent a request that needs them.
  ///
  /// `force` overrides it.
  public var known: Bool?

  /// Asks for `feeds`.
  public init(feeds: [FeedName]? = nil, force: Bool? = nil, known: Bool? = nil) {
    self.feeds = feeds
    self.force = force
    self.known = known
  }

  /// The reply of ``Refresh``.
  public typealias Reply = Refresh.Reply
}

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
