/// A byte string (major type 2) as a `Codable` value; `[UInt8]` itself is an array of integers to Codable.
public struct CBORBytes: Codable, Hashable, Sendable {
  /// The bytes.
  public var bytes: [UInt8]

  /// Wraps `bytes`.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a byte string; with other decoders than ``CBORDecoder`` an array of integers.
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

  /// Writes a byte string; with other encoders than ``CBOREncoder`` an array of integers.
  public func encode(to encoder: any Encoder) throws {
    guard let item = encoder as? ItemEncoder else { return try bytes.encode(to: encoder) }
    try item.write { $0.writeBytes(bytes) }
  }
}
