/// Finds the frames in a run of received bytes: bytes in, ranges out, no I/O and no allocation.
///
/// ```swift
/// switch FrameScanner(maximum: Frame.maximumRequest).next(in: bytes) {
/// case .frame(let length): // the payload is bytes[4 ..< 4 + length]
/// case .incomplete(let missing): // read at least `missing` bytes more
/// case .tooLarge(let declared): // answer `frame-too-large` and close: framing is lost
/// }
/// ```
public struct FrameScanner: Sendable {
  /// The largest accepted payload, in bytes.
  public let maximum: Int

  /// Accepts payloads of up to `maximum` bytes.
  public init(maximum: Int) { self.maximum = maximum }

  /// The kinds of starts.
  public enum Result: Equatable, Sendable {
    /// A whole frame with a payload of `length` bytes after the header.
    case frame(length: Int)
    /// An incomplete frame, which lacks at least `missing` bytes.
    case incomplete(missing: Int)
    /// A declared length above the maximum; later frames cannot be found.
    case tooLarge(declared: UInt32)
  }

  /// Reads the frame at the start of `bytes`.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func next(in bytes: UnsafeRawBufferPointer) -> Result {
    guard bytes.count >= Frame.headerSize else { return .incomplete(missing: Frame.headerSize - bytes.count) }
    let declared = unsafe UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    guard declared <= UInt32(clamping: maximum) else { return .tooLarge(declared: declared) }
    let whole = Frame.headerSize + Int(declared)
    return bytes.count >= whole ? .frame(length: Int(declared)) : .incomplete(missing: whole - bytes.count)
  }
}
