/// What is configured for one feed; every part is optional.
package struct FeedConfiguration: Equatable, Sendable {
  /// Seconds between attempts unless something else is configured: an hour.
  package static let defaultInterval: Int64 = 3_600
  /// Intervals that are accepted, in seconds: a minute to a year.
  package static let intervals: ClosedRange<Int64> = 60...31_536_000

  /// Where the feed comes from, a URL or an absolute path; `nil` if it is not configured.
  package var url: String?
  /// Seconds between attempts.
  package var interval: Int64
  /// The time zone of the feed's records, as `Europe/Tallinn`, for feeds that need one.
  package var timezone: String?
  /// The country of the feed's records, as `EE`, for feeds that need one.
  package var country: String?
  /// Headers of its requests whose values are in files, by name.
  package var headers: [HeaderFile]

  /// Nothing configured, unless given.
  package init(
    url: String? = nil, interval: Int64 = defaultInterval, timezone: String? = nil, country: String? = nil,
    headers: [HeaderFile] = []
  ) {
    self.url = url
    self.interval = interval
    self.timezone = timezone
    self.country = country
    self.headers = headers
  }
}
