/// One download.
package struct FetchRequest: Codable, Equatable, Sendable {
  /// The URL, accepted by ``SourceLocation``.
  package var url: String
  /// The feed's header lines, such as `Accept: application/json`; cookies are sent only to the URL's origin.
  package var headers: [String] = []
  /// Header lines that may be secret, such as `Authorization: Bearer …`: sent only to the URL's origin.
  package var secrets: [String] = []
  /// Identifies the stored copy; empty to get the body in any case.
  package var validators = SourceValidators()
}

/// A server's identifiers for one version of a document (RFC 9110, section 8.8).
package struct SourceValidators: Codable, Equatable, Sendable {
  /// The `ETag`, quotes included.
  package var etag: String?
  /// The `Last-Modified`.
  package var modified: String?

  /// These, with the ones of `newer` that are there.
  func updated(by newer: SourceValidators) -> SourceValidators {
    SourceValidators(etag: newer.etag ?? etag, modified: newer.modified ?? modified)
  }

  /// Whether there are none, so that a request cannot be conditional.
  package var isEmpty: Bool { etag == nil && modified == nil }
}

/// The result of a download.
package enum FetchReply: Equatable, Sendable {
  /// A body, with its validators.
  case body([UInt8], SourceValidators)
  /// The stored copy is still current (status 304); the reply may have new validators.
  case notModified(SourceValidators)
}

/// Performs downloads, blocking.
///
/// Programs use ``WebFetcher``.
package protocol SourceFetcher: Sendable {
  /// Performs one download; it reports progress to `attempt` and stops when that is cancelled.
  ///
  /// - Throws: ``FeedError`` that says what went wrong and what to do.
  func fetch(_ request: FetchRequest, _ attempt: AttemptOptions) throws(FeedError) -> FetchReply
}

/// The limits of one download; all can be configured.
package struct FetchLimits: Codable, Equatable, Sendable {
  /// The default of ``bytes``; the largest real feed needs less than a hundredth of it.
  package static let usualBytes = 64 << 20
  /// Most redirects that are followed, all to `https:`.
  package static let redirects = 3
  /// Most bytes of an `ETag` or `Last-Modified`; longer ones are ignored.
  package static let validatorBytes = 1_024
  /// Bytes per second below which a download counts as stalled.
  package static let stallSpeed = 100

  /// Bytes per second below which a source is slow, and the seconds for which the speed is measured.
  static let (slowSpeed, slowSeconds) = (Int64(64 << 10), Int64(3))

  /// Valid values of ``bytes``.
  package static let byteRange: ClosedRange<Int64> = 1_024...Int64(SourceFile.maximumBytes)
  /// Valid times, in seconds.
  package static let secondRange: ClosedRange<Int64> = 1...3_600

  /// Most bytes of an unpacked body; checked before and while it arrives.
  package var bytes = usualBytes
  /// Seconds until there is a connection, TLS included.
  package var connect: Int64 = 10
  /// Seconds for the whole download; after a quarter of them, its source is slow.
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
