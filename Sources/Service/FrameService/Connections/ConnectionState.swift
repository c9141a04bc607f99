import CLinux
import Framing

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
  /// What is out of the ordinary; for most connections and most of the time nothing is.
  var flags: Flags = []
  /// When the frame that is incomplete began, in nanoseconds of the monotonic clock; 0 if none is.
  var frameBegan: Int64 = 0
  /// When something was last taken of `output`, in nanoseconds of the monotonic clock.
  var lastTaken: Int64 = 0

  /// A new connection that takes requests of up to `maximum` bytes.
  init(maximumRequest maximum: Int) { input = FrameAssembler(maximum: maximum) }

  /// What is known of a connection, beside its bytes.
  struct Flags: OptionSet {
    let rawValue: UInt16

    /// A slow answer is promised: what came behind it waits.
    static let waiting = Flags(rawValue: 1)
    /// The socket may hold bytes, or its end, that no event will tell of again.
    static let mayHoldInput = Flags(rawValue: 2)
    /// The peer was seen to send no more: behind what can be read there is the end.
    static let endIsNext = Flags(rawValue: 4)
    /// The end was read.
    static let inputEnded = Flags(rawValue: 8)
    /// Framing is lost or time is over: what is queued is still sent, then the connection ends.
    static let closing = Flags(rawValue: 16)
    /// It has asked for events and so stays open although it sends no more.
    static let subscribed = Flags(rawValue: 32)
    /// Whole frames may stand in the input, because others had to get their turn.
    static let keptFrames = Flags(rawValue: 64)
    /// The peer has closed its end, so nothing can be sent any more.
    static let hungUp = Flags(rawValue: 128)
    /// The socket may take more of the queue.
    static let mayWrite = Flags(rawValue: 256)
  }

  /// Notes what the bits of an event say.
  mutating func note(_ events: UInt32) {
    if events & linux_readable != 0 { flags.insert(.mayHoldInput) }
    // What can be read comes before the end, so both are to be read.
    if events & linux_input_ended != 0 { flags.formUnion([.mayHoldInput, .endIsNext]) }
    if events & (linux_hung_up | linux_failed) != 0 { flags.formUnion([.mayHoldInput, .endIsNext, .hungUp]) }
    if events & linux_writable != 0 { flags.insert(.mayWrite) }
  }

  /// Whether the next request may be answered now.
  var mayServe: Bool { flags.isDisjoint(with: [.waiting, .closing]) && output.isEmpty }
  /// Whether more will be read: not from a peer that does not read itself, nor ahead of what it is waiting for.
  ///
  /// What is kept for the next turn is no reason to say no: that would cost two system calls, there and back.
  var wantsInput: Bool { flags.isDisjoint(with: [.waiting, .closing, .inputEnded]) && output.isEmpty }
  /// Whether more should be read now.
  var mayRead: Bool { wantsInput && !flags.contains(.keptFrames) }
  /// Whether it waits for requests and nothing else.
  var isOrdinary: Bool { flags.isEmpty && output.isEmpty }
  /// Whether the queue waits for the peer.
  var mustWrite: Bool { !output.isEmpty }

  /// Whether nothing is left to do; one that watches has more to get, unless the service is leaving.
  func isSpent(draining: Bool) -> Bool {
    if flags.isSuperset(of: [.hungUp, .inputEnded]) { return true }
    guard output.isEmpty, !flags.contains(.waiting) else { return false }
    if flags.contains(.closing) { return true }
    return flags.contains(.inputEnded) && !flags.contains(.keptFrames) && (draining || !flags.contains(.subscribed))
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
