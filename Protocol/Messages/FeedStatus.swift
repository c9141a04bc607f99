/// `feed.status`, internal: what `citiesd-sync` knows of every feed.
public struct FeedStatus: RequestMessage {
  /// The method's name.
  public static let method = "feed.status"
  /// Asks.
  public init() {}

  /// One report a feed.
  public struct Reply: Codable, Equatable, Sendable {
    /// In the order of ``FeedName/all``.
    public var feeds: [FeedReport]

    /// Makes a reply.
    public init(feeds: [FeedReport]) { self.feeds = feeds }
  }
}
