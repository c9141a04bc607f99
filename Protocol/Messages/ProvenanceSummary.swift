extension Provenance {
  /// The feeds without data whose locations may be missing from the reply.
  public var missingFeeds: [FeedName] { feeds.filter { $0.missing != nil && $0.excluded != true }.map(\.feed) }

  /// The number of records that could not be read, of feeds that are not excluded.
  public var leftOut: UInt64 { feeds.lazy.filter { $0.excluded != true }.reduce(0) { $0 &+ ($1.leftOut ?? 0) } }

  /// The oldest of the feeds' times, a reply's `as_of`.
  ///
  /// Timestamps compare like their texts.
  public var asOf: Timestamp? { feeds.compactMap(\.asOf).min { $0.text < $1.text } }
}
