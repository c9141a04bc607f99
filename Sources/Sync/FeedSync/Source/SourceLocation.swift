import CCurl
import Glibc
import Resident

/// The configured location of a feed's source.
package enum SourceLocation: Equatable, Sendable {
  /// A local file: an absolute path, or a `file:` URL.
  case file(path: String)
  /// A URL to be downloaded: `https:`, or `http:` if its host is this machine (`localhost`, 127.0.0.0/8, ::1).
  case web(url: String)

  /// Reads a configured value.
  ///
  /// `file:` URLs follow RFC 8089: no host or `localhost`, percent-encoded bytes. A URL with a user name or password is
  /// refused: use a header from a file (``HeaderFile``).
  ///
  /// - Throws: ``FeedError`` that says what is accepted.
  package init(_ text: String) throws(FeedError) {
    func refusal(_ why: String) -> FeedError {
      return FeedError(
        .unavailable, "\(why): \"\(Self.shown(text))\"; give an https: URL, an absolute path or a file: URL")
    }
    guard let scheme = Self.scheme(of: text) else {
      guard text.hasPrefix("/") else { throw refusal("the path is not absolute") }
      self = .file(path: text)
      return
    }
    if scheme == "https" || scheme == "http" {
      guard let address = WebAddress(text), address.scheme == scheme else {
        throw refusal("no URL that can be downloaded, or one with a user's name in it")
      }
      guard scheme == "https" || address.isLoopback else { throw refusal("http: is for this machine only") }
      self = .web(url: text)
      return
    }
    guard scheme == "file" else { throw refusal("the scheme \(scheme): is not read") }
    var rest = text.dropFirst("file:".count)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let host = rest.prefix { !$0.is("/") }
      guard host.isEmpty || host.lowercased() == "localhost" else { throw refusal("the file is on another host") }
      rest = rest.dropFirst(host.count)
    }
    guard rest.hasPrefix("/") else { throw refusal("the URL's path is not absolute") }
    guard let decoded = percentDecoded(rest) else { throw refusal("the URL's percent-encoding is wrong") }
    self = .file(path: decoded)
  }

  /// `text` for reports, messages and logs: the parts of a URL that may be secret are replaced by `…`.
  ///
  /// Those are the name and password before the host, and everything after the first `?` or `#`. A path is shown in
  /// full.
  package static func shown(_ text: String) -> String {
    guard !text.hasPrefix("/"), let colon = text.firstIndex(of: ":") else { return text }
    let end = text.firstIndex { $0.is("?") || $0.is("#") }
    let query = end.map { "\(text[$0])…" } ?? ""
    let start = text[colon...].dropFirst().firstIndex { !$0.is("/") && !$0.is("\\") } ?? text.endIndex
    guard start <= end ?? text.endIndex else { return text[..<(end ?? text.endIndex)] + query }
    let visible = text[start..<(end ?? text.endIndex)]
    let authority = visible.prefix { !$0.is("/") && !$0.is("\\") }
    if let at = authority.lastIndex(of: "@") { return text[..<start] + "…" + visible[at...] + query }
    // A colon precedes a port, or a password that contains a delimiter.
    let port = authority.split(separator: ":", maxSplits: 1).dropFirst().last
    if !authority.hasPrefix("["), let port, !port.allSatisfy(\.isWholeNumber), text.contains("@") {
      return text[..<start] + "…"
    }
    return text[..<start] + visible + query
  }

  /// Distinguishes texts that ``shown(_:)`` shows alike; `nil` if it shows all of `text`.
  ///
  /// Sixteen bits notice a change of a secret, but confirm no guess at it.
  package static func secretDigest(_ text: String) -> UInt16? {
    shown(text) == text ? nil : UInt16(truncatingIfNeeded: Array(text.utf8).withUnsafeBytes(XXH64.hash))
  }

  /// `text`, a library's message, with its URLs as ``shown(_:)`` shows them.
  package static func withShownURLs(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let quote = word.prefix { "\"'(<".contains($0) }
      return word.contains("://") ? quote + shown(String(word.dropFirst(quote.count))) : word
    }.joined(separator: " ")
  }

  /// The text before the first colon, if it is a scheme (RFC 3986, section 3.1), in lower case.
  private static func scheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme.first?.isLetter == true else { return nil }
    return scheme.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789+-.".utf8.contains($0) } ? scheme : nil
  }
}

/// A web URL, parsed by the library that will request it, so that both see the same host.
struct WebAddress {
  let scheme: String
  let host: String
  let port: String

  /// Parses `text`; `nil` if it is not a URL, or has a user name or password.
  init?(_ text: String) {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    let flags = UInt32(CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME)
    guard curl_url_set(parts, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
    func part(_ name: CURLUPart) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard curl_url_get(parts, name, &value, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let value else { return nil }
      defer { curl_free(value) }
      return String(cString: value)
    }
    guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST), !host.isEmpty else { return nil }
    (self.scheme, self.host, self.port) = (scheme.lowercased(), host.lowercased(), part(CURLUPART_PORT) ?? "")
  }

  /// Whether `other` has the same scheme, host and port (RFC 6454, section 5).
  func hasOrigin(of other: WebAddress) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    if host == "localhost" { return true }
    var old = in_addr()
    if inet_pton(AF_INET, host, &old) == 1 { return UInt32(bigEndian: old.s_addr) >> 24 == 127 }
    var new = in6_addr()
    guard inet_pton(AF_INET6, host.filter { !$0.is("[") && !$0.is("]") }, &new) == 1 else { return false }
    return withUnsafeBytes(of: &new) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
