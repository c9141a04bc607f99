/// A tagged item (RFC 8949 §3.4) as a `Codable` value; only ``CBOREncoder`` and ``CBORDecoder`` write and read the tag.
public struct CBORTagged<Content: Codable & Sendable>: Codable, Sendable {
  /// The tag's number.
  public var tag: UInt64
  /// What it encloses.
  public var content: Content

  /// Tags `content`.
  public init(tag: UInt64, content: Content) {
    self.tag = tag
    self.content = content
  }
}
