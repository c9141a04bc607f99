import Base
import CBOR
import CitiesProtocol
import TestSupport
import Testing

@Suite struct TimestampTests {
  /// The calendar, a day at a time.
  private struct Calendar {
    var (year, month, day) = (1970, 1, 1)

    var text: String {
      func padded(_ value: Int, _ width: Int) -> String {
        String(repeating: "0", count: width - String(value).count) + String(value)
      }
      return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    private var lengths: [Int] {
      let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
      return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    mutating func advance() {
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }

    mutating func retreat() {
      day -= 1
      if day < 1 { month -= 1 }
      if month < 1 { (year, month) = (year - 1, 12) }
      if day < 1 { day = lengths[month - 1] }
    }
  }

  @Test func `every day of four centuries forwards and back is the calendars`() {
    var (forwards, back) = (Calendar(), Calendar())
    let step = Thoroughness.isFull ? 1 : 7
    for number in 0..<Int64(146_097 + 400) {
      defer {
        forwards.advance()
        back.retreat()
      }
      guard number.isMultiple(of: Int64(step)) else { continue }
      for (day, expected) in [(number, forwards), (-number, back)] {
        // The first and the last second in turn.
        let isFirst = number.isMultiple(of: 2)
        let (second, text) = (
          day * 86_400 + (isFirst ? 0 : 86_399), "\(expected.text)T\(isFirst ? "00:00:00" : "23:59:59")Z"
        )
        let isRight =
          Timestamp(secondsSince1970: second).text == text && Timestamp(text: text).secondsSince1970 == second
        if !isRight { #expect(Bool(false), "\(text) is not second \(second)") }
      }
    }
  }

  @Test func `seeded moments of all years come back`() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<10_000 {
      let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
      #expect(Timestamp(secondsSince1970: seconds).secondsSince1970 == seconds)
    }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:01z", 1), ("2026-03-01T12:00:00.5Z", 1_772_366_400),
    ("2026-03-01T13:00:00.999999999+01:00", 1_772_366_400), ("2026-03-01T00:30:00-11:30", 1_772_366_400),
    ("2026-03-01 12:00:00Z", 1_772_366_400), ("1937-01-01T12:00:27.87+00:20", -1_041_337_173),
    ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func `other forms of RFC 3339 are read`(text: String, seconds: Int64) {
    #expect(Timestamp(text: text).secondsSince1970 == seconds)
  }

  @Test(arguments: [
    "", "2026", "2026-03-01", "2026-03-01T12:00:00", "1990-12-31T23:59:60Z", "2026-13-01T12:00:00Z",
    "2026-00-01T12:00:00Z",
    "2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-03-00T12:00:00Z", "2026-03-01T24:00:00Z",
    "2026-03-01T12:60:00Z",
    "2026-03-01T12:00:61Z", "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00+0100", "2026-03-01T12:00:00+24:00",
    "2026-03-01T12:00:00ZZ", "26-03-01T12:00:00Z", "2026-3-1T12:00:00Z", "+026-03-01T12:00:00Z", "yesterday",
  ])
  func `other text is no timestamp`(text: String) throws {
    #expect(Timestamp(text: text).secondsSince1970 == nil)
    let bytes = try CBOREncoder().encode([Timestamp(text: text)])
    let error = #expect(throws: CBORError.self) { try CBORDecoder().decode([Timestamp].self, from: bytes) }
    #expect(error?.path == "[0]")
  }

  @Test func `other tag and no tag are refused`() throws {
    let text = "2026-03-01T12:00:00Z"
    for bytes in [try CBOREncoder().encode(text), try CBOREncoder().encode(CBORTagged(tag: 1, content: text))] {
      #expect(throws: CBORError.self) { try CBORDecoder().decode(Timestamp.self, from: bytes) }
    }
  }

  @Test func `moment outside four digit years does not trap`() {
    #expect(Timestamp(secondsSince1970: 253_402_300_800).text == "10000-01-01T00:00:00Z")
    for extreme in [Int64.min, .min + 1, .max, -62_167_219_201] {
      #expect(Timestamp(secondsSince1970: extreme).secondsSince1970 == nil)
    }
  }
}
