/// Where a feed's source is, as its configuration says.
package enum SourceLocation: Equatable, Sendable {
  /// A local file: an absolute path, or a `file:` URL.
  case file(path: String)
  /// A URL to be downloaded: `https:`, or `http:` if its host is this machine (`localhost`, 127.0.0.0/8, ::1).
  case web(url: String)

  /// Reads a configured value.
  ///
  /// `file:` URLs follow RFC 8089: no host or `localhost`, percent-encoded bytes. A URL with a user's name or password is
  /// refused, as the URL is told to everybody who asks for the status.
  ///
  /// - Throws: ``FeedError`` that says what is accepted.
  package init(_ text: String) throws(FeedError) {
    func refusal(_ why: String) -> FeedError {
      let shown = Self.withoutUser(text)
      return FeedError(.unavailable, "\(why): \"\(shown)\"; give an https: URL, an absolute path or a file: URL")
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
      let host = rest.prefix { $0 != "/" }
      guard host.isEmpty || host.lowercased() == "localhost" else { throw refusal("the file is on another host") }
      rest = rest.dropFirst(host.count)
    }
    guard rest.hasPrefix("/") else { throw refusal("the URL's path is not absolute") }
    guard let decoded = Self.percentDecoded(rest) else { throw refusal("the URL's percent-encoding is wrong") }
    self = .file(path: decoded)
  }

  /// `text` as everybody may see it: the name and password that a URL has in front of its host are left out.
  package static func withoutUser(_ text: String) -> String {
    guard let slashes = text.firstIndex(of: "/"), text[..<slashes].last == ":" else { return text }
    let host = text[slashes...].drop { $0 == "/" }
    guard let at = host.prefix(while: { !"/?#".contains($0) }).lastIndex(of: "@") else { return text }
    return text[..<host.startIndex] + "…" + text[at...]
  }

  /// What stands before the first colon, if it is a scheme (RFC 3986, section 3.1), in lower case.
  private static func scheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme.first?.isLetter == true else { return nil }
    return scheme.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789+-.".utf8.contains($0) } ? scheme : nil
  }

  private static func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
