/// The state of one feed.
public struct FeedReport: CountedRecords, Codable, Equatable, Sendable {
  /// The feed.
  public var feed: FeedName
  /// Records in the resident file; absent before the first success.
  public var records: UInt64?
  /// Records of the source that were skipped as bad in the last import.
  public var skipped: UInt64?
  /// All records of the source: the sum of `records`, `repeated`, `replaced` and `skipped`.
  public var read: UInt64?
  /// Records of the source that say no more than one that is kept.
  public var repeated: UInt64?
  /// Records of the source in whose place another one about the same thing is kept.
  public var replaced: UInt64?
  /// The first records that are not kept, at most ``maximumNotes``, by their position; absent if all are kept.
  public var notes: [RecordNote]?
  /// When the data was last taken from, or confirmed by, its source.
  public var asOf: Timestamp?
  /// The time of the last attempt.
  public var lastAttempt: Timestamp?
  /// Why the last attempt failed; absent if it succeeded.
  public var lastError: String?
  /// The time of the next attempt; absent if only on `refresh`.
  public var nextAttempt: Timestamp?
  /// The source, a URL or path.
  public var source: String?
  /// Seconds after which its data is old.
  public var interval: UInt64?
  /// The country code of its locations (ISO 3166-1 alpha-2), known before the locations are; absent for other data, and
  /// from older services.
  public var country: String?
  /// True if its data is sample data; else absent.
  public var sample: Bool?

  /// Notices a change of the part of the URL that ``source`` hides; stored by the sync service, never sent.
  package var sourceDigest: UInt16?

  /// The most records in ``notes``.
  public static let maximumNotes = 20

  /// Names on the wire.
  public enum CodingKeys: String, CodingKey {
    case feed, records, skipped, source, interval, country, sample, read, repeated, replaced, notes
    case asOf = "as_of"
    case lastAttempt = "last_attempt"
    case lastError = "last_error"
    case nextAttempt = "next_attempt"
  }

  /// Makes a report.
  public init(
    feed: FeedName, records: UInt64? = nil, skipped: UInt64? = nil, asOf: Timestamp? = nil,
    lastAttempt: Timestamp? = nil, lastError: String? = nil, nextAttempt: Timestamp? = nil, source: String? = nil,
    interval: UInt64? = nil, country: String? = nil, sample: Bool? = nil
  ) {
    self.feed = feed
    self.records = records
    self.skipped = skipped
    self.asOf = asOf
    self.lastAttempt = lastAttempt
    self.lastError = lastError
    self.nextAttempt = nextAttempt
    self.source = source
    self.interval = interval
    self.country = country
    self.sample = sample
  }
}

/// A message about a feed, with the known counts of its records.
public protocol CountedRecords {
  /// Records that are served.
  var records: UInt64? { get set }
  /// Records of the source that were skipped as bad.
  var skipped: UInt64? { get set }
  /// All records of the source.
  var read: UInt64? { get set }
  /// Records of the source that say no more than one that is kept.
  var repeated: UInt64? { get set }
  /// Records of the source in whose place another one about the same thing is kept.
  var replaced: UInt64? { get set }
}

extension CountedRecords {
  /// The outcome of the source's records; `nil` before the first success, or if not all are counted.
  ///
  /// Setting it sets `records`, `skipped`, `read`, `repeated` and `replaced`.
  public var counts: RecordCounts? {
    get {
      guard let records, let repeated, let replaced, let skipped else { return nil }
      return RecordCounts(kept: records, repeated: repeated, replaced: replaced, skipped: skipped)
    }
    set {
      (records, skipped, read) = (newValue?.kept, newValue?.skipped, newValue?.read)
      (repeated, replaced) = (newValue?.repeated, newValue?.replaced)
    }
  }
}

/// The outcome of a feed's refresh.
public struct FeedOutcome: CountedRecords, Codable, Equatable, Sendable {
  /// The feed.
  public var feed: FeedName
  /// What happened.
  public var outcome: Outcome
  /// Records now served from this feed, if known.
  public var records: UInt64?
  /// Records of the source that were skipped as bad.
  public var skipped: UInt64?
  /// All records of the source: the sum of `records`, `repeated`, `replaced` and `skipped`.
  public var read: UInt64?
  /// Records of the source that say no more than one that is kept.
  public var repeated: UInt64?
  /// Records of the source in whose place another one about the same thing is kept.
  public var replaced: UInt64?
  /// `reused`: seconds since the data was taken from its source.
  public var age: UInt64?
  /// `failed`: the reason; `running`: why it may take longer, if known.
  public var error: String?
  /// When the data now served was last taken from, or confirmed by, its source.
  public var asOf: Timestamp?

  /// Names on the wire.
  public enum CodingKeys: String, CodingKey {
    case feed, outcome, records, skipped, age, error, read, repeated, replaced
    case asOf = "as_of"
  }

  /// Makes an outcome.
  public init(
    feed: FeedName, outcome: Outcome, records: UInt64? = nil, skipped: UInt64? = nil, age: UInt64? = nil,
    error: String? = nil, asOf: Timestamp? = nil
  ) {
    self.feed = feed
    self.outcome = outcome
    self.records = records
    self.skipped = skipped
    self.age = age
    self.error = error
    self.asOf = asOf
  }

  /// What happened to a feed: an open set of names.
  public struct Outcome: RawRepresentable, Codable, Hashable, Sendable {
    /// The name on the wire.
    public var rawValue: String
    /// Any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// New data was downloaded and imported.
    public static let downloaded = Outcome(rawValue: "downloaded")
    /// New data was imported from a local file.
    public static let imported = Outcome(rawValue: "imported")
    /// The source is unchanged; nothing was rebuilt.
    public static let unchanged = Outcome(rawValue: "unchanged")
    /// The stored copy is recent enough; the source was not contacted.
    public static let reused = Outcome(rawValue: "reused")
    /// It failed; the last good data stays.
    public static let failed = Outcome(rawValue: "failed")
    /// Still in progress when the reply was due.
    public static let running = Outcome(rawValue: "running")
    /// The web source was not contacted, because no client has sent a request that needs it; only in replies to
    /// `feed.refresh`.
    public static let idle = Outcome(rawValue: "idle")
    /// No source is configured.
    public static let unconfigured = Outcome(rawValue: "unconfigured")
  }
}
