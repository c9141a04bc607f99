import Banks
import Testing

/// Names of days in the cases in which people write them.
@Suite struct DayFormTests {
  @Test(
    arguments: [
      (HoursLanguage.estonian, "Esmaspäevast reedeni 9.00-17.00", "Mo-Fr 9:00-17:00"),
      (.estonian, "esmaspäeviti 10.00-12.00; laupäeval suletud", "Mo 10:00-12:00"),
      (.estonian, "Tööpäevadel 9.00-18.00, laupäeval 10.00-15.00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
      (.estonian, "esmaspäevast kolmapäevani kell 9.00-17.00", "Mo-We 9:00-17:00"),
      (.latvian, "no pirmdienas līdz piektdienai no 9.00 līdz 17.00", "Mo-Fr 9:00-17:00"),
      (.latvian, "Pirmdienās, trešdienās 9.00-17.00; svētdienā slēgts", "Mo 9:00-17:00; We 9:00-17:00"),
      (.latvian, "Darbdienās 9.00-17.00", "Mo-Fr 9:00-17:00"),
      (.russian, "Пн-Пт 9:00-18:00; Сб 10:00-15:00; Вс выходной", "Mo-Fr 9:00-18:00; Sa 10:00-15:00"),
      (.russian, "с понедельника по пятницу с 9.00 до 18.00, обед 13.00-14.00", "Mo-Fr 9:00-13:00,14:00-18:00"),
      (.russian, "По будням 9:00-18:00, по субботам 10:00-14:00", "Mo-Fr 9:00-18:00; Sa 10:00-14:00"),
      (.russian, "Ежедневно 8:00-22:00", "Mo-Su 8:00-22:00"), (.russian, "Круглосуточно", "Mo-Su 0:00-24:00"),
      (.russian, "вт, чт 9:00-17:00 и сб 10:00-14:00", nil), (.russian, "Сб, Вс выходной", nil),
      (.english, "Mon to Fri 9:00 to 17:00", "Mo-Fr 9:00-17:00"),
      (.english, "Monday through Friday 9am - 5:30 p.m.", "Mo-Fr 9:00-17:30"),
      (.english, "Daily 12 PM to 12 AM", "Mo-Su 12:00-24:00"), (.english, "Mon 9-5pm", "Mo 9:00-17:00"),
      (.english, "Mon 13-5pm", nil), (.english, "Mon 8-11am", "Mo 8:00-11:00"), (.english, "Mon 1-5pm", nil),
      (.english, "Mon 9am-17:00", nil),
      (.english, "Mon 13pm-3pm", nil), (.english, "Mon-Fri 9am-5pm; closed on weekends", "Mo-Fr 9:00-17:00"),
      (.english, "Weekdays 9:00-17:00, weekends 10:00-14:00", "Mo-Fr 9:00-17:00; Sa-Su 10:00-14:00"),
      (.lithuanian, "Darbo dienomis nuo 8 iki 17 val., savaitgaliais nedarbo dienos", "Mo-Fr 8:00-17:00"),
      (.lithuanian, "I-V 8-17 val., pietūs 12-13 val.", "Mo-Fr 8:00-12:00,13:00-17:00"),
      (.lithuanian, "Pr–Pn 10.00–17.30 / Št 10.15–14.30", "Mo-Fr 10:00-17:30; Sa 10:15-14:30"),
      (.lithuanian, "nedirba VI, VII", nil), (.lithuanian, "I-V 8.00-17.00, savaitgaliais kitaip", nil),
      (.latvian, "P-Pk no plkst. 9 līdz 17", "Mo-Fr 9:00-17:00"),
      (.russian, "Выходные дни: сб, вс; пн-пт с 9 до 18", "Mo-Fr 9:00-18:00"),
    ] as [(HoursLanguage, String, String?)])
  func `a text with forms of days`(language: HoursLanguage, text: String, week: String?) {
    #expect(WeeklyHours(availability: text, language: language) == week.map(plainWeek))
  }

  @Test(
    arguments: [
      (HoursLanguage.estonian, "E-R 9-17, L 10-14", "Mo-Fr 9:00-17:00; Sa 10:00-14:00"),
      (.estonian, "Tööpäeviti 9-12 ja 13-17", "Mo-Fr 9:00-12:00,13:00-17:00"), (.estonian, "E-R 9-5", nil),
      (.estonian, "E 9-17", nil), (.estonian, "E-R 9-12", nil), (.estonian, "24 tundi ööpäevas", "Mo-Su 0:00-24:00"),
      (.estonian, "E-R 9.00-17.00, L -, P -", "Mo-Fr 9:00-17:00"),
      (.english, "Mon 9:00-17:00, closed 13:00-14:00", "Mo 9:00-13:00,14:00-17:00"),
      (.english, "Mon 9:00-17:00, Sat 1-5", nil), (.english, "Mon from 1 to 5", nil),
      (.lithuanian, "I-V nuo 22 iki 6 val.", "Mo-Fr 22:00-6:00"),
      (.russian, "Будни 9:00-18:00, выходные 10:00-16:00", nil),
      (.latvian, "Darbdienās 9:00-18:00, brīvdienās 10:00-16:00", nil),
      (.lithuanian, "I-V 9.00-18.00, poilsio dienos 10.00-16.00", nil),
      (.english, "Mon 9:00-17:00, closed 13-14", nil), (.estonian, "E-R 9.00-17.00, L 10-2", nil),
      (.latvian, "P.-Pk. 9-17", "Mo-Fr 9:00-17:00"), (.latvian, "pirmdien 9:00-18:00", "Mo 9:00-18:00"),
      (.lithuanian, "I-V 9-18", "Mo-Fr 9:00-18:00"), (.lithuanian, "S 10-14", nil),
      (.russian, "Ежедневно, круглосуточно", "Mo-Su 0:00-24:00"),
      (.russian, "Пн-Пт 9:00-18:00 без перерыва", "Mo-Fr 9:00-18:00"),
      (.english, "M-F 9:00-17:00", "Mo-Fr 9:00-17:00"),
      (.english, "9am - 5pm Monday to Friday, 10am-2pm Saturday", "Mo-Fr 9:00-17:00; Sa 10:00-14:00"),
      (.english, "Open 6am-midnight daily", "Mo-Su 6:00-24:00"), (.english, "9am-5pm Mon, Tue 10am-2pm", nil),
      (.english, "9-17 Mon-Fri", nil), (.english, "9:00-17:00", nil), (.lithuanian, "10-12 V", nil),
      (.english, "Mon: 9 AM–12:30 PM, 1:30–6 PM", "Mo 9:00-12:30,13:30-18:00"), (.english, "Mon 8-10pm", nil),
      (.english, "Mon/Tue/Thu 9:00-17:00", "Mo-Tu 9:00-17:00; Th 9:00-17:00"),
      (.english, "Daily except Monday 9:00-17:00", "Tu-Su 9:00-17:00"), (.english, "Mon except Tue 9:00-17:00", nil),
      (.english, "Weekends only 10am-4pm", "Sa-Su 10:00-16:00"),
      (.latvian, "P. - Sv. / 8.00 - 23.00", "Mo-Su 8:00-23:00"),
      (.russian, "с 9:00 до 21:00 без выходных", "Mo-Su 9:00-21:00"),
      (.lithuanian, "d.d. 9-18", "Mo-Fr 9:00-18:00"), (.english, "Täglich außer Montag 10-17 Uhr", "Tu-Su 10:00-17:00"),
      (.german, "Montags bis freitags 10-18.30 Uhr, Sa/So geschl.", "Mo-Fr 10:00-18:30"),
      (.german, "rund um die Uhr", "Mo-Su 0:00-24:00"), (.german, "werktags 9-18 Uhr", nil),
      (.finnish, "Maanantaista perjantaihin klo 10.00-18.00", "Mo-Fr 10:00-18:00"),
      (.finnish, "arkisin 8-16", "Mo-Fr 8:00-16:00"),
      (.swedish, "Alla dagar 8-22", "Mo-Su 8:00-22:00"), (.swedish, "Dygnet runt", "Mo-Su 0:00-24:00"),
      (.polish, "Od poniedziałku do piątku w godz. 8-16", "Mo-Fr 8:00-16:00"),
      (.polish, "całodobowo", "Mo-Su 0:00-24:00"),
      (.english, "Mo-Fr 08-18; Sa 10-15", "Mo-Fr 8:00-18:00; Sa 10:00-15:00"),
      (.english, "Mon & Wed 9h-17h", "Mo 9:00-17:00; We 9:00-17:00"), (.english, "Mon 9:00-5:00", nil),
      (.english, "Mon 09:00:00-17:00:00", "Mo 9:00-17:00"), (.english, "Mon 09:00:30-17:00:00", nil),
      (.english, "Mon 10 am to noon, Tue 6am-midnight", "Mo 10:00-12:00; Tu 6:00-24:00"),
      (.english, "24 hours a day, 7 days a week", "Mo-Su 0:00-24:00"), (.english, "24 hours, 6 days a week", nil),
      (.english, "Monday: Open 24 hours; Tuesday: Closed", "Mo 0:00-24:00"),
      (.english, "Mon-Fri 9:00-17:00 except Wed", nil),
      (.english, "Mon-Fri 9:00-17:00, Sat closed except holidays", nil),
      (.english, "Mon-Fri 9:00-17:00, lunch 12:00-13:00 except holidays", nil),
    ] as [(HoursLanguage, String, String?)])
  func `a text as people type it`(language: HoursLanguage, text: String, week: String?) {
    #expect(WeeklyHours(availability: text, language: language) == week.map(plainWeek))
  }

  @Test(
    arguments: [
      (HoursLanguage.estonian, "E-R 9.00-17.00 (v.a riigipühad)"),
      (.latvian, "P.-Pk. 9:00-17:00 (izņemot svētku dienas)"),
      (.lithuanian, "I-V 9.00-17.00, išskyrus šventines dienas"), (.russian, "пн-пт 9-17, кроме праздников"),
      (.english, "Mon-Fri 9am-5pm excluding bank holidays"),
    ])
  func `holidays are excepted`(language: HoursLanguage, text: String) throws {
    let hours = try #require(WeeklyHours(availability: text, language: language))
    #expect(hours.namesHolidays && hours.stretches == plainWeek("Mo-Fr 9:00-17:00").stretches)
  }

  @Test func `a Russian text is read in a Baltic list`() {
    let week = WeeklyHours(availability: "Пн-Пт 9:00-18:00", language: .estonian)
    #expect(week == plainWeek("Mo-Fr 9:00-18:00"))
  }
}
