/// Why bytes are not an acceptable CBOR item, or not the expected type.
public struct CBORError: Error, Equatable, Sendable {
  /// The kind of problem.
  public enum Kind: Equatable, Sendable {
    /// The item ends before its declared length.
    case truncated
    /// Bytes that RFC 8949 does not allow, with a word about them.
    case malformed(String)
    /// A limit of ``CBORLimits`` is exceeded.
    case limit(String)
    /// Well-formed, but not deterministic: strict readers only.
    case notDeterministic
    /// Well-formed, but not what was asked for.
    case mismatch(expected: String, found: String)
    /// A required map key is missing.
    case missingKey(String)
    /// Bytes follow the item.
    case trailingBytes
  }
  /// The kind of problem.
  public var kind: Kind
  /// Offset of the offending byte from the start of the item.
  public var offset: Int
  /// Where in the value, as `rows[3].name`; empty at the top.
  public var path: String

  /// Makes an error.
  public init(_ kind: Kind, offset: Int, path: String = "") {
    self.kind = kind
    self.offset = offset
    self.path = path
  }
}
