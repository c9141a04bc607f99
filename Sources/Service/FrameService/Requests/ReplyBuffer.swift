import CBOR
import CitiesProtocol

/// Frames that are being gathered for one write: answers are written in place behind a header that is filled in last.
struct ReplyBuffer: ~Copyable {
  /// Where answers are appended.
  var writer = CBORWriter(capacity: 128 * 1024)

  /// Bytes gathered.
  var count: Int { writer.count }
  /// Whether nothing is gathered.
  var isEmpty: Bool { writer.isEmpty }

  /// Where a frame began.
  struct Mark {
    fileprivate let start: Int
  }

  /// Begins a frame that answers `id` with a result, which must follow.
  mutating func beginResult(_ id: UInt64) -> Mark { begin(id, Envelope.result) }

  /// Ends a frame: its length goes to its header.
  mutating func end(_ mark: Mark) {
    let length = UInt32(truncatingIfNeeded: length(since: mark))
    writer.withUnsafeMutableBytes { $0.storeBytes(of: length.bigEndian, toByteOffset: mark.start, as: UInt32.self) }
  }

  /// Takes back a frame with all that was written since it began.
  mutating func cancel(_ mark: Mark) { writer.truncate(to: mark.start) }

  /// The payload that a frame has by now, in bytes.
  func length(since mark: Mark) -> Int { writer.count - mark.start - Frame.headerSize }

  /// Appends a frame with an error.
  mutating func appendError(_ id: UInt64, _ error: WireError) {
    let mark = begin(id, Envelope.error)
    do throws(WireError) { try writer.write(error) } catch { writer.writeMap(count: 0) }
    end(mark)
  }

  /// Appends a frame with an event that is encoded already.
  mutating func appendEvent(_ id: UInt64, _ event: [UInt8]) {
    let mark = begin(id, Envelope.event)
    writer.writeEncoded(event)
    end(mark)
  }

  /// Forgets what was gathered and keeps the memory, unless one answer has made it unusually large.
  mutating func removeAll() {
    if writer.capacity > Self.kept { writer = CBORWriter(capacity: 128 * 1024) } else { writer.removeAll() }
  }

  private static let kept = 1024 * 1024

  @inline(__always)
  private mutating func begin(_ id: UInt64, _ key: StaticString) -> Mark {
    let mark = Mark(start: writer.count)
    withUnsafeBytes(of: Envelope.start) { writer.writeEncoded($0) }
    writer.writeUnsigned(id)
    writer.writeEncoded(key)
    return mark
  }
}

/// The parts of an envelope, encoded: every answer begins with them.
///
/// The keys stand in deterministic order: "id" is shorter than "event", "error" and "result". A text of 5 bytes begins
/// with "e", one of 6 with "f".
private enum Envelope {
  /// Room for the frame's header (4 bytes), the head of a map of two pairs, and the key "id".
  static let start = UInt64(bigEndian: 0x0000_0000_A262_6964)
  static let result: StaticString = "fresult"
  static let error: StaticString = "eerror"
  static let event: StaticString = "eevent"
}
