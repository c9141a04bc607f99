import Banks
import TestSupport
import Testing

/// Random weeks written in every form of the grammar, and random damage to texts.
@Suite struct HoursGrammarTests {
  private static let names: [HoursLanguage: [String]] = [
    .estonian: ["E", "T", "K", "N", "R", "L", "P"], .latvian: ["P", "O", "T", "C", "Pk", "S", "Sv"],
    .lithuanian: ["Pr", "A", "T", "K", "Pn", "Š", "S"], .english: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    .russian: ["пн", "вт", "ср", "чт", "пт", "сб", "вс"], .german: ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
    .finnish: ["ma", "ti", "ke", "to", "pe", "la", "su"],
    .swedish: ["Mån", "Tis", "Ons", "Tors", "Fre", "Lör", "Sön"],
    .polish: ["Pn", "Wt", "Śr", "Czw", "Pt", "Sob", "Nd"],
  ]
  private static let numerals = ["I", "II", "III", "IV", "V", "VI", "VII"]
  private static let pauses: [HoursLanguage: String] = [
    .estonian: "lõuna", .latvian: "pārtraukums", .lithuanian: "pietų pertrauka",
    .english: "lunch", .russian: "перерыв", .german: "Mittagspause", .finnish: "lounastauko",
    .swedish: "lunchstängt", .polish: "przerwa",
  ]
  private static let remarks: [HoursLanguage: String] = [
    .estonian: "kaubanduskeskus", .latvian: "tirdzniecības centrs", .lithuanian: "prekybos centras",
    .english: "cash at the machine", .russian: "торговый центр", .german: "nur Geldautomat",
    .finnish: "pankkiautomaatti", .swedish: "bankkontor", .polish: "bankomat",
  ]

  /// Days with hours from `opens` to `closes` and, between them, an optional break; the plain reference of the tests.
  private struct Part {
    var days: ClosedRange<Int>
    var (opens, closes): (Int, Int)
    var pause: (from: Int, to: Int)?

    var stretches: [WeeklyHours.Stretch] {
      days.flatMap { day in
        guard let pause else { return [WeeklyHours.Stretch(weekday: day, opens: opens, closes: closes)] }
        return [
          WeeklyHours.Stretch(weekday: day, opens: opens, closes: pause.from),
          WeeklyHours.Stretch(weekday: day, opens: pause.to, closes: closes),
        ]
      }
      .compactMap(\.self)
    }
  }

  private static func parts(_ generator: inout SeededGenerator) -> [Part] {
    var parts: [Part] = []
    var day = Int.random(in: 0...2, using: &generator)
    while day <= 6 {
      let last = Int.random(in: day...6, using: &generator)
      let opens = Int.random(in: 0...600, using: &generator)
      let closes = Int.random(in: 900...1_440, using: &generator)
      var part = Part(days: day...last, opens: opens, closes: closes)
      if Bool.random(using: &generator) {
        part.pause = (
          Int.random(in: 601...700, using: &generator), Int.random(in: 701...899, using: &generator)
        )
      }
      // A break of a later part alone could be about this one, which is unclear by intention.
      if parts.contains(where: { $0.pause == nil }) { part.pause = nil }
      parts.append(part)
      day = last + Int.random(in: 1...3, using: &generator)
    }
    return parts
  }

  private static func text(
    _ parts: [Part], _ language: HoursLanguage, _ generator: inout SeededGenerator
  ) throws -> String {
    func any(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
    let names = any(["numerals", "names"]) == "numerals" ? numerals : try #require(names[language])
    let (separator, dash) = (any([".", ":"]), any(["-", "–", " - ", " — "]))
    func time(_ minute: Int) -> String {
      let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
      return "\(hour < 10 ? any(["", "0"]) : "")\(hour)\(separator)\(rest < 10 ? "0" : "")\(rest)"
    }
    func range(_ from: Int, _ to: Int) -> String { time(from) + dash + time(to) }
    let pause = try #require(pauses[language])
    let remark = try #require(remarks[language])
    let texts = parts.map { part in
      let ends = part.days.count == 1 ? [part.days.lowerBound] : [part.days.lowerBound, part.days.upperBound]
      var text = ends.map { names[$0] + any(["", "."]) }.joined(separator: dash) + any([" ", ": "])
      if let cut = part.pause {
        text += any([
          range(part.opens, cut.from) + ", " + range(cut.to, part.closes),
          range(part.opens, part.closes) + " (" + range(cut.from, cut.to) + ")",
          range(part.opens, part.closes) + ", \(pause) " + range(cut.from, cut.to),
          range(part.opens, part.closes) + " (\(pause): " + range(cut.from, cut.to) + ")",
        ])
      } else {
        text += range(part.opens, part.closes)
      }
      return text + any(["", "", ", \(remark)", " (\(remark))"])
    }
    // A remark without brackets ends at a separator, so a blank alone cannot follow it.
    let hasRemark = texts.contains { $0.hasSuffix(remark) }
    return texts.joined(separator: any(["; ", ";", "\n", ", "] + (hasRemark ? [] : [" "])))
  }

  @Test(arguments: HoursLanguage.allCases)
  func `every form of a week is read as that week`(_ language: HoursLanguage) throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<1_000 {
      let parts = Self.parts(&generator)
      let text = try Self.text(parts, language, &generator)
      let read = WeeklyHours(availability: text, language: language)
      #expect(read == WeeklyHours(parts.flatMap(\.stretches)), "\(text)")
    }
  }

  @Test(arguments: HoursLanguage.allCases)
  func `an unknown word anywhere makes the text unclear`(_ language: HoursLanguage)
    throws
  {
    let table = [
      HoursLanguage.estonian: EstonianHoursTests.read, .latvian: LatvianHoursTests.read,
      .lithuanian: LithuanianHoursTests.read, .english: ForeignHoursTests.read,
      .russian: [.reads("Пн-Пт 9:00-18:00; Сб 10:00-15:00", "Mo-Fr 9:00-18:00; Sa 10:00-15:00")],
      .german: [.reads("Mo-Fr 9.00-18.00 Uhr, Mittagspause 12-13 Uhr", "Mo-Fr 9:00-12:00,13:00-18:00")],
      .finnish: [.reads("ma-pe klo 9.00-17.00; la suljettu", "Mo-Fr 9:00-17:00")],
      .swedish: [.reads("Mån-fre kl. 9.00-17.00, lör stängt", "Mo-Fr 9:00-17:00")],
      .polish: [.reads("Pn-Pt w godz. 9:00-17:00; Sob nieczynne", "Mo-Fr 9:00-17:00")],
    ]
    for line in try #require(table[language]) {
      for word in [" qwx", ", qwx", "; qwx 9.00-10.00", " (qwx)", " 7", ", 7", " (7.00)"] {
        #expect(WeeklyHours(availability: line.text + word, language: language) == nil, "\(line.text + word)")
      }
      #expect(WeeklyHours(availability: "qwx " + line.text, language: language) == nil)
    }
  }

  @Test(arguments: HoursLanguage.allCases)
  func `damaged texts never trap and never overlap`(_ language: HoursLanguage) {
    var generator = SeededGenerator(seed: 11)
    let alphabet = Array("IVPETKNRLOCSŠkv0123456789.:-–,;() \n\"„“hpa\u{301}🏦/")
    let texts = (EstonianHoursTests.read + LatvianHoursTests.read + LithuanianHoursTests.read).map(\.text)
    for _ in 0..<4_000 {
      var text = Array(texts.randomElement(using: &generator) ?? "")
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0...text.count, using: &generator)
        let other = alphabet.randomElement(using: &generator) ?? "I"
        switch Int.random(in: 0...2, using: &generator) {
        case 0: text.insert(other, at: place)
        case 1 where place < text.count: text.remove(at: place)
        default: if place < text.count { text[place] = other }
        }
      }
      guard let hours = WeeklyHours(availability: String(text), language: language) else { continue }
      let open = hours.stretches.reduce(0) { $0 + $1.closes - $1.opens }
      #expect(open <= 7 * 1_440 && hours.stretches.allSatisfy { $0.opens < $0.closes }, "\(String(text))")
    }
  }
}
