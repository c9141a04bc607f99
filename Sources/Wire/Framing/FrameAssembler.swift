package import CitiesProtocol

/// Splits a stream of bytes into frames: chunks in, payloads out, no I/O.
///
/// A service passes it chunks in the service's memory: frames that are complete in a chunk are returned in place, and
/// only an incomplete rest is copied, to be completed by the next chunk. So whole frames cost no copy, and a peer that
/// sends single bytes costs one copy of each. A client has one connection and receives directly into the assembler's
/// memory, by ``fill(_:)``.
package struct FrameAssembler: ~Copyable {
  /// The results of ``next(from:)``.
  package enum Step {
    /// The payload of a whole frame; valid until the assembler is used again.
    case frame(UnsafeRawBufferPointer)
    /// The chunk is used up, and the kept bytes contain no complete frame.
    case needsMore
    /// A declared length above the limit: no later frame can be found.
    case tooLarge(declared: UInt32)
  }

  /// Room for one read, in bytes: enough for a typical reply of 20 rows.
  private static let step = 16 * 1024

  @usableFromInline let scanner: FrameScanner
  @usableFromInline var held: ByteBuffer
  /// Bytes at the front of `held` that were returned since ``release()``.
  @usableFromInline var handedOut = 0
  /// Bytes of chunks that completed held frames since ``release()``.
  @usableFromInline var completed = 0

  /// Accepts payloads of up to `maximum` bytes, and keeps up to `kept` bytes of memory while empty.
  @inlinable
  package init(maximum: Int, keeping kept: Int = ByteBuffer.usuallyKept) {
    scanner = FrameScanner(maximum: maximum)
    held = ByteBuffer(keeping: kept)
  }

  /// Whether a part of a frame is held; complete frames that were kept count too.
  @inlinable package var holdsBytes: Bool { held.count > handedOut }

  /// The next frame: from the kept bytes, completed from the front of `chunk`, or in `chunk` itself.
  ///
  /// - Complexity: O(1) and no copy if nothing is kept; otherwise O(bytes of the frame that were missing).
  @inlinable
  package mutating func next(from chunk: inout UnsafeRawBufferPointer) -> Step {
    if holdsBytes, let step = nextHeld(&chunk) { return step }
    switch scanner.next(in: chunk) {
    case .frame(let length):
      let whole = take(Frame.headerSize + length, from: &chunk)
      return .frame(UnsafeRawBufferPointer(rebasing: whole[Frame.headerSize...]))
    case .tooLarge(let declared): return .tooLarge(declared: declared)
    case .incomplete:
      keep(chunk)
      chunk = UnsafeRawBufferPointer(start: nil, count: 0)
      return .needsMore
    }
  }

  /// The next frame in the kept bytes, completed from `chunk`; nil if none are left.
  @usableFromInline
  mutating func nextHeld(_ chunk: inout UnsafeRawBufferPointer) -> Step? {
    while holdsBytes {
      let start = handedOut
      switch scanner.next(in: UnsafeRawBufferPointer(rebasing: held.bytes[start...])) {
      case .frame(let length):
        handedOut += Frame.headerSize + length
        return .frame(UnsafeRawBufferPointer(rebasing: held.bytes[(start + Frame.headerSize)..<handedOut]))
      case .tooLarge(let declared): return .tooLarge(declared: declared)
      case .incomplete(let missing):
        guard !chunk.isEmpty else {
          release()
          return .needsMore
        }
        let bytes = take(missing, from: &chunk)
        completed += bytes.count
        held.append(bytes)
      }
    }
    return nil
  }

  /// Keeps `rest` for later steps, which then start with it.
  @inlinable
  package mutating func keep(_ rest: UnsafeRawBufferPointer) {
    release()
    held.append(rest)
  }

  /// Calls `read` to append bytes to the kept ones and return their number, for ``nextReceived()``.
  ///
  /// The room grows with the bytes received, never on the word of a header alone.
  package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    release()
    var wanted = Frame.headerSize
    if case .incomplete(let missing) = scanner.next(in: held.bytes) { wanted = missing }
    return held.fill(atLeast: min(wanted, max(Self.step, held.count)), growingBy: Self.step, read)
  }

  /// The next frame in the bytes that ``fill(_:)`` received.
  package mutating func nextReceived() -> Step {
    var nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    return next(from: &nothing)
  }

  // MARK: Repeating frames

  /// Frees the frames returned so far, so that ``rewind(_:)`` returns to this point.
  ///
  /// ``keep(_:)`` and a step that needs more do the same.
  @inlinable
  package mutating func release() {
    held.consume(handedOut)
    handedOut = 0
    completed = 0
  }

  /// Puts back the last frame, with this payload: the next step returns it again.
  ///
  /// `chunk` is the rest of the chunk after that step.
  package mutating func putBack(_ payload: UnsafeRawBufferPointer, before chunk: inout UnsafeRawBufferPointer) {
    let length = Frame.headerSize + payload.count
    guard let start = payload.baseAddress.map({ $0 - Frame.headerSize }) else { return }
    if let kept = held.bytes.baseAddress, start >= kept, start < kept + held.count {
      handedOut -= length
    } else {
      chunk = UnsafeRawBufferPointer(start: start, count: length + chunk.count)
    }
  }

  /// Goes back to the last ``release()``, any number of times: the frames since then are returned again.
  ///
  /// `chunk` is the rest of the chunk at that time; the next step starts with it again.
  @inlinable
  package mutating func rewind(_ chunk: inout UnsafeRawBufferPointer) {
    handedOut = 0
    // Bytes that completed a frame stay held.
    _ = take(completed, from: &chunk)
  }
}

/// Removes the first `count` bytes of `chunk` and returns them.
@inlinable
func take(_ count: Int, from chunk: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  let length = min(count, chunk.count)
  let taken = UnsafeRawBufferPointer(rebasing: chunk[..<length])
  chunk = UnsafeRawBufferPointer(rebasing: chunk[length...])
  return taken
}
