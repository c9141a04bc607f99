import CitiesProtocol
import FrameService

/// Distinguishes a sync service that works from one that hangs: during a refresh, which may take minutes, it sends
/// requests on a connection of its own that are answered at once.
final class SyncProbe {
  /// The time between two probes, in nanoseconds; a shorter refresh causes none.
  static let interval: Int64 = 2_000_000_000

  /// The time since which there was no answer, in seconds since 1970; `nil` if the last probe or refresh was answered.
  var silentSince: Int64?
  /// Called after each probe, on a reply or a timeout.
  var onResult: () -> Void = {}

  private let loop: EventLoop
  private let makePeer: () -> FramedPeer
  private let patience: Int64
  private var peer: FramedPeer?
  private var timer: TimerID?

  /// Probes the service that `makePeer` connects to, with a timeout of `patience` nanoseconds.
  init(_ loop: EventLoop, _ makePeer: @escaping () -> FramedPeer, patience: Int64) {
    (self.loop, self.makePeer, self.patience) = (loop, makePeer, patience)
  }

  /// The start of the status text of a sync service that does not answer; a time follows.
  static let silence = "no answer since "

  /// The status text of a sync service that does not answer.
  static func text(since seconds: Int64) -> String { silence + Timestamp(secondsSince1970: seconds).text }

  /// Sends probes until ``stop()``.
  func start() {
    guard timer == nil, peer == nil else { return }
    askLater()
  }

  /// Stops probing; the last result stays.
  func stop() {
    if let timer { loop.cancel(timer) }
    timer = nil
    let ended = peer
    peer = nil
    ended?.hangUp()
  }

  private func askLater() { timer = loop.schedule(after: Self.interval) { [weak self] in self?.ask() } }

  private func ask() {
    timer = nil
    let peer = peer ?? makePeer()
    self.peer = peer
    peer.ask(Hello(client: ServerVersion.name), within: patience) { [weak self] answer in
      // The answer to a stopped probe is ignored.
      guard let self, self.peer === peer else { return }
      take(answer)
      askLater()
      onResult()
    }
  }

  private func take(_ answer: Result<Hello.Reply, FramedPeer.Failure>) {
    switch answer {
    case .success, .failure(.refused): silentSince = nil
    case .failure(.silent(let since)): silentSince = silentSince ?? since
    // No process listens, or it has exited: the refresh itself detects and reports that.
    case .failure(.unreachable): break
    }
  }
}
