import Banks
import CitiesCommands
import CitiesProtocol
import CivilTime
import Geodesy
import Resident
import TestSupport
import Testing

@testable import FeedSync

/// Hours as they are printed, and read back from a list.
@Suite struct PrintedHoursTests {
  private static let day = WallClock.minutesPerDay
  /// 2026-01-01 and two years of minutes.
  private static let start: Int64 = 1_767_225_600
  private static let minutes = 731 * 1_440

  private static func stretches(_ days: Range<Int>, _ generator: inout SeededGenerator) -> [WeeklyHours.Stretch] {
    days.flatMap { day in
      (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
        let opens = 5 * Int.random(in: 0...287, using: &generator)
        let lengths = [self.day, self.day - opens, 5 * Int.random(in: 1...288, using: &generator)]
        return WeeklyHours.Stretch(
          weekday: day, opens: opens, closes: opens + lengths[Int.random(in: 0...2, using: &generator)])
      }
    }
  }

  /// Hours of any kind: with nights, days of 24 hours, holidays, and dates if nothing reaches past midnight.
  private static func hours(_ generator: inout SeededGenerator) -> WeeklyHours {
    let namesHolidays = Bool.random(using: &generator)
    var all = stretches(0..<(namesHolidays ? 8 : 7), &generator)
    if Bool.random(using: &generator) { all.removeAll { $0.closes > day } }
    var closed: [ClosedDay] = []
    if all.contains(where: { $0.weekday < 7 }), all.allSatisfy({ $0.closes <= day }) {
      closed = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
        ClosedDay(
          year: [nil, 2026, 2027][Int.random(in: 0...2, using: &generator)],
          month: Int.random(in: 1...12, using: &generator), day: Int.random(in: 1...31, using: &generator))
      }
    }
    return WeeklyHours(all, namesHolidays: namesHolidays, closedDays: closed)
  }

  private static func location(_ name: String, _ hours: WeeklyHours) -> BankLocation {
    var location = BankLocation(
      bank: "own", sourceID: name, kind: .branch, address: "", country: "EE",
      point: GeoPoint(latitude: 59, longitude: 25), zone: "Europe/Tallinn")
    location.hours = hours
    return location
  }

  @Test func `what is printed and read back has the same answer in every minute of two years`() throws {
    var generator = SeededGenerator(seed: 48)
    var builder = BankIndexBuilder()
    let rules = Thoroughness.count(20, ofAll: 200)
    for number in 0..<rules {
      let hours = Self.hours(&generator)
      let row = BankRow(id: "own-1", Self.location("1", hours))
      let text = WeekText.short(row.hours ?? [], row.holidayHours, row.closedDays)
      let read = try #require(DayRanges.hours(text, isOwn: true) ?? nil, "\(text)")
      try builder.add(Self.location("\(number)-given", hours))
      try builder.add(Self.location("\(number)-read", read))
    }
    let folder = try TemporaryFolder()
    try ResidentBanks.image(of: builder, fingerprint: 1, feeds: []).write(to: folder.path("banks.resident"))
    let banks = try ResidentBanks(path: folder.path("banks.resident"))
    try banks.verify()
    let pairs = try (0..<rules).map { number in
      (
        try #require(banks.index.rank(id: "own-\(number)-given")),
        try #require(banks.index.rank(id: "own-\(number)-read"))
      )
    }
    // Every minute in the slow tier, every 61st otherwise: over two years, all of a week many times.
    var states: [OpenState: Int] = [:]
    for minute in stride(from: 0, to: Self.minutes, by: Thoroughness.isFull ? 1 : 61) {
      let moment = banks.calendar.moment(.instant(Self.start + 60 * Int64(minute)))
      for (given, read) in pairs {
        let state = banks.index.openState(at: given, moment)
        states[state, default: 0] += 1
        guard state != banks.index.openState(at: read, moment) else { continue }
        Issue.record("minute \(minute): \(String(describing: banks.index.hours(at: given)))")
        return
      }
    }
    #expect(states.count == 3)
  }
}
