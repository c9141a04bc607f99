import Banks
import Base
import CivilTime
import Geodesy
import TestSupport
import Testing

/// The table of public holidays, and what is open on them.
@Suite struct HolidayTests {
  private static func day(_ text: String) throws -> Int64 { try RFC3339.parse("\(text)T00:00:00Z") / 86_400 }

  @Test(arguments: [
    ("EE", "2026-06-24", "Midsummer Day"), ("LV", "2026-11-18", "Republic of Latvia Proclamation Day"),
    ("LT", "2029-04-02", "Easter Monday"), ("BA", "2027-01-07", "Orthodox Christmas Day"),
    ("FI", "2028-12-06", "Independence Day"),
  ])
  func `the shipped table has the holidays of a country`(country: String, day: String, name: String) throws {
    let holidays = HolidayTable.shipped.holidays(of: country)
    #expect(holidays.first { $0.name == name && (try? Self.day(day)) == $0.day } != nil)
    let years = Set(holidays.map { CivilDate(daysSince1970: $0.day).year })
    let last = try #require(HolidayTable.shipped.lastDay)
    #expect(years.count >= 4 && years.max() == Int64(last.prefix(4)) && last.hasSuffix("-12-31"))
  }

  @Test func `a table is read line by line without a guess`() throws {
    let text =
      "#\t2026-01-01\t2026-12-31\nAA\tA\t260101\nBB\tB\t260301 260302\nBB\tbroken\nBB\tC\tx 260401\n"
      + "CC\tD\t260501"
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: text.utf8)
    let table = HolidayTable(borrowing: UnsafeRawBufferPointer(bytes))
    #expect(table.lastDay == "2026-12-31")
    let first = try Self.day("2026-03-01")
    #expect(
      table.holidays(of: "BB").map { "\($0.name) \($0.day - first)" } == ["B 0", "B 1", "C 31"])
    #expect(table.holidays(of: "AA").map(\.name) == ["A"] && table.holidays(of: "CC").map(\.name) == ["D"])
    for none in ["", "A", "AB", "B", "DD", "#", "AAA", "aa"] { #expect(table.holidays(of: none).isEmpty, "\(none)") }
    let empty = HolidayTable(borrowing: UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(empty.lastDay == nil && empty.holidays(of: "AA").isEmpty)
  }

  /// In Estonia the 24th to the 26th of December are holidays; the 24th of 2026 is a Thursday.
  private static func index() throws -> (built: BuiltIndex, calendar: LocalCalendar) {
    let texts: [(String, LocationKind, String?, String)] = [
      ("day", .branch, "E-R 9.00-17.00", "EE"), ("night", .branch, "E-P 22.00-4.00", "EE"),
      ("always", .branch, "24h", "EE"), ("machine", .atm, "E-R 9.00-17.00", "EE"),
      ("bna", .bna, "E-R 9.00-17.00", "EE"),
      ("kiosk", .unknown(9), "E-R 9.00-17.00", "EE"), ("silent", .branch, nil, "EE"),
      ("closed", .branch, "E-R 9.00-17.00; riigipühadel suletud", "EE"),
      ("named", .branch, "E-P 20.00-2.00; riigipühad 22.00-4.00", "EE"),
      ("machine-closed", .atm, "24h; riigipühadel suletud", "EE"), ("abroad", .branch, "E-R 9.00-17.00", "UA"),
    ]
    let locations = texts.map { name, kind, availability, country in
      var location = BankLocation(
        bank: "imaginary", sourceID: name, kind: kind, name: name, address: "", country: country,
        point: GeoPoint(latitude: 59, longitude: 25), zone: "Europe/Tallinn")
      location.hours = availability.flatMap { WeeklyHours(availability: $0, language: .estonian) }
      return location
    }
    let built = try BuiltIndex(locations)
    return (built, LocalCalendar(for: built.index, rules: MadeUpZones.named))
  }

  @Test(
    arguments: [
      // The day before, whose night leads into the holidays.
      ("day", "2026-12-23T12:00:00+02:00", .yes), ("night", "2026-12-23T23:59:00+02:00", .yes),
      ("day", "2026-12-24T09:00:00+02:00", .unknown), ("day", "2026-12-25T12:00:00+02:00", .unknown),
      ("day", "2026-12-25T16:59:00+02:00", .unknown), ("night", "2026-12-26T23:59:59+02:00", .unknown),
      // What the weekly hours close is closed on a holiday, too.
      ("day", "2026-12-24T00:00:00+02:00", .no), ("day", "2026-12-25T17:00:00+02:00", .no),
      ("day", "2026-12-26T12:00:00+02:00", .no), ("night", "2026-12-25T12:00:00+02:00", .no),
      ("day", "2026-12-25", .unknown), ("night", "2026-12-24T01:00:00+02:00", .unknown),
      // The local day counts: in UTC it is still the 23rd, and the 26th.
      ("day", "2026-12-24T14:59:00Z", .unknown), ("night", "2026-12-23T22:00:00Z", .unknown),
      ("night", "2026-12-24T22:00:00Z", .unknown), ("day", "2026-12-26T22:00:00Z", .no),
      // The night after the holidays may be one of them.
      ("night", "2026-12-27T01:00:00+02:00", .unknown), ("night", "2026-12-27T04:00:00+02:00", .no),
      ("night", "2026-12-27T22:00:00+02:00", .yes), ("day", "2026-12-28T09:00:00+02:00", .yes),
      ("kiosk", "2026-12-25T12:00:00+02:00", .unknown), ("silent", "2026-12-25T12:00:00+02:00", .unknown),
      // What needs nobody, or is always open, keeps its hours.
      ("always", "2026-12-25T12:00:00+02:00", .yes), ("machine", "2026-12-25T12:00:00+02:00", .yes),
      ("machine", "2026-12-25T18:00:00+02:00", .no), ("bna", "2026-12-25T12:00:00+02:00", .yes),
      // Hours that name holidays.
      ("closed", "2026-12-25T12:00:00+02:00", .no), ("closed", "2026-12-28T12:00:00+02:00", .yes),
      ("machine-closed", "2026-12-25T12:00:00+02:00", .no),
      ("machine-closed", "2026-12-27T12:00:00+02:00", .yes),
      ("named", "2026-12-24T01:59:00+02:00", .yes), ("named", "2026-12-24T02:00:00+02:00", .no),
      ("named", "2026-12-24T21:00:00+02:00", .no), ("named", "2026-12-24T22:00:00+02:00", .yes),
      ("named", "2026-12-25T03:00:00+02:00", .yes), ("named", "2026-12-27T03:00:00+02:00", .yes),
      ("named", "2026-12-27T21:00:00+02:00", .yes), ("named", "2026-12-28T03:00:00+02:00", .no),
      // Beyond the last day of the table, and in a country without one.
      ("day", "2035-12-25T12:00:00+02:00", .yes), ("abroad", "2026-12-25T12:00:00+02:00", .yes),
    ] as [(String, String, OpenState)])
  func `state on and around holidays`(name: String, at: String, expected: OpenState) throws {
    let (built, calendar) = try Self.index()
    let rank = try #require(built.index.rank(id: "imaginary-\(name)"))
    let moment = calendar.moment(try AskedMoment(at))
    #expect(built.index.openState(at: rank, moment) == expected)
    let open = try built.index.list(BankFilter(open: moment))
    #expect(open.contains(rank) == (expected == .yes))
  }

  @Test func `the holiday has its name in its country alone`() throws {
    let (built, calendar) = try Self.index()
    let (here, abroad) = (built.index.rank(id: "imaginary-machine"), built.index.rank(id: "imaginary-abroad"))
    for (at, name) in [("2026-12-25", "Christmas Day"), ("2026-02-24", "Independence Day"), ("2026-12-27", nil)] {
      let moment = calendar.moment(try AskedMoment(at))
      #expect(built.index.holiday(at: try #require(here), moment) == name)
      #expect(built.index.holiday(at: try #require(abroad), moment) == nil)
      #expect(built.index.holiday(at: built.index.count, moment) == nil)
    }
  }

  @Test(arguments: [
    ("2026-12-25T12:00:00+02:00", OpenState.no), ("2027-12-25T12:00:00+02:00", .no),
    ("2026-12-28T12:00:00+02:00", .no), ("2027-12-28T12:00:00+02:00", .yes), ("2026-12-29T12:00:00+02:00", .yes),
    ("2026-12-24T12:00:00+02:00", .unknown), ("2028-02-29T12:00:00+02:00", .no), ("2028-02-28T22:30:00Z", .no),
    ("2028-02-28T12:00:00+02:00", .yes),
  ])
  func `a closed date of one year or of all`(at: String, expected: OpenState) throws {
    let week = (0...4).compactMap { WeeklyHours.Stretch(weekday: $0, opens: 0, closes: 1_440) }
    let days = ["12-25", "2026-12-28", "02-29"].compactMap { ClosedDay($0) }
    var location = BankLocation(
      bank: "b", kind: .branch, address: "", country: "EE", point: GeoPoint(latitude: 59, longitude: 25),
      zone: "Europe/Tallinn")
    location.hours = WeeklyHours(week, closedDays: days)
    let built = try BuiltIndex([location])
    #expect(built.index.hours(at: 0) == location.hours)
    let calendar = LocalCalendar(for: built.index, rules: MadeUpZones.named)
    #expect(built.index.openState(at: 0, calendar.moment(try AskedMoment(at))) == expected)
  }

  @Test(arguments: [
    "", "1-2", "13-01", "02-30", "2026-02-29", "0000-01-01", "12-25-", "-12-25", "+2-25", "12/25", "1225",
  ])
  func `a date that does not exist is none`(text: String) { #expect(ClosedDay(text) == nil) }

  @Test func `hours of holidays are kept in an index`() throws {
    let (built, _) = try Self.index()
    for rank in 0..<built.index.count {
      let location = try #require(built.locations[built.index.id(at: rank)])
      #expect(built.index.hours(at: rank) == location.hours)
    }
  }
}
