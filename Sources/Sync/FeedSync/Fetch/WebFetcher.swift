import CCurl
import System

/// Downloads over `https:`, and over `http:` from this machine, with libcurl.
///
/// Certificates are always verified, against the system's roots and those of ``caFile``. The first URL may be `http:`
/// if its host is loopback (``SourceLocation`` sees to that); a redirect leads to `https:`, or to another path of the
/// same loopback server, or is refused. Cookies and secrets are sent only to the origin of the first URL: once a
/// redirect has left it, no later request carries them. Proxies come from the environment (`https_proxy`, `no_proxy`);
/// this machine is contacted directly.
package struct WebFetcher: SourceFetcher {
  /// The `User-Agent` header.
  package static let userAgent = SyncService.server.split(separator: " ").joined(separator: "/")

  private let limits: FetchLimits
  private let caFile: String?
  /// Initializes libcurl, once, before any thread uses it.
  private static let isReady = cities_curl_global_init() == CURLE_OK

  /// Sets up a fetcher; `caFile` holds certificates in PEM that are trusted besides the system's.
  package init(limits: FetchLimits = FetchLimits(), caFile: String? = nil) {
    (self.limits, self.caFile) = (limits, caFile)
  }

  /// Performs one download on the calling thread, redirects included.
  ///
  /// - Throws: ``FeedError``; of reason `cancelled` if the attempt was.
  package func fetch(_ request: FetchRequest, _ attempt: AttemptOptions) throws(FeedError) -> FetchReply {
    let end = MonotonicClock.milliseconds() + limits.total * 1_000
    var hop = Hop(request)
    for _ in 0...FetchLimits.redirects {
      switch try transfer(hop, until: end, attempt) {
      case .reply(let reply): return reply
      case .redirect(let url): hop = try hop.redirected(to: url)
      }
    }
    throw FeedError(.unavailable, "\(SourceLocation.shown(request.url)): more than \(FetchLimits.redirects) redirects")
  }

  private enum Step {
    case reply(FetchReply)
    case redirect(to: String)
  }

  private func transfer(_ hop: Hop, until end: Int64, _ attempt: AttemptOptions) throws(FeedError) -> Step {
    guard Self.isReady, let transfer = WebTransfer() else {
      throw FeedError(.io, "\(hop.place): libcurl cannot be set up: out of memory")
    }
    let remaining = end - MonotonicClock.milliseconds()
    guard remaining > 0 else { throw FeedError(.unavailable, "\(hop.place): \(limits.overrun)") }
    let received = ReceivedBody(limit: limits.bytes, late: end - limits.total * 750, attempt)
    let roots = try caFile.map { (path) throws(FeedError) in try TrustedRoots.bytes(with: path, transfer) }
    let code = transfer.run(hop.url, hop.lines, limits, milliseconds: remaining, roots, received)
    guard code == CURLE_OK else { throw transfer.failure(code, at: hop.place, limits, received) }
    if let target = transfer.redirect { return .redirect(to: target) }
    switch transfer.status {
    case 200: return .reply(.body(try body(received, at: hop.place), received.validators))
    case 304 where !hop.validators.isEmpty: return .reply(.notModified(received.validators))
    case let status:
      let wait = received.retryAfter.map { "; it asks to wait for \($0) s (Retry-After)" } ?? ""
      var error = FeedError(
        .unavailable, "\(hop.place): the server answers with status \(status) instead of 200\(wait)")
      error.retryAfter = received.retryAfter
      throw error
    }
  }

  private func body(_ received: ReceivedBody, at place: String) throws(FeedError) -> [UInt8] {
    do throws(PackingError) {
      return try received.whole()
    } catch {
      throw FeedError(.badData, "\(place): \(error)")
    }
  }
}

/// One request of a download: the first, or one that follows a redirect.
private struct Hop {
  let url: String
  let validators: SourceValidators
  /// The URL in messages; after a redirect, the first URL precedes it.
  let place: String
  private let headers: [String]

  init(_ request: FetchRequest) {
    (url, validators, headers) = (request.url, request.validators, request.headers + request.secrets)
    (first, shared, place) = (request.url, request.headers.filter { !Self.isCookie($0) }, SourceLocation.shown(url))
  }

  private let first: String
  /// The headers for other origins.
  private let shared: [String]

  private init(_ url: String, after hop: Hop, headers: [String]) {
    (self.url, validators, first, shared, self.headers) = (url, hop.validators, hop.first, hop.shared, headers)
    place = "\(SourceLocation.shown(hop.first)): redirected to \(SourceLocation.shown(url))"
  }

  /// The request that follows a redirect to `target`.
  ///
  /// - Throws: ``FeedError`` if `target` is neither `https:` nor on the same loopback server, or has a user name in it.
  func redirected(to target: String) throws(FeedError) -> Hop {
    let old = WebAddress(url)
    guard let new = WebAddress(target), new.scheme == "https" || new.isLoopback && old?.hasOrigin(of: new) == true
    else {
      let isHTTPS = target.lowercased().hasPrefix("https:")
      let what = isHTTPS ? "a URL that cannot be followed" : "something other than https:"
      throw FeedError(.unavailable, "\(SourceLocation.shown(first)): it redirects to \(what)")
    }
    return Hop(target, after: self, headers: old?.hasOrigin(of: new) == true ? headers : shared)
  }

  /// All header lines of the request.
  var lines: [String] {
    var lines = headers
    if let etag = validators.etag { lines.append("If-None-Match: \(etag)") }
    if let modified = validators.modified { lines.append("If-Modified-Since: \(modified)") }
    return lines
  }

  private static func isCookie(_ line: String) -> Bool { line.lowercased().hasPrefix("cookie:") }
}
