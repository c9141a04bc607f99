import CBOR
import CitiesProtocol

/// Frames collected for one write: each answer is written in place, after a header that is filled in at the end.
///
/// All connections share one; see ``Workbench``.
struct ReplyBuffer: ~Copyable {
  /// Receives the answers.
  var writer: CBORWriter

  /// The memory that is kept between turns, in bytes.
  static let capacity = 128 * 1024
  /// The size from which memory is freed: a single answer has made it unusually large.
  private static let kept = 1024 * 1024

  /// Creates an empty buffer with room for `capacity` bytes.
  init(capacity: Int = ReplyBuffer.capacity) { writer = CBORWriter(capacity: capacity) }

  var count: Int { writer.count }
  var isEmpty: Bool { writer.isEmpty }

  /// The start of a frame.
  struct Mark {
    fileprivate let start: Int
  }

  /// Starts a frame with the result of request `id`, which must follow.
  @inline(__always)
  mutating func startResult(_ id: UInt64) -> Mark { start(id, Envelope.result, Envelope.resultSize) }

  /// Ends a frame: writes its length into its header.
  @inline(__always)
  mutating func end(_ mark: Mark) {
    let length = UInt32(truncatingIfNeeded: length(since: mark))
    writer.withUnsafeMutableBytes { $0.store(bigEndian: length, at: mark.start) }
  }

  /// Removes a frame with everything written since its start.
  mutating func cancel(_ mark: Mark) { writer.truncate(to: mark.start) }

  /// The current size of a frame's payload, in bytes.
  @inline(__always)
  func length(since mark: Mark) -> Int { writer.count - mark.start - Frame.headerSize }

  /// Appends a frame with an error.
  mutating func appendError(_ id: UInt64, _ error: WireError) {
    let mark = start(id, Envelope.error, Envelope.errorSize)
    do throws(WireError) { try writer.write(error) } catch { writer.writeMap(count: 0) }
    end(mark)
  }

  /// Appends a frame with an encoded event.
  mutating func appendEvent(_ id: UInt64, _ event: [UInt8]) {
    let mark = start(id, Envelope.event, Envelope.eventSize)
    writer.writeEncoded(event)
    end(mark)
  }

  /// Appends complete frames.
  mutating func append(frames: UnsafeRawBufferPointer) { writer.writeEncoded(frames) }

  /// Removes everything and keeps the memory, unless a single answer has made it unusually large.
  @inline(__always)
  mutating func removeAll() {
    if writer.capacity > Self.kept { writer = CBORWriter(capacity: Self.capacity) } else { writer.removeAll() }
  }

  @inline(__always)
  private mutating func start(_ id: UInt64, _ key: UInt64, _ size: Int) -> Mark {
    let mark = Mark(start: writer.count)
    writer.writeEncoded(Envelope.start, count: 8)
    writer.writeUnsigned(id)
    writer.writeEncoded(key, count: size)
    return mark
  }
}

/// The encoded parts of an envelope, most significant byte first: each is one store.
///
/// The keys are in deterministic order: "id" is shorter than "event", "error" and "result".
private enum Envelope {
  /// Room for the frame's header (4 bytes), the head of a map of two pairs, and the key "id".
  static var start: UInt64 { 0x0000_0000_A262_6964 }
  /// The key "result".
  static var result: UInt64 { 0x6672_6573_756C_7400 }
  static var resultSize: Int { 7 }
  /// The key "error".
  static var error: UInt64 { 0x6565_7272_6F72_0000 }
  static var errorSize: Int { 6 }
  /// The key "event".
  static var event: UInt64 { 0x6565_7665_6E74_0000 }
  static var eventSize: Int { 6 }
}
