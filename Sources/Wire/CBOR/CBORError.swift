/// Why bytes are not an acceptable CBOR item or not the expected type, or why a value has no encoding.
public struct CBORError: Error, Equatable, Sendable {
  /// The kind of problem.
  public enum Kind: Equatable, Sendable {
    /// The bytes end before the item does.
    case truncated
    /// Bytes that RFC 8949, or this profile of it, does not allow; with an explanation.
    case malformed(String)
    /// A limit of ``CBORLimits`` is exceeded; its name.
    case limit(String)
    /// Not core deterministic encoding (RFC 8949 §4.2.1): strict readers only.
    case notDeterministic
    /// Well-formed, but not of the expected type.
    case mismatch(expected: String, found: String)
    /// A required map key is missing.
    case missingKey(String)
    /// The right type, but a value that the type refuses; with its reason.
    case refused(String)
    /// Bytes follow the item.
    case trailingBytes
    /// A value that has no encoding, such as NaN; with an explanation.
    case unencodable(String)
  }
  /// The kind of problem.
  public var kind: Kind
  /// Offset of the offending item or byte from the start of the bytes read, or of the bytes written so far.
  public var offset: Int
  /// The path within the value, such as `rows[3].name`; empty at the top level, or if unknown.
  public var path: String

  /// Makes an error.
  public init(_ kind: Kind, offset: Int, path: String = "") {
    self.kind = kind
    self.offset = offset
    self.path = path
  }
}

extension CBORError: CustomStringConvertible {
  /// One clause that names the problem, the place in the value and the byte offset.
  public var description: String {
    "\(path.isEmpty ? "" : "\(path): ")\(problem) (byte \(offset))"
  }

  /// The problem without its place.
  public var problem: String {
    switch kind {
    case .truncated: "the item is cut short"
    case .malformed(let detail): "malformed CBOR, \(detail)"
    case .limit(let name): "more \(name) than the limit allows"
    case .notDeterministic: "not in core deterministic encoding"
    case .mismatch(let expected, let found): "expected \(expected), found \(found)"
    case .missingKey(let name): "the key \"\(name)\" is missing"
    case .refused(let reason): reason
    case .trailingBytes: "bytes follow the item"
    case .unencodable(let detail): "\(detail) cannot be encoded"
    }
  }
}
