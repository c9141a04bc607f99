import Base
@_exported public import ByteText
import CBOR

/// A moment as RFC 3339 text in UTC with whole seconds (`2026-03-01T12:00:00Z`), tag 0 on the wire.
public struct Timestamp: Codable, Hashable, Sendable {
  /// The text.
  public var text: String

  /// Wraps RFC 3339 text unchecked.
  public init(text: String) { self.text = text }

  /// The time `seconds` after 1970-01-01T00:00:00Z, in the proleptic Gregorian calendar without leap seconds.
  public init(secondsSince1970 seconds: Int64) { text = RFC3339.text(secondsSince1970: seconds) }

  /// Whole seconds since 1970-01-01T00:00:00Z; nil if the text is not a date and time of RFC 3339, section 5.6.
  ///
  /// Any offset and fraction is accepted; a fraction is dropped. Second 60 is refused.
  /// - Complexity: O(*n*) in the length of the text.
  public var secondsSince1970: Int64? { try? RFC3339.parse(text) }

  /// Reads tag 0.
  ///
  /// - Throws: if the tag is another, or its content is not RFC 3339 text.
  public init(from decoder: any Decoder) throws {
    let tagged = try CBORTagged<String>(from: decoder)
    text = tagged.content
    guard tagged.tag == 0, secondsSince1970 != nil else {
      let problem = "expected tag 0 with RFC 3339 text, found tag \(tagged.tag) with \"\(text.prefix(40))\""
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
    }
  }

  /// Writes tag 0.
  public func encode(to encoder: any Encoder) throws {
    try CBORTagged(tag: 0, content: text).encode(to: encoder)
  }
}
