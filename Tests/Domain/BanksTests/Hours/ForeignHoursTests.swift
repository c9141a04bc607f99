import Banks
import Testing

/// Texts that a list has in the language of another country, and hours that name public holidays.
@Suite struct ForeignHoursTests {
  /// The languages of the feeds; a feed of any other country has none.
  private static let feeds: [HoursLanguage?] = [nil, .estonian, .latvian, .lithuanian]

  @Test(arguments: Self.read) func `text is read in every feed`(_ line: HoursCase) {
    for feed in Self.feeds + [.english] {
      #expect(WeeklyHours(availability: line.text, language: feed) == line.expected, "\(String(describing: feed))")
    }
  }

  @Test(arguments: Self.unclear) func `text is unclear in every other feed`(_ text: String, _ own: HoursLanguage?) {
    for feed in Self.feeds where feed != own {
      #expect(WeeklyHours(availability: text, language: feed) == nil, "\(String(describing: feed))")
    }
  }

  static let read: [HoursCase] = [
    .reads("Mon-Fri 9:00-17:00", "Mo-Fr 9:00-17:00"), .reads("MON – FRI 09:00 – 17:00", "Mo-Fr 9:00-17:00"),
    .reads("Mon-Fri 9:00-17:00; Sat 10:00-14:00; Sun closed", "Mo-Fr 9:00-17:00; Sa 10:00-14:00"),
    .reads("Monday-Thursday 9:00-17:00 (lunch 12-13)", "Mo-Th 9:00-12:00,13:00-17:00"),
    .reads("Mon-Fri 9:00-17:00, cash only at the ATM", "Mo-Fr 9:00-17:00"),
    .reads("visą parą", "Mo-Su 0:00-24:00"), .reads("Ööpäevaringselt", "Mo-Su 0:00-24:00"),
    .reads("visu diennakti", "Mo-Su 0:00-24:00"), .reads("00.00-24.00", "Mo-Su 0:00-24:00"),
    .reads("E–R 9.00–17.00", "Mo-Fr 9:00-17:00"),
    .reads("E-R 9.00-17.00; L 10.00-15.00", "Mo-Fr 9:00-17:00; Sa 10:00-15:00"),
    .reads("E–R 9.00–17.00 (lõuna 12-13), L 10.00-14.00, P suletud", "Mo-Fr 9:00-12:00,13:00-17:00; Sa 10:00-14:00"),
    .reads("T 9.00-17.00, P suletud", "Tu 9:00-17:00"), .reads("Pr-Pk 9:00-17:00", "Mo-Fr 9:00-17:00"),
    .reads("I-V 9.00-17.00, VI nedirba", "Mo-Fr 9:00-17:00"),
    .reads("Fri-Mon 9:00-17:00", "Mo 9:00-17:00; Fr-Su 9:00-17:00"),
  ]

  private static let unclear: [(String, HoursLanguage?)] = [
    // No word and no range says which language a letter is of.
    ("E 9.00-17.00", .estonian), ("L 10.00-15.00", .estonian), ("R-L 9.00-17.00", .estonian),
    ("Sv 9.00-17.00", .latvian), ("Š 9.00-17.00", .lithuanian),
    // Two languages in one text.
    ("E-R 9.00-17.00, VI nedirba", .english), ("P suletud, O-Pk 9.00-17.00", .english), ("Mon-R 9.00-17.00", .english),
    // Days of which the rest of the week does not follow, and words that may change the hours.
    ("P suletud", .english), ("Mon-Fri by appointment", .english), ("Mon-Fri 9:00-17:00, only in summer", .english),
    ("Mon-Fri 9-5", .english), ("V-I 9:00-17:00", .english),
  ]

  /// `S` is Saturday in Latvian and Sunday in Lithuanian, and `Pr-Pk` is used in both.
  @Test func `a foreign reading that contradicts leaves the hours unknown`() {
    let text = "Pr-Pk 9:00-17:00, S 10:00-14:00"
    #expect(WeeklyHours(availability: text, language: .lithuanian) == nil)
    #expect(WeeklyHours(availability: text, language: .latvian) == plainWeek("Mo-Fr 9:00-17:00; Sa 10:00-14:00"))
  }

  @Test(
    arguments: [
      ("E-R 9.00-17.00; riigipühadel suletud", .estonian, "Mo-Fr 9:00-17:00", []),
      ("E-R 9.00-17.00; P ja riigipühad 10.00-15.00", .estonian, "Mo-Fr 9:00-17:00; Su 10:00-15:00", [600, 900]),
      ("P.-Pk. 9:00-17:00, svētku dienās slēgts", .latvian, "Mo-Fr 9:00-17:00", []),
      ("I-V 9.00-18.00, šventinėmis dienomis nedirba", .lithuanian, "Mo-Fr 9:00-18:00", []),
      ("Mon-Fri 9:00-17:00; public holidays closed", nil, "Mo-Fr 9:00-17:00", []),
      ("24h; holidays 10.00-12.00", nil, "Mo-Su 0:00-24:00", [600, 720]),
    ] as [(String, HoursLanguage?, String, [Int])])
  func `hours that name holidays`(text: String, language: HoursLanguage?, week: String, holidays: [Int]) throws {
    let hours = try #require(WeeklyHours(availability: text, language: language))
    #expect(hours.namesHolidays)
    #expect((0..<7).flatMap { hours.stretches(on: $0) } == plainWeek(week).stretches)
    #expect(hours.stretches(on: WeeklyHours.Stretch.holiday).flatMap { [$0.opens, $0.closes] } == holidays)
  }
}
