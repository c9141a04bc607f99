/// Where the data of a reply comes from, and how old it is.
public struct Provenance: Codable, Equatable, Sendable {
  /// The feeds that the reply is from, in the order of ``FeedName/all``.
  public var feeds: [Source]
  /// Whether any of the data is made up, for newcomers to try things with.
  public var sample: Bool
  /// Why an installed list was read in the place of the state folder's own file; absent unless that was refused.
  public var fallback: String?

  /// Puts it together.
  public init(feeds: [Source], sample: Bool = false, fallback: String? = nil) {
    (self.feeds, self.sample, self.fallback) = (feeds, sample, fallback)
  }

  /// One feed.
  public struct Source: Codable, Equatable, Sendable {
    /// The feed.
    public var feed: FeedName
    /// When its data was last taken from, or confirmed by, its source; absent if that never was.
    public var asOf: Timestamp?
    /// Whether its data is older than its interval, or was never there.
    public var stale: Bool
    /// Why there is no data of it yet, although it has a source; absent once there is, and from older servers.
    public var missing: String?
    /// True if the conditions of the request leave out all of its locations; absent else.
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

  /// The feeds without data whose locations the answer may lack.
  public var missingFeeds: [FeedName] { feeds.filter { $0.missing != nil && $0.excluded != true }.map(\.feed) }

  /// The oldest of the feeds' moments, a reply's `as_of`.
  ///
  /// Timestamps compare as their texts do.
  public var asOf: Timestamp? { feeds.compactMap(\.asOf).min { $0.text < $1.text } }
}
