import TestSupport
import Testing

@testable import FeedSync

/// Which import gives way to one that waits for a turn.
@Suite(.timeLimit(.minutes(1)))
struct ImportTurnsTests {
  /// Calls `body` while two children have turns and another one waits.
  private func whileOneWaits(
    after earlier: (ImportTurns) -> Void = { _ in }, then body: (ImportTurns, _ older: Int, _ younger: Int) -> Void
  ) {
    let turns = ImportTurns(2)
    earlier(turns)
    let (older, younger) = (turns.wait(), turns.wait())
    #expect(!turns.mustEnd(older, after: 0, storing: nil), "nobody waits")
    let waiting = BackgroundThread { turns.end(turns.wait()) }
    while !turns.mustEnd(older, after: 0, storing: nil) {}
    body(turns, older, younger)
    turns.end(older)
    waiting.join()
  }

  @Test
  func `the child that has run longest gives way, whichever is asked first`() {
    whileOneWaits { turns, older, younger in
      #expect(!turns.mustEnd(younger, after: 0, storing: nil))
      #expect(turns.mustEnd(older, after: 0, storing: nil))
      #expect(!turns.mustEnd(older, after: 60_000, storing: nil))
    }
  }

  @Test
  func `no child gives way while another one has the lock, but the one that keeps it`() {
    whileOneWaits { turns, older, younger in
      #expect(!turns.mustEnd(younger, after: 0, storing: 0))
      #expect(!turns.mustEnd(older, after: 0, storing: nil))
      #expect(turns.mustEnd(younger, after: 0, storing: 1_000))
      #expect(!turns.mustEnd(older, after: 0, storing: nil))
      #expect(!turns.mustEnd(younger, after: 0, storing: nil), "it has released the lock")
      #expect(turns.mustEnd(older, after: 0, storing: nil))
    }
  }

  @Test
  func `the end of a child that has the lock releases it`() {
    whileOneWaits(after: { turns in
      let turn = turns.wait()
      _ = turns.mustEnd(turn, after: 0, storing: 0)
      turns.end(turn)
    }) { turns, older, _ in
      #expect(turns.mustEnd(older, after: 0, storing: nil))
    }
  }
}
