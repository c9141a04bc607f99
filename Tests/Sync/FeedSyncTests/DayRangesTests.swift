import Banks
import Testing

@testable import FeedSync

@Suite("Hours as in OpenStreetMap")
struct DayRangesTests {
  /// The hours as `0 540-1020, …`; `-` if they are unknown.
  private func read(_ text: String) -> String { (DayRanges.hours(text) ?? nil)?.description ?? "-" }

  private static let workdays = (0...4).map { "\($0) 540-1020" }.joined(separator: ", ")

  @Test(arguments: [
    "Mo-Fr 09:00-17:00", "mo-fr 9:00-17:00", "Mo-Fr: 09:00 - 17:00", "Mo – Fr 09:00–17:00", "Mon-Fri 9.00-17.00",
    "Monday - Friday 09:00-17:00;", "Mo,Tu,We,Th,Fr 09:00-17:00", "Mo, Tu ,We-Fr 09:00-17:00", "Mo-Fr 9h00-17h00",
    "Mo-Su 09:00-17:00; Sa,Su off", "09:00-17:00; Sa closed; Su closed", "Mo-Fr\u{a0}09:00\u{2212}17:00",
    "Mo-Th 09:00-17:00, Fr 09:00-17:00", "Mo-Th 09:00-17:00\nFr 09:00-17:00", "Mo-Fr 09:00-12:00,12:00-17:00",
    "Mo-Fr 09:00-13:00, Mo-Fr 13:00-17:00", "Mo-Fr 10:00-11:00; Mo-Fr 09:00-17:00", "Mo-Th 09:00-17:00 Fr 09:00-17:00",
    "09:00-17:00 Mo-Fr", "Mo-Fr 9am-5pm", "Mo-Fr 9:00 AM - 5.00 p.m.", "Mo-Fr 09:00-17:00 open",
    "Mo-Sa 09:00-17:00, Sa off", "\"Mo-Fr 09:00-17:00\"", "Mo-Fr 0900-1700", "Mo-Fr 09:00:00-17:00:00",
  ])
  func `the same week in many spellings`(text: String) { #expect(read(text) == Self.workdays) }

  @Test(arguments: [
    ("24/7", "0 0-1440, 1 0-1440, 2 0-1440, 3 0-1440, 4 0-1440, 5 0-1440, 6 0-1440"), ("closed", ""), ("off", ""),
    ("Mo 09:00-13:00,14:00-18:00", "0 540-780, 0 840-1080"), ("Mo 09:00-13:00; Mo 14:00-18:00", "-"),
    ("Mo 09:00-13:00, Mo 14:00-18:00", "0 540-780, 0 840-1080"),
    ("Sa-Mo 10:00-00:00", "0 600-1440, 5 600-1440, 6 600-1440"),
    ("Fr 20:00-02:00, Sa 10:00-12:00", "4 1200-1560, 5 600-720"), ("Mo 08:00-32:00", "0 480-1920"),
    ("Mo 09:00-17:00; PH off", "0 540-1020 * "),
    ("Mo 09:00-17:00; PH 10:00-12:00", "0 540-1020 * 7 600-720"), ("Mo,PH 09:00-17:00", "0 540-1020 * 7 540-1020"),
    ("Th 00:00-24:00; We 09:00-02:00", "2 540-1560, 3 0-1440"), ("Mo-Su off", ""),
    ("Mo 09:00-17:00; Dec 25 off", "0 540-1020 - 12-25"),
    ("Mo 09:00-17:00; dec 25-26: closed", "0 540-1020 - 12-25 - 12-26"),
    ("Mo 09:00-17:00; 2026 Jan 01 off; PH off", "0 540-1020 *  - 2026-01-01"),
    ("Mo 09:00-17:00; Dec 31-Jan 1, 6 off", "0 540-1020 - 01-01 - 01-06 - 12-31"),
    ("Mo 09:00-17:00, Feb 28-Mar 1 off", "0 540-1020 - 02-28 - 02-29 - 03-01"),
    ("Mo 09:00-17:00; 25 Dec, 1 Jan off", "0 540-1020 - 01-01 - 12-25"),
    ("Mo 09:00-17:00; closed on December 24 and 31", "0 540-1020 - 12-24 - 12-31"),
    ("Mo 09:00-17:00; closed 1 Sept", "0 540-1020 - 09-01"), ("Mo 09:00-17:00; PH off \"x; y\"", "0 540-1020 * "),
    ("Mo 10:00-2:00 pm", "-"), ("Mo 18:00-2:00", "0 1080-1560"), ("Mo 10:00-02:00", "0 600-1560"),
    ("Mo 09:00-17:00; Mo 12:00-13:30 off", "0 540-720, 0 810-1020"),
    ("Mo-Tu 08:00-18:00; Tu 12:00-14:00,17:00-20:00 closed", "0 480-1080, 1 480-720, 1 840-1020"),
    ("Mo 09:00-17:00; 2026 Feb 28-Mar 01,2027 May 1 off", "0 540-1020 - 2026-02-28 - 2026-03-01 - 2027-05-01"),
  ])
  func `rules replace after a semicolon and add after a comma`(text: String, week: String) {
    #expect(read(text) == week)
  }

  @Test func `rules with two meanings are told from text in another grammar`() {
    #expect(DayRanges.hours("Sa,Su,PH 10:00-18:00; Mo-Fr 08:00-20:00") == .some(nil))
    #expect(DayRanges.hours("Mo-Fr 9-17") == WeeklyHours??.none)
  }

  @Test func `a month is all of its days`() throws {
    let hours = try #require(DayRanges.hours("Mo 09:00-17:00; Jul-Aug off") ?? nil)
    #expect(hours.closedDays.count == 62 && hours.closedDays.last == ClosedDay("08-31"))
  }

  @Test(arguments: [
    "", " ", ";", "Mo", "Mo-Fr 9-17", "Mo-Fr 09:00-25:00", "Mo-Fr 22:00-26:00", "Mo-Fr 09:00-17:60", "Xx 09:00-17:00",
    "Mo- 09:00-17:00",
    "Mo-Fr-Su 09:00-17:00", "Mo 09:00-09:00", "Mo 09:00-+7:00", "sunrise-sunset", "06:00+", "Mo-Fr 09:00-17:00 \"x\"",
    "Apr-Oct Mo-Fr 09:00-17:00", "Mo-Fr 09:00-17:00; Dec 25", "Mo-Fr 09:00-17:00; Dec 25 10:00-12:00",
    "Dec 25 off", "Mo 09:00-17:00; Feb 30 off", "Mo 09:00-17:00; 2026 Feb 29 off", "Mo 09:00-17:00; Dec 26-24 2026 off",
    "Dec 25 off; Mo 09:00-17:00", "Mo 22:00-02:00; Dec 25 off", "Mo 09:00-17:00; Jan 1-Dec 31 off",
    "Mo 09:00-17:00; 2026 Dec 25-24 off", "Mo 09:00-17:00; Dec 25 offering", "Mo 09:00-17:00; 2026 off",
    "Mo-Fr 09:00-12:00 || Sa 10:00-11:00", "SH Mo off",
    "week 1-10 Mo 09:00-17:00", "Mo[1] 09:00-17:00", "Mo-Fr 09:00-17:00,", "Mo 49:00-50:00", "Mo 08:00-33:00",
    // They say nothing of the other days.
    "Sa,Su off", "PH off", "PH 10:00-12:00", "Mo closed; PH off",
    // Two readings of a night, or of a day.
    "Fr 20:00-02:00; Sa 10:00-12:00", "Fr 20:00-02:00; Sa off", "Sa off; Fr 20:00-02:00",
    "Su-We 11:30-24:00; Th-Sa 11:30-01:00", "Mo-Su 09:00-01:00; PH off",
    // Holidays that differ by their weekday.
    "Mo,PH 09:00-17:00; Sa off", "Mo,PH 09:00-17:00, Fr 08:00-12:00", "PH off; Mo-Fr 09:00-17:00",
    "Mo-Fr 09:00-17:00, PH 18:00-20:00", "Mo 09:00-12:00 Mo 13:00-17:00",
    "Mo 9:00-5:00", "Sa 10:00-2:00", "Mo 09:00-17:00; Sa off \"x; Su 10:00-14:00", "Mo 09:00-17:00; closed ma 1",
    "Mo-Fr 09:00-17:00 off", "Mo 9am-17:00", "Mo 9-5pm", "Mo 0am-5pm", "Mo 9h-17h",
    "Mo 20:00-02:00; Tu 01:00-02:00 off", "Mo 09:00-17:00, Mo 12:00-13:00 off", "Mo 09:00-17:00 10:00-12:00 Sa",
    "Mo 09:00-17:00; Jan-Apr off", "Mo 12:00-14:00 off", "Mo 0960-1700", "Mo 0900-2401",
    // By the grammar the later rule replaces the earlier one, but people mean both.
    "Mo-Fr 09:00-12:00; Mo-Fr 14:00-18:00", "Mo-Fr 09:00-12:00;13:00-17:00", "Mo 09:00-12:00; Mo-Tu 13:00-17:00",
    "Mo,Tu 14:00-18:00; Tu, Mo 09:00-12:00,20:00-21:00",
  ])
  func `anything else is unknown`(text: String) { #expect(read(text) == "-") }
}
