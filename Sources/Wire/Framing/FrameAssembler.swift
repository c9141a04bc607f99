package import CitiesProtocol

/// Cuts a stream of bytes into frames: chunks in, payloads out, no I/O.
///
/// A service feeds it chunks that lie in its own memory: a frame that is whole in the chunk is handed out in place, and
/// only the rest of a chunk is copied, to be completed by the next one. So a peer that sends whole frames costs no
/// copy, and one that sends single bytes no more than their sum. A client has one connection and no such memory: it
/// receives straight into the assembler's, by ``fill(_:)``.
package struct FrameAssembler: ~Copyable {
  /// The results of ``next(from:)``.
  package enum Step {
    /// The payload of a whole frame; valid until the assembler is used again.
    case frame(UnsafeRawBufferPointer)
    /// The chunk is used up, and the bytes that are kept hold no whole frame.
    case needsMore
    /// A declared length above the limit: no later frame can be found.
    case tooLarge(declared: UInt32)
  }

  /// Room for one receiving, in bytes: enough for the usual reply of 20 rows.
  private static let step = 16 * 1024

  @usableFromInline let scanner: FrameScanner
  @usableFromInline var held: ByteBuffer
  /// Bytes at the front of `held` that were handed out since ``release()``.
  @usableFromInline var handedOut = 0
  /// Bytes of chunks that completed what is held since ``release()``.
  @usableFromInline var completed = 0

  /// Accepts payloads of up to `maximum` bytes, and keeps up to `kept` bytes of memory while it holds none.
  @inlinable
  package init(maximum: Int, keeping kept: Int = ByteBuffer.usuallyKept) {
    scanner = FrameScanner(maximum: maximum)
    held = ByteBuffer(keeping: kept)
  }

  /// Whether the first part of a frame is held; whole frames that were kept count too.
  @inlinable package var holdsBytes: Bool { held.count > handedOut }
  /// Bytes of memory that are kept between chunks.
  @inlinable package var footprint: Int { held.footprint }

  /// The next frame: from what is kept, completed from the front of `chunk`, or in `chunk` itself.
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

  /// The next frame in the bytes that are kept, completed from `chunk`; nil when none are left.
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

  /// Lets `read` write bytes after those that are kept and return their number, for ``nextReceived()`` to cut.
  ///
  /// The room on offer grows with the bytes that have come, never by the word of a header alone.
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

  // MARK: Handing out again

  /// Frees the frames that were handed out so far, so that ``rewind(_:)`` goes back to here.
  ///
  /// ``keep(_:)`` and a step that needs more do the same.
  @inlinable
  package mutating func release() {
    held.consume(handedOut)
    handedOut = 0
    completed = 0
  }

  /// Puts the frame that was handed out last, with this payload, before those that follow it: the next step hands it
  /// out again.
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

  /// Goes back to the last ``release()``, so that the frames since then are handed out again; any number of times.
  ///
  /// `chunk` is the rest of the chunk at that time; the next step starts with it again.
  @inlinable
  package mutating func rewind(_ chunk: inout UnsafeRawBufferPointer) {
    handedOut = 0
    // Bytes that completed a frame stay in what is held.
    _ = take(completed, from: &chunk)
  }
}

/// The first `count` bytes of `chunk`, which is shortened by them.
@inlinable
func take(_ count: Int, from chunk: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  let length = min(count, chunk.count)
  let taken = UnsafeRawBufferPointer(rebasing: chunk[..<length])
  chunk = UnsafeRawBufferPointer(rebasing: chunk[length...])
  return taken
}
