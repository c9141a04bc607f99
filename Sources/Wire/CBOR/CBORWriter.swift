/// Appends CBOR items to a byte buffer that can be used again, without allocating once it has grown.
///
/// The caller is responsible for the order of map keys (length first, then bytewise).
public struct CBORWriter: Sendable {
  /// What was written.
  public var bytes: [UInt8]

  /// Makes an empty writer with room for `capacity` bytes.
  public init(capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }
}
