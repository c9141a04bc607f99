import Banks
import Base
import Geodesy

/// A location as named values: the columns of a CSV row, or the properties of a GeoJSON feature.
///
/// `kind` and the coordinates are required; everything else may be missing or empty.
struct PlainLocation {
  /// The names of all values but the coordinates.
  static let names = [
    "id", "kind", "name", "address", "region", "phone", "email", "website", "hours", "info",
  ]

  /// The latitude and longitude, in degrees.
  var point: GeoPoint
  /// The values by name, without empty ones.
  var values: [String: String]

  /// The location in `place`; oddities are added to `remarks`.
  ///
  /// - Throws: ``RecordProblem`` if the kind is missing.
  func location(in place: BankPlace, _ remarks: inout [String]) throws(RecordProblem) -> BankLocation {
    guard let word = values["kind"] else { throw RecordProblem("kind is missing") }
    let kind = kind(word)
    if kind.category == .unknown {
      remarks.append("kind \"\(word.excerpt(40))\" is not known; kept as an unknown kind")
    }
    var location = BankLocation(
      bank: place.bank, sourceID: values["id"], kind: kind, name: values["name"], address: values["address"] ?? "",
      region: values["region"], country: place.country, point: point, zone: place.zone)
    (location.phone, location.email, location.website) = (values["phone"], values["email"], values["website"])
    (location.availability, location.info) = (values["hours"], values["info"])
    if let text = values["hours"] {
      location.hours = DayRanges.hours(text)
      if location.hours == nil {
        remarks.append("hours \"\(text.excerpt(80))\" cannot be read; its state is unknown")
      }
    }
    return location
  }

  private func kind(_ word: String) -> LocationKind {
    switch word.lowercased() {
    case "branch": .branch
    case "atm": .atm
    case "bna": .bna
    case let word: .unknown(Int(word))
    }
  }
}

/// Opening hours as `Mo-Fr 09:00-17:00; Sa 10:00-14:00`: the part of OpenStreetMap's `opening_hours` that most places
/// need.
///
/// Rules are separated by `;`, the days and the times of one rule by `,`. `24/7` is always, `off` after days is closed,
/// and `PH` among the days is public holidays. A later rule replaces earlier ones for its days. Text with anything else
/// is rejected whole, not half understood.
enum DayRanges {
  private static let days = ["mo", "tu", "we", "th", "fr", "sa", "su"]

  /// The hours in `text`; `nil` if any of it is not understood.
  static func hours(_ text: String) -> WeeklyHours? {
    var week = [[HoursEntry]](repeating: [], count: days.count + 1)
    var (namesHolidays, namesWeekdays) = (false, false)
    let text = text.trimmingSpace.lowercased()
    if text == "24/7" {
      return try? WeeklyHours(entries: days.indices.map { entry($0, (0, 0), (24, 0)) })
    }
    for rule in text.split(separator: ";", omittingEmptySubsequences: false) {
      let words = rule.split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let chosen = dayNumbers(words[0]) else { return nil }
      guard let stretches = words[1] == "off" ? [] : times(words[1]) else { return nil }
      namesHolidays = namesHolidays || chosen.contains(WeeklyHours.Stretch.holiday)
      namesWeekdays = namesWeekdays || chosen.contains { $0 != WeeklyHours.Stretch.holiday }
      for day in chosen { week[day] = stretches.map { entry(day, $0.opens, $0.closes) } }
    }
    // Hours of holidays say nothing about the week.
    return namesWeekdays ? try? WeeklyHours(entries: Array(week.joined()), namesHolidays: namesHolidays) : nil
  }

  private typealias Time = (hours: Int, minutes: Int)

  private static func entry(_ day: Int, _ opens: Time, _ closes: Time) -> HoursEntry {
    HoursEntry(
      day: day, startHours: opens.hours, startMinutes: opens.minutes, endHours: closes.hours,
      endMinutes: closes.minutes)
  }

  /// The days of `mo-fr,su,ph`; a range may wrap around the end of the week.
  private static func dayNumbers(_ text: Substring) -> [Int]? {
    var found: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      if part == "ph" {
        found.append(WeeklyHours.Stretch.holiday)
        continue
      }
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { days.firstIndex(of: String($0)) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
      let count = (last - first + days.count) % days.count
      found += (0...count).map { (first + $0) % days.count }
    }
    return found
  }

  /// The stretches of `09:00-12:00,13:00-17:00`.
  private static func times(_ text: Substring) -> [(opens: Time, closes: Time)]? {
    var found: [(opens: Time, closes: Time)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(time)
      guard ends.count == 2, let opens = ends[0], let closes = ends[1] else { return nil }
      found.append((opens, closes))
    }
    return found
  }

  private static func time(_ text: Substring) -> Time? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }), let hours = Int(parts[0]),
      let minutes = Int(parts[1]), hours <= 24, minutes < 60
    else { return nil }
    return (hours, minutes)
  }
}
