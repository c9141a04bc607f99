/// `feed.status`, internal: `citiesd-sync`'s report on every feed.
public struct FeedStatus: RequestMessage {
  /// The method's name.
  public static let method = "feed.status"
  /// Makes the request.
  public init() {}

  /// One report per feed.
  public struct Reply: Codable, Equatable, Sendable {
    /// The reports, in the order of ``FeedName/all``.
    public var feeds: [FeedReport]

    /// Makes a reply.
    public init(feeds: [FeedReport]) { self.feeds = feeds }
  }
}
