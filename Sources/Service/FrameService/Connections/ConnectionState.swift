/// How far one connection is: bytes in, frames and decisions out, no I/O.
///
/// ```
///           bytes             frames             bytes
///   peer ----------> input ------------> answer --------> output ----> peer
///          reads only while nothing waits to its right (back-pressure)
/// ```
struct ConnectionState: ~Copyable {
  /// What has arrived and is not answered.
  var input: FrameAssembler
  /// What is answered and could not be written.
  var output = ByteBuffer()
  /// A slow answer is promised: what came behind it waits.
  var isWaiting = false
  /// The socket may hold bytes, or its end, that no event will tell of again.
  var mayHoldInput = false
  /// The peer was seen to send no more: behind what can be read there is the end.
  var endIsNext = false
  /// The end was read.
  var inputEnded = false
  /// Framing is lost or time is over: what is queued is still sent, then the connection ends.
  var isClosing = false
  /// It has asked for events and so stays open although it sends no more.
  var isSubscribed = false
  /// Whole frames may stand in `input`, because others had to get their turn.
  var hasKeptFrames = false
  /// When the frame that is incomplete began, in nanoseconds of the monotonic clock; 0 if none is.
  var frameBegan: Int64 = 0
  /// When something was last taken of `output`, in nanoseconds of the monotonic clock.
  var lastTaken: Int64 = 0

  /// A new connection that takes requests of up to `maximum` bytes.
  init(maximumRequest maximum: Int) { input = FrameAssembler(maximum: maximum) }

  /// Whether the next request may be answered now.
  var mayServe: Bool { !isWaiting && !isClosing && output.isEmpty }
  /// Whether more will be read: not from a peer that does not read itself, nor ahead of what it is waiting for.
  ///
  /// What is kept for the next turn is no reason to say no: that would cost two system calls, there and back.
  var wantsInput: Bool { mayServe && !inputEnded }
  /// Whether more should be read now.
  var mayRead: Bool { wantsInput && !hasKeptFrames }
  /// Whether the queue waits for the peer.
  var mustWrite: Bool { !output.isEmpty }

  /// Whether nothing is left to do; one that watches has more to get, unless the service is leaving.
  func isSpent(draining: Bool) -> Bool {
    guard output.isEmpty, !isWaiting else { return false }
    return isClosing || (inputEnded && !hasKeptFrames && (draining || !isSubscribed))
  }

  /// Whether the frame that has begun is older than `frameTime`, or the peer has taken nothing for `stallTime`.
  func isOverdue(now: Int64, frameTime: Int64, stallTime: Int64) -> Overdue? {
    if frameBegan != 0, mayRead, now - frameBegan >= frameTime { return .frame }
    if mustWrite, now - lastTaken >= stallTime { return .reader }
    return nil
  }

  /// What took too long.
  enum Overdue {
    /// A frame that has begun.
    case frame
    /// A peer that does not read.
    case reader
  }
}
