extension ConnectionMachine {
  /// Exceptional states; for most connections the set is nearly always empty.
  struct Flags: OptionSet {
    let rawValue: UInt32

    /// An answer is promised: later requests wait.
    static let waiting = Flags(rawValue: 1)
    /// A computation continues: later requests wait.
    static let working = Flags(rawValue: 2)
    /// The socket may have bytes, or its end, that no further event will report.
    static let mayHoldInput = Flags(rawValue: 4)
    /// The peer has stopped sending: the end comes after the bytes that can be read.
    static let endIsNext = Flags(rawValue: 8)
    /// The end was read.
    static let inputEnded = Flags(rawValue: 16)
    /// Framing is lost or a time limit exceeded: the collected answers are still sent, then the connection ends.
    static let closing = Flags(rawValue: 32)
    /// It is subscribed to events and stays open although the peer sends no more.
    static let subscribed = Flags(rawValue: 64)
    /// The input may have complete frames, because it was other clients' turn.
    static let keptFrames = Flags(rawValue: 128)
    /// The peer has closed its end, so nothing can be sent any more.
    static let hungUp = Flags(rawValue: 256)
    /// The socket may accept more of the queue.
    static let mayWrite = Flags(rawValue: 512)
    /// Bytes are queued for the peer.
    static let queued = Flags(rawValue: 1_024)
    /// Posted frames wait for a turn.
    static let posted = Flags(rawValue: 2_048)
    /// The replies must be sent before the next request.
    static let mustSend = Flags(rawValue: 4_096)
    /// A time limit has started to apply.
    static let needsClock = Flags(rawValue: 8_192)
    /// A frame was not completed in time.
    static let lateFrame = Flags(rawValue: 16_384)
    /// The peer has read nothing for too long.
    static let stalled = Flags(rawValue: 32_768)
    /// The peer has too many unread events.
    static let overflown = Flags(rawValue: 65_536)
    /// The service is stopping.
    static let draining = Flags(rawValue: 131_072)
    /// A request was postponed in this turn: it comes first in the next one.
    static let postponed = Flags(rawValue: 262_144)

    /// Every reason not to serve the next request at once.
    static var stopServing: Flags {
      [.waiting, .working, .closing, .queued, .posted, .mustSend, .overflown, .postponed]
    }
    /// The reasons not to answer again.
    static var finalAnswers: Flags { [.waiting, .working, .closing, .queued, .mustSend] }
    /// The conditions to handle before requests.
    static var outOfTheOrdinary: Flags { [.mayWrite, .posted, .lateFrame, .stalled, .overflown] }
  }
}
