import CCurl
import Glibc

/// A URL of the web, taken apart by the library that will follow it, so that both mean the same host.
struct WebAddress {
  let scheme: String
  let host: String
  let port: String

  /// Takes `text` apart; `nil` if it is not a URL, or one with a user's name or password.
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
    (scheme, host, port) == (other.scheme, other.host, other.port)
  }

  /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
  var isLoopback: Bool {
    if host == "localhost" { return true }
    var old = in_addr()
    if inet_pton(AF_INET, host, &old) == 1 { return UInt32(bigEndian: old.s_addr) >> 24 == 127 }
    var new = in6_addr()
    guard inet_pton(AF_INET6, host.filter { $0 != "[" && $0 != "]" }, &new) == 1 else { return false }
    return withUnsafeBytes(of: &new) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
