extension ConnectionMachine {
  /// Everything out of the ordinary; for most connections and most of the time the set is empty.
  struct Flags: OptionSet {
    let rawValue: UInt32

    /// An answer is promised: the requests after it wait.
    static let waiting = Flags(rawValue: 1)
    /// Work in slices continues: the requests after it wait.
    static let working = Flags(rawValue: 2)
    /// The socket may hold bytes, or its end, that no event will report again.
    static let mayHoldInput = Flags(rawValue: 4)
    /// The peer was seen to send no more: the end comes after the bytes that can be read.
    static let endIsNext = Flags(rawValue: 8)
    /// The end was read.
    static let inputEnded = Flags(rawValue: 16)
    /// Framing is lost or time is over: the gathered answers are still sent, then the connection ends.
    static let closing = Flags(rawValue: 32)
    /// It has asked for events and stays open although it sends no more.
    static let subscribed = Flags(rawValue: 64)
    /// Whole frames may be in the input, because others had to get their turn.
    static let keptFrames = Flags(rawValue: 128)
    /// The peer has closed its end, so nothing can be sent any more.
    static let hungUp = Flags(rawValue: 256)
    /// The socket may take more of the queue.
    static let mayWrite = Flags(rawValue: 512)
    /// Bytes wait for the peer.
    static let queued = Flags(rawValue: 1_024)
    /// Frames wait for a turn.
    static let posted = Flags(rawValue: 2_048)
    /// The replies must be sent before the next request.
    static let mustSend = Flags(rawValue: 4_096)
    /// A time limit has come to apply.
    static let needsClock = Flags(rawValue: 8_192)
    /// A frame is not complete after its time.
    static let lateFrame = Flags(rawValue: 16_384)
    /// The peer has taken nothing for too long.
    static let stalled = Flags(rawValue: 32_768)
    /// The peer has not read too many of its events.
    static let overflown = Flags(rawValue: 65_536)
    /// The service is leaving.
    static let draining = Flags(rawValue: 131_072)
    /// A request was put back in this turn: it comes first in the next one.
    static let postponed = Flags(rawValue: 262_144)

    /// Every reason not to serve the next request at once.
    static var stopServing: Flags {
      [.waiting, .working, .closing, .queued, .posted, .mustSend, .overflown, .postponed]
    }
    /// What must not be answered a second time.
    static var finalAnswers: Flags { [.waiting, .working, .closing, .queued, .mustSend] }
    /// What comes before requests.
    static var outOfTheOrdinary: Flags { [.mayWrite, .posted, .lateFrame, .stalled, .overflown] }
  }
}
