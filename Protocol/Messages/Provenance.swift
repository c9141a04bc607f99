/// The origin and age of the data in a reply.
public struct Provenance: Codable, Equatable, Sendable {
  /// The feeds of the reply, in the order of ``FeedName/all``.
  public var feeds: [Source]
  /// Whether any of the data is sample data.
  public var sample: Bool
  /// Why an installed list is used instead of the state folder's file; absent unless that was refused.
  public var fallback: String?

  /// Makes a provenance.
  public init(feeds: [Source], sample: Bool = false, fallback: String? = nil) {
    (self.feeds, self.sample, self.fallback) = (feeds, sample, fallback)
  }

  /// One feed.
  public struct Source: Codable, Equatable, Sendable {
    /// The feed.
    public var feed: FeedName
    /// When its data was last taken from, or confirmed by, its source; absent if it never was.
    public var asOf: Timestamp?
    /// Whether its data is older than its interval, or missing.
    public var stale: Bool
    /// Why it has no data yet, although it has a source; absent once it has data, and from older servers.
    public var missing: String?
    /// True if the request's conditions exclude all of its locations; else absent.
    public var excluded: Bool?
    /// Why the last attempt failed; absent if it succeeded.
    public var lastError: String?

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case feed, stale, missing, excluded
      case asOf = "as_of"
      case lastError = "last_error"
    }

    /// Makes a source.
    public init(feed: FeedName, asOf: Timestamp? = nil, stale: Bool, lastError: String? = nil) {
      (self.feed, self.asOf, self.stale, self.lastError) = (feed, asOf, stale, lastError)
    }
  }

  /// The feeds without data whose locations may be missing from the reply.
  public var missingFeeds: [FeedName] { feeds.filter { $0.missing != nil && $0.excluded != true }.map(\.feed) }

  /// The oldest of the feeds' times, a reply's `as_of`.
  ///
  /// Timestamps compare like their texts.
  public var asOf: Timestamp? { feeds.compactMap(\.asOf).min { $0.text < $1.text } }
}
