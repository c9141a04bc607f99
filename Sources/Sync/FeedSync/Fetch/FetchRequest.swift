/// One download.
package struct FetchRequest: Equatable, Sendable {
  /// Where from; ``SourceLocation`` has accepted it.
  package var url: String
  /// Header lines of the feed's own, as `Accept: application/json`; cookies among them stay with the URL's origin.
  package var headers: [String]
  /// Header lines that may be secret, as `Authorization: Bearer …`: they are sent to the URL's own origin alone.
  package var secrets: [String]
  /// What identifies the copy that is at hand; empty to get the body in any case.
  package var validators: SourceValidators

  /// Makes a request.
  package init(
    url: String, headers: [String] = [], secrets: [String] = [], validators: SourceValidators = SourceValidators()
  ) {
    (self.url, self.headers, self.secrets, self.validators) = (url, headers, secrets, validators)
  }
}

/// What a server calls one state of a document (RFC 9110, section 8.8).
package struct SourceValidators: Codable, Equatable, Sendable {
  /// The `ETag`, quotes included.
  package var etag: String?
  /// The `Last-Modified`.
  package var modified: String?

  /// Makes validators.
  package init(etag: String? = nil, modified: String? = nil) { (self.etag, self.modified) = (etag, modified) }

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
