/// One download.
package struct FetchRequest: Equatable, Sendable {
  /// Where from; ``SourceLocation`` has accepted it.
  package var url: String
  /// Header lines of the feed's own, as `Accept: application/json`; cookies among them stay with the URL's origin.
  package var headers: [String] = []
  /// Header lines that may be secret, as `Authorization: Bearer …`: they are sent to the URL's own origin alone.
  package var secrets: [String] = []
  /// What identifies the copy that is at hand; empty to get the body in any case.
  package var validators = SourceValidators()
}

/// What a server calls one state of a document (RFC 9110, section 8.8).
package struct SourceValidators: Codable, Equatable, Sendable {
  /// The `ETag`, quotes included.
  package var etag: String?
  /// The `Last-Modified`.
  package var modified: String?

  /// Whether a server can be asked with them whether anything has changed.
  package var isEmpty: Bool { etag == nil && modified == nil }
}

/// What came of a download.
package enum FetchReply: Equatable, Sendable {
  /// A body, with what identifies it.
  case body([UInt8], SourceValidators)
  /// The copy at hand is still right (status 304).
  case notModified
}

/// Downloads; blocks as long as that takes.
///
/// ``WebFetcher`` is the one that programs use.
package protocol SourceFetcher: Sendable {
  /// Performs one download; it reports progress to `attempt` and stops when that is cancelled.
  ///
  /// - Throws: ``FeedError`` that says what went wrong and what to do.
  func fetch(_ request: FetchRequest, _ attempt: FeedAttempt) throws(FeedError) -> FetchReply
}

/// What one download may take; every part can be configured.
package struct FetchLimits: Equatable, Sendable {
  /// Bytes of a body, unpacked: the largest real feed has less than a hundredth of it.
  package static let usualBytes = 64 << 20
  /// Redirects that are followed, each to `https:` only.
  package static let redirects = 3
  /// Bytes of an `ETag` or `Last-Modified` that are remembered; a longer one is as good as none.
  package static let validatorBytes = 1_024
  /// Bytes a second below which a download counts as stalled.
  package static let stallSpeed = 100

  /// Values of ``bytes`` that are accepted.
  package static let byteRange: ClosedRange<Int64> = 1_024...Int64(SourceFile.maximumBytes)
  /// Values of the times that are accepted, in seconds.
  package static let secondRange: ClosedRange<Int64> = 1...3_600

  /// Bytes of a body that are accepted, unpacked; checked before and while it arrives.
  package var bytes = usualBytes
  /// Seconds until there is a connection, TLS included.
  package var connect: Int64 = 10
  /// Seconds for all of it.
  package var total: Int64 = 120
  /// Seconds for which less than ``stallSpeed`` may arrive.
  package var stall: Int64 = 20

  /// The usual limits.
  package init() {}

  /// The message about a body above ``bytes``.
  var excess: String { "more than the \(bytes) bytes that are accepted; limits.bytes can be raised" }
  /// The message about a download that takes longer than ``total``.
  var overrun: String { "not finished within \(total) s (limits.total)" }
}
