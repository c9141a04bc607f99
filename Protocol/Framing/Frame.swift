public import CBOR

/// The framing of the wire: a 32-bit big-endian length N, then N bytes with one CBOR item.
///
/// The constants are the limits of the wire. Normative text: `Protocol/README.md`, "Framing" and "Limits".
public enum Frame {
  /// The size of the header, the payload's length, in bytes.
  @inlinable public static var headerSize: Int { 4 }
  /// The largest payload a client may send: 64 KiB.
  public static let maximumRequest = 64 * 1024
  /// The largest payload a server sends: 4 MiB.
  public static let maximumReply = 4 * 1024 * 1024

  /// The nesting of arrays, maps and tags, in either direction: 16.
  public static let maximumDepth = 16
  /// The most items of a request, counting every key, value, element and chunk: 4,096.
  public static let maximumRequestItems = 4_096
  /// The most items of a reply, counted likewise: 1,048,576.
  public static let maximumReplyItems = 1 << 20

  /// The four header bytes of a payload of `length` bytes, which is at most ``maximumReply``.
  public static func header(length: Int) -> (UInt8, UInt8, UInt8, UInt8) {
    let value = UInt32(truncatingIfNeeded: length)
    return (
      UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16),
      UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)
    )
  }

  /// `payload` after its header.
  public static func framed(_ payload: [UInt8]) -> [UInt8] {
    let (a, b, c, d) = header(length: payload.count)
    return [a, b, c, d] + payload
  }
}

extension CBORLimits {
  /// The limits on a payload from a server.
  @inlinable public static var reply: CBORLimits {
    CBORLimits(depth: Frame.maximumDepth, items: Frame.maximumReplyItems)
  }
}
