import Banks
import Testing

/// Texts as Lithuanian lists have them, each checked by hand.
@Suite struct LithuanianHoursTests {
  @Test(arguments: Self.read) func `text is read`(_ line: HoursCase) {
    #expect(WeeklyHours(availability: line.text, language: .lithuanian) == line.expected)
  }

  @Test(arguments: Self.unclear) func `text is unclear`(_ line: HoursCase) {
    #expect(WeeklyHours(availability: line.text, language: .lithuanian) == nil)
  }

  static let read: [HoursCase] = numerals + breaks + remarks + names

  private static let numerals: [HoursCase] = [
    .reads("I-V 9.00-18.00", "Mo-Fr 9:00-18:00"),
    .reads("I-IV 9.00-17.30; V 9.00-16.30", "Mo-Th 9:00-17:30; Fr 9:00-16:30"),
    .reads("I-V 9.00-18.00\nVI 9.00-14.00", "Mo-Fr 9:00-18:00; Sa 9:00-14:00"),
    .reads("I-V 9.00-18.00\r\nVI 9.00-14.00 ", "Mo-Fr 9:00-18:00; Sa 9:00-14:00"),
    .reads("I–V 9.00–18.00", "Mo-Fr 9:00-18:00"), .reads("I—V 9:00—18:00", "Mo-Fr 9:00-18:00"),
    .reads("I - V 09:00 - 18:00", "Mo-Fr 9:00-18:00"), .reads("I-VII 8.00-22.00", "Mo-Su 8:00-22:00"),
    .reads("I-V 9.00-18.00, VI 10.00-15.00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
    .reads("I-V 9.00-18.00 VI 10.00-15.00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
    .reads("I-V 10.00-20.00; VI-VII 10.00-18.00", "Mo-Fr 10:00-20:00; Sa-Su 10:00-18:00"),
    .reads("I-V 10.00-20.00; VI, VII 10.00-18.00", "Mo-Fr 10:00-20:00; Sa-Su 10:00-18:00"),
    .reads("I, III 9.00-17.00", "Mo 9:00-17:00; We 9:00-17:00"),
    .reads(
      "I, III, V 9.00-17.00; II, IV 10.00-18.00",
      "Mo 9:00-17:00; We 9:00-17:00; Fr 9:00-17:00; Tu 10:00-18:00; Th 10:00-18:00"),
    .reads("I, III-V 9.00-17.00", "Mo 9:00-17:00; We-Fr 9:00-17:00"),
    .reads("I ir III 9.00-17.00", "Mo 9:00-17:00; We 9:00-17:00"),
    .reads("II-VI 10.00-19.00", "Tu-Sa 10:00-19:00"), .reads("I-V: 9.00-18.00", "Mo-Fr 9:00-18:00"),
    .reads("I-V - 9.00-18.00", "Mo-Fr 9:00-18:00"), .reads("I-V 9.00-18.00.", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-18.00 val.", "Mo-Fr 9:00-18:00"), .reads("Darbo laikas: I-V 9.00-18.00", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-18.00; VI-VII nedirba", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-18.00, VI-VII – nedirba", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-18.00; VI 9.00-14.00; VII uždaryta", "Mo-Fr 9:00-18:00; Sa 9:00-14:00"),
    .reads("I-VII nedirba", "never"), .reads("I-IV 8.00-17.00; V 8.00-15.45;", "Mo-Th 8:00-17:00; Fr 8:00-15:45"),
    .reads("V 22.00-2.00", "Fr 22:00-2:00"), .reads("I-VII 0.00-24.00", "Mo-Su 0:00-24:00"),
  ]

  private static let breaks: [HoursCase] = [
    .reads("I-V 8.00-17.00 (12.00-13.00)", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00 (pietų pertrauka 12.00-13.00)", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00 (pietūs 12-13)", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00, pietų pertrauka 12-13", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00, pietų pertrauka: 12.00-12.45", "Mo-Fr 8:00-12:00,12:45-17:00"),
    .reads("I-V 8.00-17.00, p.p. 12.00-13.00", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00 pertrauka 12.00-13.00", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00, pertr. 12.00–13.00 val.", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads(
      "I-IV 8.00-17.00; V 8.00-15.45; pietų pertrauka 12.00-12.45",
      "Mo-Th 8:00-12:00,12:45-17:00; Fr 8:00-12:00,12:45-15:45"),
    .reads(
      "I-IV 8.00-17.00 (12.00-13.00); V 8.00-16.00 (12.00-12.30)",
      "Mo-Th 8:00-12:00,13:00-17:00; Fr 8:00-12:00,12:30-16:00"),
    .reads("I-IV 8.00-17.00, pietūs 12-13; V 8.00-14.00", "Mo-Th 8:00-12:00,13:00-17:00; Fr 8:00-14:00"),
    .reads("VI 9.00-12.00; I-V 8.00-17.00 (12.00-13.00)", "Sa 9:00-12:00; Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-17.00; VI-VII nedirba; pietų pertrauka 12-13", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-12.00, 13.00-17.00", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-12.00 ir 13.00-17.00", "Mo-Fr 8:00-12:00,13:00-17:00"),
    .reads("I-V 8.00-18.00 (10.00-10.15, 15.00-15.15)", "Mo-Fr 8:00-10:00,10:15-15:00,15:15-18:00"),
  ]

  private static let remarks: [HoursCase] = [
    .reads("I-V 9.00-18.00, prekybos centras", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-18.00 prekybos centras", "Mo-Fr 9:00-18:00"),
    .reads("24h įėjimas iš kiemo", "Mo-Su 0:00-24:00"),
    .reads("I-VII 8.00-22.00 (PC Akropolis)", "Mo-Su 8:00-22:00"),
    .reads("I-VII 8.00-22.00 („Maxima“)", "Mo-Su 8:00-22:00"),
    .reads("I-VII 8.00-22.00, PC \"Mega\"", "Mo-Su 8:00-22:00"),
    .reads("I-V 9.00-18.00 (be pietų pertraukos)", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-18.00, klientų aptarnavimas; VI 9.00-14.00, konsultacijos", "Mo-Fr 9:00-18:00; Sa 9:00-14:00"),
    .reads("I-V 9.00-18.00 (grynųjų pinigų operacijos neatliekamos)", "Mo-Fr 9:00-18:00"),
    .reads("I-V 9.00-17.00 (12.00-13.00), savitarnos zona", "Mo-Fr 9:00-12:00,13:00-17:00"),
    .reads("Pr-Pk 9:00-17:00 Grynieji pinigai tik bankomate", "Mo-Fr 9:00-17:00"),
    .reads("I-V 9.00-17.00 (12.00-13.00)\nGrynieji pinigai tik bankomate", "Mo-Fr 9:00-12:00,13:00-17:00"),
    .reads("I-V 9.00-17.00, grynųjų pinigų operacijos atliekamos tik bankomatuose", "Mo-Fr 9:00-17:00"),
    .reads("24h (savitarnos zona)", "Mo-Su 0:00-24:00"), .reads("24h, įėjimas iš kiemo", "Mo-Su 0:00-24:00"),
  ]

  private static let names: [HoursCase] = [
    .reads("24h", "Mo-Su 0:00-24:00"), .reads("24 h", "Mo-Su 0:00-24:00"), .reads("24/7", "Mo-Su 0:00-24:00"),
    .reads("24 val.", "Mo-Su 0:00-24:00"), .reads("Visą parą", "Mo-Su 0:00-24:00"),
    .reads("I-VII 24h", "Mo-Su 0:00-24:00"),
    .reads("I-V visą parą; VI 9.00-14.00", "Mo-Fr 0:00-24:00; Sa 9:00-14:00"),
    .reads("Kasdien 8.00-22.00", "Mo-Su 8:00-22:00"),
    .reads("Pr-Pn 9.00-18.00", "Mo-Fr 9:00-18:00"),
    .reads("Pr.–Pt. 9.00–18.00; Š 10.00–15.00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
    .reads("Š-S 10.00-15.00", "Sa-Su 10:00-15:00"), .reads("A,K 9.00-17.00", "Tu 9:00-17:00; Th 9:00-17:00"),
    .reads("Pirmadienis-penktadienis 8:00-17:00", "Mo-Fr 8:00-17:00"),
    .reads("Pirmadieniais-penktadieniais 8.00-17.00, šeštadieniais 9.00-14.00", "Mo-Fr 8:00-17:00; Sa 9:00-14:00"),
    .reads("nuo pirmadienio iki penktadienio nuo 8.00 iki 17.00", "Mo-Fr 8:00-17:00"),
    .reads("Darbo dienomis 8.00-17.00; sekmadienį nedirba", "Mo-Fr 8:00-17:00"),
    .reads("T 9.00-17.00", "We 9:00-17:00"),
  ]

  static let unclear: [HoursCase] = [
    .isUnclear(""), .isUnclear("I-V"), .isUnclear("9.00-18.00"), .isUnclear("V 9-18"), .isUnclear("I-V 9-6"),
    .isUnclear("i-v 9.00-18.00"),
    .isUnclear("V-I 9.00-18.00"), .isUnclear("I-V 9.00-18.00; V 9.00-16.00"), .isUnclear("I-VIII 9.00-18.00"),
    .isUnclear("IIII 9.00-18.00"), .isUnclear("P-Pn 9.00-18.00"), .isUnclear("I-Pn 9.00-18.00"), .isUnclear("24"),
    .isUnclear("VI-VII nedirba"), .isUnclear("nedirba"), .isUnclear("Uždaryta"), .isUnclear("I-V 9.00-18.00; VI-VII"),
    .isUnclear("24h; VI 9.00-14.00"), .isUnclear("I-V 0.00-24.00, 0.00-24.00"), .isUnclear("0.00-23.59"),
    // A remark with a word that is not known to be harmless.
    .isUnclear("VI nedirba, išskyrus šventines dienas"), .isUnclear("I-V 9.00-18.00 (tik su registracija)"),
    .isUnclear("I-V 9.00-18.00 (laikinai uždaryta)"), .isUnclear("I-V 9.00-18.00, vasarą iki 16.00"),
    .isUnclear("24h (prekybos centro darbo laiku)"), .isUnclear("Prekybos centro darbo laiku"),
    .isUnclear("I-V 9.00-18.00 (kas antrą savaitę)"), .isUnclear("I-V 9.00-18.00 (remontas)"),
    .isUnclear("I-V 9.00-18.00 remontas"), .isUnclear("I-V 9.00-18.00 Vasarą"),
    .isUnclear("I-V 9.00-18.00 Kasa 9.00-16.00"), .isUnclear("I-V 9.00-18.00 Kasa VI 9.00-14.00"),
    .isUnclear("I-V 9.00-17.00, tik iš anksto susitarus"), .isUnclear("VI tik bankomate"),
    .isUnclear("Grynieji pinigai tik bankomate"), .isUnclear("šventinėmis dienomis nedirba"),
    .isUnclear("šventinėmis dienomis 9.00-14.00"), .isUnclear("I-V 9.00-18.00; šventinėmis dienomis kitaip"),
    .isUnclear("I-V 9.00-18.00 (PC Uždaryta)"), .isUnclear("I-V 9.00-18.00, kasa 9.00-16.00"),
    .isUnclear("I-V 9.00-18.00 (bankomatas 24h)"), .isUnclear("I-V 9.00-18.00 ()"),
    .isUnclear("I-V 9.00-18.00 (bankas"),
    .isUnclear("I-V 9.00-18.00, „Maxima"), .isUnclear("Bankas; I-V 9.00-18.00"),
    // A break that does not lie within the hours, or could be about other days too.
    .isUnclear("I-V 8.00-12.00 (12.00-13.00)"), .isUnclear("I-V 8.00-17.00 (18.00-19.00)"),
    .isUnclear("I-V 8.00-17.00 (13.00-12.00)"), .isUnclear("I-V 8.00-17.00 (12-13)"), .isUnclear("(12.00-13.00)"),
    .isUnclear("I-IV 8.00-17.00; V 8.00-16.00, pietų pertrauka 12-13"), .isUnclear("VI nedirba (12.00-13.00)"),
    .isUnclear("I-IV 8.00-17.00; pietų pertrauka 12-13; V 8.00-16.00"), .isUnclear("I-V 8.00-17.00, pietų pertrauka"),
    .isUnclear("I-IV 8.00-17.00 (12.00-13.00); V 8.00-16.00; pietų pertrauka 12-13"),
    .isUnclear("I-V 8.00-17.00; VI 9.00-12.00; pietų pertrauka 12-13"),
  ]
}
