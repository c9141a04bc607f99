import Banks
import Testing

/// Texts as Estonian lists have them, each checked by hand, and the rules that hold in every language.
@Suite struct EstonianHoursTests {
  @Test(arguments: Self.read) func `text is read`(_ line: HoursCase) {
    #expect(WeeklyHours(availability: line.text, language: .estonian) == line.expected)
  }

  @Test(arguments: Self.unclear) func `text is unclear`(_ line: HoursCase) {
    #expect(WeeklyHours(availability: line.text, language: .estonian) == nil)
  }

  static let read: [HoursCase] = [
    .reads("24h", "Mo-Su 0:00-24:00"), .reads(" 24H\r\n", "Mo-Su 0:00-24:00"), .reads("24 h", "Mo-Su 0:00-24:00"),
    .reads("24/7", "Mo-Su 0:00-24:00"), .reads("Ööpäevaringselt", "Mo-Su 0:00-24:00"),
    .reads("24 tundi", "Mo-Su 0:00-24:00"),
    .reads("00.00-24.00", "Mo-Su 0:00-24:00"), .reads("0:00–24:00", "Mo-Su 0:00-24:00"),
    .reads("E–R 9:00–17:00, P suletud", "Mo-Fr 9:00-17:00"),
    .reads("E-R 9.00-17.00\nSularaha ainult automaadis", "Mo-Fr 9:00-17:00"),
    .reads("E-P 24h", "Mo-Su 0:00-24:00"), .reads("E-R 9.00-17.00", "Mo-Fr 9:00-17:00"),
    .reads("E 9.00-18.00; L 10.00-15.00", "Mo 9:00-18:00; Sa 10:00-15:00"),
    .reads("E 9.00-18.00, L 10.00-15.00", "Mo 9:00-18:00; Sa 10:00-15:00"),
    .reads("E 9.00-18.00\nL 10.00-15.00", "Mo 9:00-18:00; Sa 10:00-15:00"),
    .reads("E 9.00-18.00 L 10.00-15.00", "Mo 9:00-18:00; Sa 10:00-15:00"),
    .reads("E 9.00-18.00;\r\nL 10.00-15.00;", "Mo 9:00-18:00; Sa 10:00-15:00"),
    .reads("E–T 09:05–18:30", "Mo-Tu 9:05-18:30"), .reads("E, K 9.00-10.00", "Mo 9:00-10:00; We 9:00-10:00"),
    .reads("E-T,N 9.00-10.00", "Mo-Tu 9:00-10:00; Th 9:00-10:00"), .reads("E-R kell 9-17", "Mo-Fr 9:00-17:00"),
    .reads("E-R 8-16.30 (L, P suletud)", "Mo-Fr 8:00-16:30"),
    .reads("E-N 9.00-17; R 9-12", "Mo-Th 9:00-17:00; Fr 9:00-12:00"),
    .reads("E-R 9.00-17.00 | L 10.00-15.00", "Mo-Fr 9:00-17:00; Sa 10:00-15:00"),
    .reads("E ja K 9.00-10.00", "Mo 9:00-10:00; We 9:00-10:00"),
    .reads("R 9.00-12.00, 13.00-18.00", "Fr 9:00-12:00,13:00-18:00"), .reads("p 10.00 - 24.00", "Su 10:00-24:00"),
    .reads("L 22.00-2.00", "Sa 22:00-2:00"), .reads("P 0.00-24.00", "Su 0:00-24:00"),
    .reads("E - T 9.00-10.00", "Mo-Tu 9:00-10:00"),
    .reads("E.-R. 9.00-17.00", "Mo-Fr 9:00-17:00"), .reads("E-R: 9.00-17.00", "Mo-Fr 9:00-17:00"),
    .reads("Avatud E-R 9.00-17.00", "Mo-Fr 9:00-17:00"), .reads("I-V 9.00-17.00", "Mo-Fr 9:00-17:00"),
    .reads("E-R 9.00-17.00; L-P suletud", "Mo-Fr 9:00-17:00"), .reads("E-R 9.00-17.00; L, P kinni", "Mo-Fr 9:00-17:00"),
    .reads("E-P suletud", "never"), .reads("E-R 9.00-17.00; L-P closed", "Mo-Fr 9:00-17:00"),
    .reads("E-R 9.00-17.00 (lõuna 12-13)", "Mo-Fr 9:00-12:00,13:00-17:00"),
    .reads("E-R 9.00-17.00 (12.00-13.00)", "Mo-Fr 9:00-12:00,13:00-17:00"),
    .reads("E-R 9.00-17.00, lõunapaus 12.00-12.30", "Mo-Fr 9:00-12:00,12:30-17:00"),
    .reads(
      "E-N 9.00-17.00; R 9.00-16.00; lõuna 12.00-12.30", "Mo-Th 9:00-12:00,12:30-17:00; Fr 9:00-12:00,12:30-16:00"),
    .reads("E-R 9.00-17.00 (kaubanduskeskus)", "Mo-Fr 9:00-17:00"),
    .reads("E-P 9.00-21.00, „Ülemiste“ keskuses", "Mo-Su 9:00-21:00"),
    .reads("E-R 9.00-17.00 (klienditeenindus, iseteenindus)", "Mo-Fr 9:00-17:00"),
    .reads("Iga päev 8.00-22.00", "Mo-Su 8:00-22:00"), .reads("Esmaspäev-Reede 9:00-17:00", "Mo-Fr 9:00-17:00"),
    .reads("E-R 10.00-19.00; L 10.00-17.00; P 10.00-16.00", "Mo-Fr 10:00-19:00; Sa 10:00-17:00; Su 10:00-16:00"),
    .reads("E-R 9.00-17.00 (lo\u{303}una 12-13)", "Mo-Fr 9:00-12:00,13:00-17:00"),
    .reads("Iga. PA\u{308}EV. 8.00-22.00", "Mo-Su 8:00-22:00"),
    .reads("E-R 9.00-17.00 (kontor\r\natm)", "Mo-Fr 9:00-17:00"),
    .reads("E 22.00-6.00; T 22.00-6.00", "Mo-Tu 22:00-6:00"), .reads("E-R 9.00-12.00, 12.00-18.00", "Mo-Fr 9:00-18:00"),
  ]

  static let unclear: [HoursCase] = [
    "", " ", ";", "24", "24h 24h", "24h; E-R 9.00-17.00", "E-R", "9.00-17.00", "E 9-17", "E-R 9.00", "E-R 9.00-",
    "E-R 9.0-17.00", "E-R 9.000-17.00", "E-R 25.00-26.00", "E-R 9.60-17.00", "E-R 24.00-25.00", "E-R 9.00-24.01",
    "R-E 9.00-17.00", "E-E 9.00-17.00", "E-X 9.00-17.00", "E-R 9.00-9.00",
    "E-R 9.00-17.00; E 10.00-12.00", "E 9.00-12.00, 11.00-13.00", "E 20.00-9.00; T 8.00-10.00",
    "P 20.00-9.00; E 8.00-10.00", "E-R 9. 00-17.00", "E-R 9.00-1", "Lepingu alusel", "P.-Pk. 9.00-17.00",
    "V 9–17", "E-R ９.00-17.00", "E-R 9.00--17.00", "ß 9.00-17.00", "E-R 9.00-17.00\u{0}", "ER 9.00-17.00",
    "E-R 9.00-17.00 (v.a suvel)", "E-R 9.00-17.00, kokkuleppel", "24h/7", "24/8", "25h", "suletud", "L-P suletud",
    String(repeating: "E 9.00-10.00;", count: 100),
  ].map(HoursCase.isUnclear)

  @Test func `every start of a good text is read whole or not at all`() {
    let text = "E-R 9.00-18.00; L 10.00-15.00"
    let read = text.indices.filter { WeeklyHours(availability: String(text[..<$0]), language: .estonian) != nil }
    let first = ["E-R 9.00-18", "E-R 9.00-18.", "E-R 9.00-18.00", "E-R 9.00-18.00;", "E-R 9.00-18.00; "]
    #expect(read.map { String(text[..<$0]) } == first + ["E-R 9.00-18.00; L 10.00-15", "E-R 9.00-18.00; L 10.00-15."])
  }

  @Test func `language decides what a letter means`() {
    func days(_ text: String, _ language: HoursLanguage?) -> String? {
      WeeklyHours(availability: text, language: language)?.description
    }
    #expect(days("P 9.00-10.00", .estonian) == "6 540-600" && days("P 9.00-10.00", .latvian) == "0 540-600")
    #expect(days("T 9.00-10.00", .estonian) == "1 540-600" && days("T 9.00-10.00", .lithuanian) == "2 540-600")
    #expect(days("S 9.00-10.00", .latvian) == "5 540-600" && days("S 9.00-10.00", .lithuanian) == "6 540-600")
    #expect(days("P 9.00-10.00", .lithuanian) == nil && days("P 9.00-10.00", nil) == nil)
    #expect(days("II 9.00-10.00", nil) == "1 540-600" && days("24h", nil) == WeeklyHours.always.description)
    let known = ["EE", "LV", "LT", "BA", "ee", ""].map { HoursLanguage(country: $0) }
    #expect(known == [.estonian, .latvian, .lithuanian, nil, nil, nil])
  }
}
