import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("Samples")
struct SampleFeedTests {
  let subject: TestSubject

  init() throws {
    subject = try TestSubject { _ in body("[real]") }
    for country in ["ee", "lv"] { try subject.folder.write("swedbank-\(country).json", Array("[s]".utf8)) }
  }

  private func take(force: Bool = false) -> [FeedOutcome.Outcome] {
    let feeds = FeedRegistry.feeds(
      of: [TestImporter()], subject.configuration, state: subject.state, samples: subject.folder.path,
      now: { [clock = subject.clock] in clock.now })
    let engine = SyncEngine(
      feeds: feeds, journal: FeedJournal(state: subject.state, log: TestSubject.quiet), log: TestSubject.quiet,
      now: { [clock = subject.clock] in clock.now })
    return engine.refreshAndWait([], force: force).map(\.outcome)
  }

  @Test func `samples are taken, marked, and an absent one is a failure of that feed alone`() {
    #expect(take() == [.imported, .imported, .failed])
    #expect(subject.lines == ["a", "swedbank-ee true [s]", "swedbank-lv true [s]"])
    #expect(subject.report.sample == true && subject.report.source == subject.folder.path("swedbank-ee.json"))
    #expect(take() == [.unchanged, .unchanged, .failed])
  }

  @Test func `real data takes their place, though they are young`() {
    _ = take()
    #expect(subject.refresh().outcome == .downloaded)
    #expect(subject.lines == ["a", "swedbank-ee false [real]", "swedbank-lv true [s]"])
    #expect(subject.report.sample == nil && subject.report.source == "https://www.swedbank.ee/finder.json")
  }

  @Test func `an attempt that nobody asked for leaves them, where the source is a file too`() throws {
    _ = take()
    #expect(subject.refreshKnown()?.outcome == .idle && subject.web.asked.isEmpty)
    let file = try subject.folder.write("real.json", Array("[file]".utf8))
    var local = subject
    local.configuration = try SyncConfiguration(environment: ["CITIES_FEED_SWEDBANK_EE": file], user: 1_000)
    #expect(local.refreshKnown()?.outcome == .idle)
    #expect(local.lines == ["a", "swedbank-ee true [s]", "swedbank-lv true [s]"] && local.report.sample == true)
    #expect(local.refresh().outcome == .imported)
    #expect(local.lines == ["a", "swedbank-ee false [file]", "swedbank-lv true [s]"])
  }

  @Test func `a download that fails leaves the sample, and the report says what the data is`() {
    _ = take()
    subject.web.answer { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    #expect(subject.refresh().outcome == .failed)
    #expect(subject.lines.contains("swedbank-ee true [s]"))
    #expect(subject.report.sample == true && subject.report.lastError == "no route")
  }

  @Test func `they take the place of real data only if that is forced`() {
    #expect(subject.refresh().outcome == .downloaded)
    #expect(take() == [.reused, .imported, .failed])
    #expect(subject.lines == ["a", "swedbank-ee false [real]", "swedbank-lv true [s]"])
    #expect(subject.report.source == "https://www.swedbank.ee/finder.json" && subject.report.sample == nil)
    #expect(take(force: true) == [.imported, .unchanged, .failed])
    #expect(subject.lines == ["a", "swedbank-ee true [s]", "swedbank-lv true [s]"])
  }

  @Test func `where they were looked for is reported`() {
    let error = #expect(throws: FeedError.self) { try SampleFolder.find(program: subject.folder.path) }
    #expect(error?.description.contains("/usr/share/cities/sample") == true)
  }
}
