/// `refresh`: bring feeds up to date; answered when every feed has finished, or after 20 s with `running` for the rest.
///
/// A source on the web that failed is not asked again before its next attempt is due; the outcome is the known error
/// then.
public struct Refresh: RequestMessage {
  /// The method's name.
  public static let method = "refresh"
  /// Which feeds, at most as many names as there are feeds; all if absent or empty.
  public var feeds: [FeedName]?
  /// Ask the source even if the stored copy is young, or if it failed a moment ago: for root and the server's own user
  /// only.
  public var force: Bool?

  /// Asks for `feeds`.
  public init(feeds: [FeedName]? = nil, force: Bool? = nil) {
    self.feeds = feeds
    self.force = force
  }

  /// How each feed ended.
  public struct Reply: Codable, Equatable, Sendable {
    /// In the order asked.
    public var feeds: [FeedOutcome]

    /// Makes a reply.
    public init(feeds: [FeedOutcome]) { self.feeds = feeds }
  }
}
