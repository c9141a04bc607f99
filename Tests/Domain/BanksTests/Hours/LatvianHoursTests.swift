import Banks
import Testing

/// Texts as Latvian lists have them, each checked by hand.
@Suite struct LatvianHoursTests {
  @Test(arguments: Self.read) func `text is read`(_ line: HoursCase) {
    #expect(WeeklyHours(availability: line.text, language: .latvian) == line.expected)
  }

  @Test(arguments: Self.unclear) func `text is unclear`(_ line: HoursCase) {
    #expect(WeeklyHours(availability: line.text, language: .latvian) == nil)
  }

  static let read: [HoursCase] = [
    .reads("P.-Pk. 9:00-17:00", "Mo-Fr 9:00-17:00"), .reads("P-Pk 9.00-17.00", "Mo-Fr 9:00-17:00"),
    .reads("P. - Pk. 9:00 - 17:00", "Mo-Fr 9:00-17:00"), .reads("P.–Pk. 9.00–17.00", "Mo-Fr 9:00-17:00"),
    .reads("P-Pt 9.00-18.00", "Mo-Fr 9:00-18:00"), .reads("P-Pk 9.00-17.00 ", "Mo-Fr 9:00-17:00"),
    .reads("P.-C. 9:00-17:00; Pk. 9:00-16:00", "Mo-Th 9:00-17:00; Fr 9:00-16:00"),
    .reads("P.-C. 9:00-17:00, Pk. 9:00-16:00", "Mo-Th 9:00-17:00; Fr 9:00-16:00"),
    .reads("P.-Pk. 9:00-18:00\nS. 10:00-15:00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
    .reads("P.-Pk. 9:00-18:00 S. 10:00-15:00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
    .reads("P.-Pk. 10:00-20:00; S., Sv. 10:00-18:00", "Mo-Fr 10:00-20:00; Sa-Su 10:00-18:00"),
    .reads("P.-S. 10:00-20:00; Sv. slēgts", "Mo-Sa 10:00-20:00"), .reads("P-Sv 8.00-22.00", "Mo-Su 8:00-22:00"),
    .reads("P. 10:00-18:00; O.-Pk. 9:00-17:00", "Mo 10:00-18:00; Tu-Fr 9:00-17:00"),
    .reads("P., T., Pk. 9:00-17:00", "Mo 9:00-17:00; We 9:00-17:00; Fr 9:00-17:00"),
    .reads("P un T 9.00-17.00", "Mo 9:00-17:00; We 9:00-17:00"),
    .reads("O, C 9.00-17.00", "Tu 9:00-17:00; Th 9:00-17:00"),
    .reads("O-S 10.00-19.00", "Tu-Sa 10:00-19:00"), .reads("Pr-Pk 9.00-17.00", "Mo-Fr 9:00-17:00"),
    .reads("Pirmdiena-Piektdiena 9:00-17:00", "Mo-Fr 9:00-17:00"), .reads("I-V 9.00-17.00", "Mo-Fr 9:00-17:00"),
    .reads("I-IV 9.00-17.30; V 9.00-16.30", "Mo-Th 9:00-17:30; Fr 9:00-16:30"),
    .reads("I, III 9.00-17.00; II 10.00-18.00", "Mo 9:00-17:00; We 9:00-17:00; Tu 10:00-18:00"),
    .reads("Darba laiks: P.-Pk. 9:00-17:00", "Mo-Fr 9:00-17:00"), .reads("p.-pk. 9:00-17:00", "Mo-Fr 9:00-17:00"),
    .reads("Katru dienu 8.00-22.00", "Mo-Su 8:00-22:00"), .reads("24h", "Mo-Su 0:00-24:00"),
    .reads("24 H", "Mo-Su 0:00-24:00"),
    .reads("24/7", "Mo-Su 0:00-24:00"), .reads("Visu diennakti", "Mo-Su 0:00-24:00"),
    .reads("24 stundas", "Mo-Su 0:00-24:00"),
    .reads("P.-Sv. 24h", "Mo-Su 0:00-24:00"),
    .reads("P.-Pk. 9:00-17:00 (13:00-14:00)", "Mo-Fr 9:00-13:00,14:00-17:00"),
    .reads("P.-Pk. 9:00-17:00, pārtraukums 13:00-14:00", "Mo-Fr 9:00-13:00,14:00-17:00"),
    .reads("P.-Pk. 9:00-17:00 (pusdienu pārtraukums 13-14)", "Mo-Fr 9:00-13:00,14:00-17:00"),
    .reads("P.-Pk. 9:00-13:00, 14:00-17:00", "Mo-Fr 9:00-13:00,14:00-17:00"),
    .reads(
      "P.-C. 9:00-17:00; Pk. 9:00-16:00; pārtraukums 12:30-13:00",
      "Mo-Th 9:00-12:30,13:00-17:00; Fr 9:00-12:30,13:00-16:00"),
    .reads("P.-Pk. 9:00-17:00; S., Sv. brīvs", "Mo-Fr 9:00-17:00"),
    .reads("P.-Pk. 9:00-17:00; S.-Sv. nestrādā", "Mo-Fr 9:00-17:00"),
    .reads("P.-Sv. 8:00-22:00 (t/c Alfa)", "Mo-Su 8:00-22:00"),
    .reads("P.-Sv. 8:00-22:00, tirdzniecības centrs", "Mo-Su 8:00-22:00"),
    .reads("P.-Pk. 9:00-17:00 (klientu apkalpošana bez pārtraukuma)", "Mo-Fr 9:00-17:00"),
    .reads("P.-Sv. 8:00-22:00 (TC \"Mols\")", "Mo-Su 8:00-22:00"),
  ]

  static let unclear: [HoursCase] = [
    // P after another day is Friday to some.
    .isUnclear("C, P 9.00-17.00"), .isUnclear("O-P 9.00-17.00"), .isUnclear("P-P 9.00-17.00"),
    .isUnclear("P-C 9.00-17.00; P 9.00-16.00"), .isUnclear("C 9.00-17.00; P 9.00-16.00"),
    .isUnclear("Š 9.00-17.00"), .isUnclear("C 9-17"),
    .isUnclear("P.-Pk. no 9:00 līdz"),
    .isUnclear("Pēc vienošanās"), .isUnclear("Tirdzniecības centra darba laikā"),
    .isUnclear("P.-Pk. 9:00-17:00, vasarā slēgts"),
    .isUnclear("P.-Pk. 9:00-17:00 S. 10:00"), .isUnclear("S, S 10.00-15.00"),
  ]
}
