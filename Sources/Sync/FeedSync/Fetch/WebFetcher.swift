import CCurl

/// Downloads over `https:`, and over `http:` from this machine, with libcurl.
///
/// Certificates are always verified, against the system's roots and those of ``caFile``. The first URL may be `http:` if
/// its host is loopback (``SourceLocation`` sees to that); a redirect leads to `https:` or is refused, and cookies do not
/// follow it to another host. Proxies are those of the environment (`https_proxy`, `no_proxy`); this machine is asked
/// directly.
package struct WebFetcher: SourceFetcher {
  /// How this program calls itself.
  package static let userAgent = SyncService.server.split(separator: " ").joined(separator: "/")

  private let limits: FetchLimits
  private let caFile: String?
  /// libcurl's own set-up, which must happen once, before any thread uses it.
  private static let isReady = cities_curl_global_init() == CURLE_OK

  /// Sets up a fetcher; `caFile` holds certificates in PEM that are trusted besides the system's.
  package init(limits: FetchLimits = FetchLimits(), caFile: String? = nil) {
    (self.limits, self.caFile) = (limits, caFile)
  }

  /// Performs one download on the calling thread.
  ///
  /// - Throws: ``FeedError``; of reason `cancelled` if the attempt was.
  package func fetch(_ request: FetchRequest, _ attempt: FeedAttempt) throws(FeedError) -> FetchReply {
    guard Self.isReady, let transfer = WebTransfer() else {
      throw FeedError(.io, "\(request.url): libcurl cannot be set up: too little memory")
    }
    let received = ReceivedBody(limit: limits.bytes, attempt)
    let roots = try caFile.map { (path) throws(FeedError) in try TrustedRoots.bytes(with: path, transfer) }
    let code = transfer.run(request, limits, roots, received)
    guard code == CURLE_OK else { throw transfer.failure(code, of: request, limits, received) }
    switch transfer.status {
    case 200: return .body(received.bytes, received.validators)
    case 304 where !request.validators.isEmpty: return .notModified
    case let status:
      throw FeedError(.unavailable, "\(request.url): the server answers with status \(status) instead of 200")
    }
  }
}
