import CBOR
import CitiesProtocol

/// Frames that are being gathered for one write: answers are written in place behind a header that is filled in last.
struct ReplyBuffer {
  /// Where answers are appended.
  var writer = CBORWriter(capacity: 128 * 1024)

  /// Bytes gathered.
  var count: Int { writer.bytes.count }
  /// Whether nothing is gathered.
  var isEmpty: Bool { writer.bytes.isEmpty }

  /// Where a frame began.
  struct Mark {
    fileprivate let start: Int
  }

  /// Begins a frame that answers `id` with a result, which must follow.
  mutating func beginResult(_ id: UInt64) -> Mark { begin(id, Envelope.result) }

  /// Ends a frame: its length goes to its header.
  mutating func end(_ mark: Mark) {
    let header = Frame.header(length: writer.bytes.count - mark.start - Frame.headerSize)
    writer.bytes[mark.start] = header.0
    writer.bytes[mark.start + 1] = header.1
    writer.bytes[mark.start + 2] = header.2
    writer.bytes[mark.start + 3] = header.3
  }

  /// Takes back a frame with all that was written since it began.
  mutating func cancel(_ mark: Mark) { writer.bytes.removeLast(writer.bytes.count - mark.start) }

  /// The payload that a frame has by now, in bytes.
  func length(since mark: Mark) -> Int { writer.bytes.count - mark.start - Frame.headerSize }

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
    if writer.bytes.capacity > Self.kept { writer = CBORWriter(capacity: 128 * 1024) } else { writer.removeAll() }
  }

  private static let kept = 1024 * 1024

  private mutating func begin(_ id: UInt64, _ key: StaticString) -> Mark {
    let mark = Mark(start: writer.bytes.count)
    writer.writeTogether(atMost: 32) { items in
      withUnsafeBytes(of: Envelope.start) { items.writeEncoded($0) }
      items.writeUnsigned(id)
      items.writeEncoded(key)
    }
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
