import CitiesProtocol
import FeedSync
import Testing

@Suite("Loss limits")
struct LossLimitsTests {
  private func excess(_ old: (UInt64, UInt64), _ new: (UInt64, UInt64), percent: Int64 = 50) -> String? {
    var loss = LossLimits()
    loss.percent = percent
    return loss.excess(
      from: RecordCounts(kept: old.0, skipped: old.1), to: RecordCounts(kept: new.0, skipped: new.1))
  }

  @Test(
    arguments: [
      (400, 0, 1, 399), (400, 0, 0, 0), (400, 0, 199, 0), (400, 0, 400, 401), (20, 0, 9, 0), (20, 30, 20, 31),
    ] as [(UInt64, UInt64, UInt64, UInt64)])
  func `more than the allowed part lost or bad is refused`(records: UInt64, skipped: UInt64, good: UInt64, bad: UInt64)
  {
    #expect(
      excess((records, skipped), (good, bad))
        == "\(good) good and \(bad) bad records instead of \(records) good and \(skipped) bad")
  }

  @Test(
    arguments: [
      (400, 0, 200, 0), (400, 0, 200, 200), (400, 0, 800, 0), (19, 0, 1, 0), (0, 0, 0, 9), (20, 30, 20, 30),
      (20, 30, 10, 15),
    ] as [(UInt64, UInt64, UInt64, UInt64)])
  func `half, a small store and a source that was always bad are accepted`(
    records: UInt64, skipped: UInt64, good: UInt64, bad: UInt64
  ) {
    #expect(excess((records, skipped), (good, bad)) == nil)
  }

  @Test func `the part is configured: 0 allows no loss, 100 any`() {
    #expect(excess((400, 0), (399, 0), percent: 0) != nil)
    #expect(excess((400, 0), (400, 0), percent: 0) == nil)
    #expect(excess((400, 0), (0, 400), percent: 100) == nil)
  }

  @Test(arguments: Int64(1)..<100)
  func `exactly the allowed part is accepted, and one record more refused`(percent: Int64) {
    let part = UInt64(percent)
    for scale in [UInt64(1), 3, 7, 1_000_003] {
      let (all, lost) = (100 * scale, part * scale)
      #expect(excess((all, 0), (all - lost, 0), percent: percent) == nil, "\(lost) of \(all) lost")
      #expect(excess((all, 0), (all - lost - 1, 0), percent: percent) != nil, "\(lost + 1) of \(all) lost")
      // As many good records as before, so that only the bad ones count.
      #expect(excess((all - lost, 0), (all - lost, lost), percent: percent) == nil || all - lost < 20)
      #expect(excess((all - lost, 0), (all - lost, lost + 1), percent: percent) != nil || all - lost < 20)
    }
  }

  @Test func `a part of bad records that is as large as before is no worse, whatever the numbers`() {
    for scale in 1...200 as ClosedRange<UInt64> {
      #expect(excess((20, 30), (20 * scale, 30 * scale)) == nil)
      #expect(excess((20, 30), (20 * scale, 30 * scale + 1)) != nil)
    }
    #expect(excess((.max, .max), (.max, .max), percent: 0) == nil)
    #expect(excess((.max, .max - 1), (.max, .max), percent: 0) != nil)
    #expect(excess((.max, 0), (.max - 1, 0), percent: 0) != nil)
  }

  @Test func `a first list of which most records are bad is refused`() {
    func excess(_ kept: UInt64, _ skipped: UInt64, percent: Int64 = 50) -> String? {
      var loss = LossLimits()
      loss.percent = percent
      return loss.excess(of: FeedContents(RecordCounts(kept: kept, skipped: skipped)))
    }
    #expect(excess(1, 999) == "only 1 of 1000 records can be read; nothing was imported")
    #expect(
      excess(10, 10) == nil && excess(9, 11) != nil && excess(1, 18) == nil, "below 20 records any share is taken")
    #expect(excess(1, 999, percent: 100) == nil && excess(999, 1, percent: 0) != nil)
    #expect(excess(.max, .max) == nil && excess(1, .max) != nil)
  }

  @Test func `a refusal keeps the data before, is reported, and is tried again as a failure is`() throws {
    let long = "[" + String(repeating: "1", count: 40) + "]"
    let subject = try TestSubject { _ in body(long) }
    _ = subject.refresh()
    subject.web.answer { _ in body("[1]") }
    subject.clock.advance(3_600)
    let refused = subject.refresh()
    #expect(refused.outcome == .failed && refused.records == 40)
    #expect(
      refused.error == """
        https://www.swedbank.ee/finder.json: refused, the source has shrunk: 1 good and 0 bad records instead of 40 good \
        and 0 bad; the data before stays (loss.percent); to accept it: citiesctl refresh --force swedbank-ee
        """)
    #expect(subject.lines == ["a", "swedbank-ee false \(long)"])
    #expect(subject.report.lastError == refused.error)
    #expect(subject.report.nextAttempt == Timestamp(secondsSince1970: subject.clock.now + 30))
    subject.clock.advance(30)
    #expect(subject.refresh().outcome == .failed)
    #expect(subject.web.asked.count == 3)
    #expect(subject.refresh(force: true).outcome == .downloaded)
    #expect(subject.lines == ["a", "swedbank-ee false [1]"] && subject.report.lastError == nil)
  }

  /// `[11…1]`, a source of `count` records.
  private static func list(_ count: Int) -> FetchReply { body("[" + String(repeating: "1", count: count) + "]") }

  @Test func `a source that shrinks by steps loses half of its records within seven days, not more`() throws {
    let subject = try TestSubject { _ in Self.list(400) }
    _ = subject.refresh()
    for (hours, count, isTaken) in [(1, 300, true), (1, 200, true), (1, 199, false), (1, 250, true), (1, 199, false)] {
      subject.web.answer { _ in Self.list(count) }
      subject.clock.advance(Int64(hours) * 3_600)
      let outcome = subject.refresh()
      #expect((outcome.outcome == .downloaded) == isTaken, "\(count)")
      if !isTaken { #expect(outcome.error?.contains("and 400 good within seven days") == true) }
    }
    // The 400 are forgotten a week after they were last confirmed, the 300 an hour later.
    subject.clock.advance(7 * 86_400 - 4 * 3_600)
    subject.web.answer { _ in Self.list(149) }
    #expect(subject.refresh().error?.contains("and 300 good within seven days") == true)
    subject.clock.advance(3_600)
    #expect(subject.refresh().outcome == .downloaded)
  }

  @Test func `a forced refresh accepts a loss and forgets the larger counts`() throws {
    let subject = try TestSubject { _ in Self.list(400) }
    _ = subject.refresh()
    subject.web.answer { _ in Self.list(100) }
    #expect(subject.refresh(force: true).outcome == .downloaded)
    subject.web.answer { _ in Self.list(50) }
    subject.clock.advance(3_600)
    #expect(subject.refresh().outcome == .downloaded)
  }

  @Test func `data from another URL and samples may be replaced by less`() throws {
    var subject = try TestSubject { _ in body("[" + String(repeating: "1", count: 40) + "]") }
    _ = subject.refresh()
    subject.web.answer { _ in body("[1]") }
    subject.configuration = try SyncConfiguration(
      environment: ["CITIES_FEED_SWEDBANK_EE": "https://example.org/"], user: 1000)
    #expect(subject.refresh().outcome == .downloaded)
  }
}
