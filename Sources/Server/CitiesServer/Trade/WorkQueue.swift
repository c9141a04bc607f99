import CBOR
import CitiesProtocol
import FrameService

/// Answers that take long, made one after the other on a thread beside the loop's.
///
/// One at a time, so that many clients take one core from the loop's and not all of them.
final class WorkQueue {
  /// What makes the encoded answer.
  typealias Work = @Sendable () throws(WireError) -> [UInt8]

  private let loop: EventLoop
  private var waiting: [(reply: PendingReply, work: Work)] = []
  private var isBusy = false

  init(_ loop: EventLoop) { self.loop = loop }

  /// Answers `reply` with what `work` makes; with nothing if nobody waits for it by then.
  func add(_ reply: PendingReply, _ work: @escaping Work) {
    waiting.append((reply, work))
    if !isBusy { next() }
  }

  private func next() {
    waiting.removeAll { !$0.reply.isWanted }
    isBusy = !waiting.isEmpty
    guard isBusy else { return }
    let (reply, work) = waiting.removeFirst()
    loop.offload({ Result { () throws(WireError) in try work() } }) { [self] result in
      reply.answer { (writer: inout CBORWriter) throws(WireError) in writer.writeEncoded(try result.get()) }
      next()
    }
  }
}
