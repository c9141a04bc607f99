import Glibc
import Logging
import Testing

@testable import FrameService

@Suite struct JournalLogTests {
  /// What a logger writes while `body` uses it, into the journal's stream unless another is named.
  private func written(journal: (Int32) -> String? = JournalLog.stream, _ body: (Logger) -> Void) -> String {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let journal = journal(ends[1])
    body(Logger(label: "test") { JournalLog(name: $0, descriptor: ends[1], journal: journal) })
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(ends[0], &bytes, bytes.count)
    close(ends[0])
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(arguments: zip([.info, .notice, .warning, .error, .critical] as [Logger.Level], [6, 5, 4, 3, 2]))
  func `a line begins with its priority`(level: Logger.Level, priority: Int) {
    #expect(written { $0.log(level: level, "hello") } == "<\(priority)>hello\n")
  }

  @Test func `every line of a message has the priority`() {
    #expect(written { $0.error("one\ntwo\n") } == "<3>one\n<3>two\n")
  }

  @Test func `control characters are written, not obeyed`() {
    #expect(written { $0.error("a\u{1B}[31m\tb\u{9B}é\u{7F}") } == "<3>a\\u{1B}[31m\\u{9}b\\u{9B}é\\u{7F}\n")
  }

  @Test func `metadata are fields of the journal, and lines leave them out`() {
    #expect(written { $0.info("m", metadata: .event(.feedFailed, feed: "rates")) } == "<6>m\n")
  }

  @Test func `an entry has the text, the priority and the fields of its event`() {
    let event = LogEvent(
      level: .error, message: "one\ntwo",
      metadata: .event(.connectionClosed, feed: "f", subject: "s", generation: "g", peer: 7, error: "e\nf"),
      source: nil, file: "", function: "", line: 0)
    #expect(
      JournalLog(name: "test").fields(["one", "two"], event) == [
        "MESSAGE=one\ntwo", "PRIORITY=3", "CITIES_ERROR=e\nf", "CITIES_FEED=f", "CITIES_GENERATION=g",
        "CITIES_PEER_UID=7", "CITIES_SUBJECT=s", "MESSAGE_ID=\(JournalEvent.connectionClosed.number)",
      ])
  }

  @Test func `an event has only the fields that it was given`() {
    #expect(Logger.Metadata.event(.started) == ["MESSAGE_ID": .string(JournalEvent.started.number)])
  }

  @Test func `levels below the logger's are silent`() {
    #expect(written { $0.debug("hidden") }.isEmpty)
  }

  @Test(arguments: [nil, "", "1:2"] as [String?])
  func `without the journal at the other end lines are plain`(journal: String?) {
    #expect(written(journal: { _ in journal }) { $0.error("one\ntwo\n") } == "test: one\ntest: two\n")
  }
}
