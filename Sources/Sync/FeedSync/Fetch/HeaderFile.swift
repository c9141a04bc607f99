/// A request header whose value is in a file, such as a token.
///
/// The file is read for every request, so that a new token needs no restart. Its contents are sent only to the feed's
/// origin, and appear in no report, message or log.
package struct HeaderFile: Codable, Equatable, Sendable {
  /// The variable that names the folder of the service's credentials (systemd.exec(5), `LoadCredential=`).
  package static let credentialsVariable = "CREDENTIALS_DIRECTORY"
  /// Most bytes of a value; servers refuse longer header lines.
  package static let maximumBytes = 8_192

  /// The header's name, as configured.
  package let name: String
  private let source: String
  private let credentials: String?

  /// Headers that the program sets itself, or that would change the meaning of a request or its reply.
  private static let reserved = [
    "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "proxy-authorization",
    "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
  ]

  /// The header `name` with its value in `source`: an absolute path, or the name of a credential in the folder
  /// `credentials`.
  package init(name: String, source: String, credentials: String?) {
    self.name = name
    self.source = source
    self.credentials = credentials.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Why `name` cannot be configured as a header; `nil` if it can (RFC 9110, section 5.1).
  package static func problem(withName name: String) -> String? {
    let letters = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    guard !name.isEmpty, name.utf8.count <= 256, name.utf8.allSatisfy(letters.contains) else {
      return "not a header name: expected letters, digits and -"
    }
    return reserved.contains(name.lowercased()) ? "citiesd-sync sets this header itself" : nil
  }

  /// The header line, such as `Authorization: Bearer …`.
  ///
  /// A final line feed of the file is left out, with a carriage return before it.
  ///
  /// - Throws: ``FeedError`` without the file's contents if it cannot be read or is not one line of printable ASCII.
  package func line() throws(FeedError) -> String {
    let path = try path()
    var value = try contents(of: path)[...]
    if value.last == 0x0A {
      value = value.dropLast()
      if value.last == 0x0D { value = value.dropLast() }
    }
    while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
    guard !value.isEmpty else { throw refusal(path, "the file is empty") }
    // A line break would let the file inject another header.
    guard value.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x09 }) else {
      throw refusal(path, "expected one line of printable ASCII")
    }
    return "\(name): \(String(decoding: value, as: UTF8.self))"
  }

  /// A warning if all users of the machine may read the file; `nil` if not, or if there is no such file.
  package func warning(key: String, in file: String) -> String? { exposure.map { "\(file): \(key): \($0)" } }

  /// The problem of a file that all users of the machine may read.
  var exposure: String? { (try? path()).flatMap(SecretFile.exposure) }

  /// Whether its file can be checked here: the service manager's credentials exist only within the service.
  func isCheckable(_ environment: [String: String]) -> Bool {
    source.hasPrefix("/") || credentials != nil || environment["INVOCATION_ID"] != nil
  }

  private func path() throws(FeedError) -> String {
    if source.hasPrefix("/") { return source }
    guard !source.isEmpty, !source.contains("/"), source != ".", source != ".." else {
      throw refusal(source, "expected an absolute path or the name of a credential")
    }
    guard let credentials else {
      throw refusal(
        source, "there are no credentials; add LoadCredential=\(source):PATH to citiesd-sync.service, or give a path")
    }
    return "\(credentials)/\(source)"
  }

  private func contents(of path: String) throws(FeedError) -> [UInt8] {
    try FeedError.naming("header \(name)") { () throws(FeedError) in
      try SourceFile(path: path, regularOnly: true, limit: Self.maximumBytes).bytes
    }
  }

  private func refusal(_ path: String, _ problem: String) -> FeedError {
    FeedError(.badData, "header \(name): \(path): \(problem)")
  }
}
