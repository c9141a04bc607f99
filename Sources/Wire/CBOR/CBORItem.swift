/// An item that is encoded already, passed through ``CBOREncoder`` and captured by ``CBORDecoder`` without a look inside.
///
/// ```swift
/// struct Envelope: Codable { var id: UInt64; var result: CBORItem }
/// ```
public struct CBORItem: Codable, Hashable, Sendable {
  /// The item's core deterministic encoding.
  public let bytes: [UInt8]

  /// Takes one item in any encoding and keeps the deterministic one.
  ///
  /// - Throws: as ``canonicalized(_:limits:)-([UInt8],_)``.
  /// - Complexity: O(*n* log *n*) in the bytes.
  public init(_ bytes: [UInt8], limits: CBORLimits = .init()) throws(CBORError) {
    self.bytes = try canonicalized(bytes, limits: limits)
  }

  /// Takes bytes that the caller knows to be one item in deterministic encoding.
  ///
  /// - Complexity: O(1).
  public init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// Captures the item, in deterministic encoding whatever the sender chose.
  public init(from decoder: any Decoder) throws {
    guard let item = decoder as? ItemDecoder else {
      throw DecodingError.typeMismatch(
        CBORItem.self, .init(codingPath: decoder.codingPath, debugDescription: "only CBORDecoder reads a CBORItem"))
    }
    var writer = CBORWriter(capacity: item.tape.encoding(at: item.index).count)
    item.tape.writeCanonical(item.index, into: &writer)
    bytes = writer.bytes
  }

  /// Writes the bytes as they are.
  public func encode(to encoder: any Encoder) throws {
    guard let item = encoder as? ItemEncoder else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "only CBOREncoder writes a CBORItem"))
    }
    try item.write { $0.writeEncoded(bytes) }
  }
}
