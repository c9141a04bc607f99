/// A tagged item (RFC 8949 §3.4) as a `Codable` value; only ``CBOREncoder`` and ``CBORDecoder`` write and read the tag.
///
/// Other encoders get a structure of `tag` and `content`.
public struct CBORTagged<Content: Codable & Sendable>: Codable, Sendable {
  /// The tag's number.
  public var tag: UInt64
  /// The enclosed item.
  public var content: Content

  /// Tags `content`.
  public init(tag: UInt64, content: Content) {
    self.tag = tag
    self.content = content
  }

  private enum CodingKeys: String, CodingKey { case tag, content }

  /// Reads a tag and its content.
  public init(from decoder: any Decoder) throws {
    if let item = decoder as? ItemDecoder {
      guard item.tape[item.index].kind == .tag else { throw item.tape.mismatch("tag", at: item.index) }
      tag = item.tape[item.index].argument
      content = try item.storage.decode(Content.self, at: item.index + 1)
    } else {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      tag = try container.decode(UInt64.self, forKey: .tag)
      content = try container.decode(Content.self, forKey: .content)
    }
  }

  /// Writes a tag and its content.
  public func encode(to encoder: any Encoder) throws {
    if let item = encoder as? ItemEncoder {
      try item.write { $0.writeTag(tag) }
      try item.state.encode(content)
    } else {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(tag, forKey: .tag)
      try container.encode(content, forKey: .content)
    }
  }
}

extension CBORTagged: Equatable where Content: Equatable {}
extension CBORTagged: Hashable where Content: Hashable {}

/// A byte string (major type 2) as a `Codable` value; Codable treats `[UInt8]` as an array of integers.
public struct CBORBytes: Codable, Hashable, Sendable {
  /// The bytes.
  public var bytes: [UInt8]

  /// Wraps `bytes`.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a byte string; from decoders other than ``CBORDecoder``, an array of integers.
  public init(from decoder: any Decoder) throws {
    guard let item = decoder as? ItemDecoder else {
      bytes = try [UInt8](from: decoder)
      return
    }
    guard let content = item.tape.bytesContent(at: item.index) else {
      throw item.tape.mismatch("byte string", at: item.index)
    }
    bytes = content
  }

  /// Writes a byte string; to encoders other than ``CBOREncoder``, an array of integers.
  public func encode(to encoder: any Encoder) throws {
    guard let item = encoder as? ItemEncoder else { return try bytes.encode(to: encoder) }
    try item.write { $0.writeBytes(bytes) }
  }
}
