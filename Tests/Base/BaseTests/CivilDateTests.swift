import Base
import Testing

@Suite("calendar dates")
struct CivilDateTests {
  @Test func `day numbers and dates are each other's inverse, and follow the calendar day by day from 1599 to 2410`() {
    var date = CivilDate(year: 1599, month: 12, day: 31)
    for days in CivilDate(year: 1600, month: 1, day: 1).daysSince1970...160_000 {
      date = next(date)
      #expect(date.daysSince1970 == days && CivilDate(daysSince1970: days) == date)
    }
    #expect(date.year == 2408)
  }

  @Test(
    arguments: [
      (1970, 1, 1, 0), (2000, 2, 29, 11_016), (1969, 12, 31, -1), (0, 3, 1, -719_468), (-1, 12, 31, -719_529),
    ]
      as [(Int64, Int64, Int64, Int64)])
  func `known days have their numbers`(year: Int64, month: Int64, day: Int64, days: Int64) {
    #expect(CivilDate(year: year, month: month, day: day).daysSince1970 == days)
    #expect(CivilDate(daysSince1970: days) == CivilDate(year: year, month: month, day: day))
  }

  /// The day after, by the rules that one learns at school.
  private func next(_ date: CivilDate) -> CivilDate {
    let lengths: [Int64] = [31, isLeap(date.year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if date.day < lengths[Int(date.month) - 1] {
      return CivilDate(year: date.year, month: date.month, day: date.day + 1)
    }
    if date.month < 12 { return CivilDate(year: date.year, month: date.month + 1, day: 1) }
    return CivilDate(year: date.year + 1, month: 1, day: 1)
  }

  private func isLeap(_ year: Int64) -> Bool { year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) }
}
