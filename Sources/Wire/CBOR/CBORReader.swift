/// A cursor over borrowed bytes that accepts core deterministic encoding only and never allocates.
///
/// It is the servers' fast path: what it refuses with `.notDeterministic` is given to
/// ``canonicalized(_:limits:)`` and read again.
public struct CBORReader {
  /// The bytes being read; the caller keeps them alive.
  public let bytes: UnsafeRawBufferPointer
  /// Offset of the next item.
  public internal(set) var offset = 0

  /// Starts at the first of `bytes`.
  public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }
}
