import CitiesProtocol

/// Cuts a stream of bytes into frames: chunks in, payloads out, no I/O.
///
/// A frame that lies whole in the chunk is handed out in place. Only what is left of a chunk is copied, to be completed by
/// the next one; so a peer that sends whole frames costs no copy, and one that sends single bytes no more than their sum.
struct FrameAssembler: ~Copyable {
  /// What ``next(from:)`` found.
  enum Step {
    /// The payload of a whole frame; valid until the assembler is used again.
    case frame(UnsafeRawBufferPointer)
    /// The chunk is used up, and no whole frame stands in what is kept.
    case needsMore
    /// A declared length above the limit: the stream cannot be cut any more.
    case tooLarge(declared: UInt32)
  }

  private let scanner: FrameScanner
  private var held = ByteBuffer()
  /// Bytes at the front of `held` that were handed out since ``release()``.
  private var handedOut = 0
  /// Bytes of chunks that completed what is held since ``release()``.
  private var completed = 0

  /// Accepts payloads of up to `maximum` bytes.
  init(maximum: Int) { scanner = FrameScanner(maximum: maximum) }

  /// Whether a frame has begun and is not complete; whole frames that were kept count too.
  var holdsBytes: Bool { held.count > handedOut }
  /// Bytes of memory that are kept between chunks.
  var footprint: Int { held.footprint }

  /// The next frame: from what is kept, completed from the front of `chunk`, or in `chunk` itself.
  ///
  /// - Complexity: O(1) and no copy if nothing is kept; otherwise O(bytes of the frame that were missing).
  mutating func next(from chunk: inout UnsafeRawBufferPointer) -> Step {
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

  /// The next frame among what is kept, completed from `chunk`; nil when nothing is kept any more.
  private mutating func nextHeld(_ chunk: inout UnsafeRawBufferPointer) -> Step? {
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

  /// Keeps `rest` for later steps, which then begin with it.
  mutating func keep(_ rest: UnsafeRawBufferPointer) {
    release()
    held.append(rest)
  }

  // MARK: Handing out again

  /// Frees what was handed out so far, so that ``rewind(_:)`` goes back to here.
  ///
  /// ``keep(_:)`` and a step that needs more do the same.
  mutating func release() {
    held.consume(handedOut)
    handedOut = 0
    completed = 0
  }

  /// Goes back to the last ``release()``, so that the frames since then are handed out again.
  ///
  /// `chunk` is what was left of the chunk at that time, and becomes what the next step takes.
  mutating func rewind(_ chunk: inout UnsafeRawBufferPointer) {
    handedOut = 0
    _ = take(completed, from: &chunk)
    completed = 0
  }
}

/// The first `count` bytes of `chunk`, which is shortened by them.
private func take(_ count: Int, from chunk: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  let length = min(count, chunk.count)
  let taken = UnsafeRawBufferPointer(rebasing: chunk[..<length])
  chunk = UnsafeRawBufferPointer(rebasing: chunk[length...])
  return taken
}
