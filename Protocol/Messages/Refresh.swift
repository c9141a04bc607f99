/// `refresh`: brings feeds up to date; answered when every feed has finished, or after 20 s, with `running` for the
/// rest.
///
/// A failed web source is not contacted again before its next attempt is due; until then the outcome is the known
/// error.
public struct Refresh: RequestMessage {
  /// The method's name.
  public static let method = "refresh"
  /// The feeds, at most as many names as there are feeds; all if absent or empty.
  public var feeds: [FeedName]?
  /// Contact the source even if the stored copy is recent, or if it has just failed: only for root and the server's own
  /// user.
  public var force: Bool?

  /// Asks for `feeds`.
  public init(feeds: [FeedName]? = nil, force: Bool? = nil) {
    self.feeds = feeds
    self.force = force
  }

  /// The outcome of each feed.
  public struct Reply: Codable, Equatable, Sendable {
    /// The outcomes, in the order of the request.
    public var feeds: [FeedOutcome]

    /// Makes a reply.
    public init(feeds: [FeedOutcome]) { self.feeds = feeds }
  }
}
