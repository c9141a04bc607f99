import CCurl

/// One handle of libcurl, freed with its object; everything that one transfer needs.
final class WebTransfer {
  private let handle: UnsafeMutableRawPointer
  private let message: UnsafeMutablePointer<CChar>
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var failedOption = CURLE_OK

  /// `nil` if there is no memory.
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

  /// Sets everything and transfers; what arrives goes to `received`.
  func run(_ request: FetchRequest, _ limits: FetchLimits, _ roots: [UInt8]?, _ received: ReceivedBody) -> CURLcode {
    check(cities_curl_set_error_buffer(handle, message))
    check(received.receive(from: handle))
    // Without it a name that is looked up too long raises a signal, which no program with threads can use.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_URL, request.url)
    set(CURLOPT_USERAGENT, WebFetcher.userAgent)
    setRoute(request)
    setLimits(limits)
    set(CURLOPT_ACCEPT_ENCODING, "gzip")
    setHeaders(request)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    if let roots { setRoots(roots) }
    guard failedOption == CURLE_OK else { return failedOption }
    return withExtendedLifetime(received) { curl_easy_perform(handle) }
  }

  /// The status of the last reply; 0 if there was none.
  var status: Int { number(CURLINFO_RESPONSE_CODE) }

  /// The system's error number of a connection that failed; 0 if it was something else.
  var systemError: Int32 { Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)) }

  /// Whether a request was under way: the connection stood, with TLS where there is any.
  var hasConnected: Bool {
    var microseconds: curl_off_t = 0
    return cities_curl_offset(handle, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0
  }

  /// libcurl's words about what went wrong; empty if it has none.
  var words: String { String(cString: message) }

  /// The file of the system's roots that libcurl was built for, if it has one.
  var systemRoots: String? {
    var path: UnsafePointer<CChar>?
    guard cities_curl_text(handle, CURLINFO_CAINFO, &path) == CURLE_OK else { return nil }
    return path.map { String(cString: $0) }
  }

  /// Where requests may go, first and by redirect.
  private func setRoute(_ request: FetchRequest) {
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 1)
    set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    set(CURLOPT_MAXREDIRS, FetchLimits.redirects)
    // No proxy can reach what listens on this machine only.
    if WebAddress(request.url)?.isLoopback == true { set(CURLOPT_PROXY, "") }
  }

  private func setLimits(_ limits: FetchLimits) {
    set(CURLOPT_CONNECTTIMEOUT, Int(limits.connect))
    set(CURLOPT_TIMEOUT, Int(limits.total))
    set(CURLOPT_LOW_SPEED_LIMIT, FetchLimits.stallSpeed)
    set(CURLOPT_LOW_SPEED_TIME, Int(limits.stall))
    check(cities_curl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.bytes)))
  }

  private func setHeaders(_ request: FetchRequest) {
    var lines = request.headers
    if let etag = request.validators.etag { lines.append("If-None-Match: \(etag)") }
    if let modified = request.validators.modified { lines.append("If-Modified-Since: \(modified)") }
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

  /// An option that does not take ends the transfer before it begins: none of them may be missing.
  private func check(_ code: CURLcode) { if failedOption == CURLE_OK { failedOption = code } }

  private func number(_ info: CURLINFO) -> Int {
    var value = 0
    return cities_curl_number(handle, info, &value) == CURLE_OK ? value : 0
  }
}
