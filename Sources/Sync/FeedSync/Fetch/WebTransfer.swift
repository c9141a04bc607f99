import CCurl
import System

/// A libcurl handle for one transfer, freed with its object.
final class WebTransfer {
  private let handle: UnsafeMutableRawPointer
  private let message: UnsafeMutablePointer<CChar>
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var failedOption = CURLE_OK

  /// `nil` if out of memory.
  init?() {
    guard let handle = curl_easy_init() else { return nil }
    self.handle = handle
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(headers)
    message.deallocate()
  }

  /// Requests `url` with the header `lines`, for at most `milliseconds`, into `received`.
  ///
  /// Redirects are not followed.
  func run(
    _ url: String, _ lines: [String], _ limits: FetchLimits, milliseconds: Int64, _ roots: [UInt8]?,
    _ received: ReceivedBody
  ) -> CURLcode {
    check(cities_curl_set_error_buffer(handle, message))
    check(received.receive(from: handle))
    // Otherwise a name lookup that times out raises a signal, which is unsafe with threads.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_URL, url)
    set(CURLOPT_USERAGENT, WebFetcher.userAgent)
    setRoute(url)
    setLimits(limits, milliseconds)
    setHeaders(lines + ["Accept-Encoding: gzip"])
    // The type of this constant differs between the headers of Debian 12 and 13.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let roots { setRoots(roots) }
    guard failedOption == CURLE_OK else { return failedOption }
    return withExtendedLifetime(received) { curl_easy_perform(handle) }
  }

  /// Where the reply redirects to, as an absolute URL; `nil` if it does not.
  var redirect: String? { Self.redirects.contains(status) ? text(CURLINFO_REDIRECT_URL) : nil }

  /// Statuses that redirect a GET (RFC 9110, section 15.4).
  private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

  /// The status of the last reply; 0 if there was none.
  var status: Int { number(CURLINFO_RESPONSE_CODE) }

  /// The system's error number of a connection that failed; 0 if it was something else.
  var systemError: Int32 { Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)) }

  /// Whether the request was sent: the connection, with TLS if any, was established.
  var hasConnected: Bool {
    var microseconds: curl_off_t = 0
    return cities_curl_offset(handle, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0
  }

  /// libcurl's error message; may be empty.
  var errorText: String { String(cString: message) }

  /// The file of the system's roots that libcurl was built for, if it has one.
  var systemRoots: String? { text(CURLINFO_CAINFO) }

  private func setRoute(_ url: String) {
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    // A proxy cannot reach a server that listens on this machine only.
    if WebAddress(url)?.isLoopback == true { set(CURLOPT_PROXY, "") }
  }

  private func setLimits(_ limits: FetchLimits, _ milliseconds: Int64) {
    set(CURLOPT_CONNECTTIMEOUT, Int(limits.connect))
    set(CURLOPT_TIMEOUT_MS, Int(milliseconds))
    set(CURLOPT_LOW_SPEED_LIMIT, FetchLimits.stallSpeed)
    set(CURLOPT_LOW_SPEED_TIME, Int(limits.stall))
    check(cities_curl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.bytes)))
  }

  private func setHeaders(_ lines: [String]) {
    for line in lines {
      guard let longer = curl_slist_append(headers, line) else { return check(CURLE_OUT_OF_MEMORY) }
      headers = longer
    }
    check(cities_curl_set_headers(handle, headers))
  }

  private func setRoots(_ roots: [UInt8]) {
    roots.withUnsafeBytes { check(cities_curl_set_blob(handle, CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count)) }
  }

  private func set(_ option: CURLoption, _ value: Int) { check(cities_curl_set_number(handle, option, value)) }

  private func set(_ option: CURLoption, _ value: String) { check(cities_curl_set_text(handle, option, value)) }

  /// Remembers the first option that failed: the transfer must not run without it.
  private func check(_ code: CURLcode) { if failedOption == CURLE_OK { failedOption = code } }

  private func text(_ info: CURLINFO) -> String? {
    var text: UnsafePointer<CChar>?
    return cities_curl_text(handle, info, &text) == CURLE_OK ? text.map { String(cString: $0) } : nil
  }

  private func number(_ info: CURLINFO) -> Int {
    var value = 0
    return cities_curl_number(handle, info, &value) == CURLE_OK ? value : 0
  }
}

extension WebTransfer {
  /// Describes a failed transfer: what failed, where, and what to do.
  ///
  /// `place` is the URL as it may be shown. The same failure gives the same text, without the milliseconds in libcurl's
  /// messages, so that a log can omit repetitions.
  func failure(_ code: CURLcode, at place: String, _ limits: FetchLimits, _ received: ReceivedBody) -> FeedError {
    func fault(_ text: String, _ reason: FeedError.Reason = .unavailable) -> FeedError {
      FeedError(reason, "\(place): \(text)")
    }
    switch received.problem {
    case .unreadable(let clause)?: return fault(clause, .badData)
    case .tooLarge?: return fault(limits.excess, .badData)
    case nil: break
    }
    switch code {
    case CURLE_FILESIZE_EXCEEDED: return fault(limits.excess, .badData)
    case CURLE_ABORTED_BY_CALLBACK where received.hasMadeWay:
      return fault("ended, because it takes long and other feeds wait")
    case CURLE_ABORTED_BY_CALLBACK: return fault("the download was cancelled: the service is stopping", .cancelled)
    case CURLE_COULDNT_RESOLVE_HOST: return fault("the host's name cannot be resolved; check the URL and the network")
    case CURLE_COULDNT_RESOLVE_PROXY: return fault("the proxy's name cannot be resolved; check https_proxy")
    case CURLE_COULDNT_CONNECT: return fault("no connection: \(systemErrorText)")
    case CURLE_OPERATION_TIMEDOUT: return fault(timeout(limits))
    case CURLE_UNSUPPORTED_PROTOCOL where errorText.contains("HTTP/0.9"):
      return fault("the answer is HTTP/0.9 or not HTTP; expected HTTP/1.0 or later")
    case CURLE_PARTIAL_FILE: return fault("the body is shorter than the server said", .badData)
    case CURLE_PEER_FAILED_VERIFICATION:
      return fault("\(shownErrorText); a certificate authority of your own can be named in tls.caFile")
    case CURLE_GOT_NOTHING: return fault("the server closed the connection without an answer")
    default: return fault(errorText.isEmpty ? String(cString: curl_easy_strerror(code)) : shownErrorText)
    }
  }

  private var shownErrorText: String { SourceLocation.withShownURLs(errorText) }

  private var systemErrorText: String {
    systemError == 0 ? "the connection was not made" : SystemError.text(systemError).lowercased()
  }

  private func timeout(_ limits: FetchLimits) -> String {
    guard hasConnected else { return "no connection within \(limits.connect) s (limits.connect)" }
    guard errorText.contains("too slow") else { return limits.overrun }
    return "stalled: less than \(FetchLimits.stallSpeed) bytes a second for \(limits.stall) s (limits.stall)"
  }
}

/// The trusted certificate authorities: the system's, and those of the user's file.
enum TrustedRoots {
  /// The certificates of the system's file and after them those of `path`, in PEM.
  ///
  /// libcurl alone would use the file instead of the system's file; it reads the system's certificate folder in any
  /// case.
  ///
  /// - Throws: ``FeedError`` that names the key if the file has no certificate.
  static func bytes(with path: String, _ transfer: WebTransfer) throws(FeedError) -> [UInt8] {
    let own = try FeedError.naming("tls.caFile") { () throws(FeedError) in try certificates(of: path) }
    // Without a system file, only the user's certificates are trusted.
    let system = transfer.systemRoots.flatMap { try? SourceFile(path: $0, regularOnly: true).bytes } ?? []
    return system + Array("\n".utf8) + own
  }

  /// The bytes of the file at `path`, if there is a certificate in it.
  ///
  /// - Throws: ``FeedError`` if it has none or cannot be read.
  static func certificates(of path: String) throws(FeedError) -> [UInt8] {
    let bytes = try SourceFile(path: path, regularOnly: true).bytes
    guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
      throw FeedError(.badData, "\(path): no certificate in the file, which must be PEM")
    }
    return bytes
  }
}
