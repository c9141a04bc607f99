internal import CitiesProtocol
internal import Text

/// A day at several places side by side: a row per place with its working hours, and those that all have in common.
///
///     HourRows(reply.rows)?.lines(width: 80, isUnicode: true)
struct HourRows {
  /// The working hours, in minutes since midnight.
  private static let work = 9 * 60..<17 * 60
  private static let day = 24 * 60
  /// The most cells of a title.
  private static let mostTitle = 28

  /// The places, and by how many minutes their clocks are ahead of the first one's.
  private let places: [(title: String, ahead: Int)]

  /// Takes places with a known time; `nil` if there are fewer than two or all have the same.
  init?(_ rows: [CityTime.Row]) {
    let known = rows.filter { $0.local != nil }
    places = known.map { ($0.city?.title ?? $0.zone ?? "", ($0.ahead(of: known[0]) ?? 0) / 60) }
    guard places.contains(where: { $0.ahead != 0 }) else { return nil }
  }

  /// The rows, none wider than `width`, and a sentence; the sentence alone without room.
  func lines(width: Int, isUnicode: Bool) -> [String] {
    let titles = places.map { String(visible($0.title).prefix(Self.mostTitle)) } + ["in common"]
    let left = 2 + (titles.map(cellWidth).max() ?? 0)
    // Two cells per hour, or one on narrow terminals.
    guard let perHour = [2, 1].first(where: { left + 24 * $0 <= width }) else { return [sentence] }
    let rows = places.map { place in cells(perHour) { isWork($0, place.ahead) } } + [cells(perHour, areAllAtWork)]
    let hours = stride(from: 0, to: 24, by: 3).map { padded(zeroPadded(String($0), 2), to: 3 * perHour) }.joined()
    let lines = zip(titles, rows).map { title, row in
      padded(title, to: left) + row.map { $0 ? (isUnicode ? "█" : "#") : isUnicode ? "·" : "." }.joined()
    }
    // Without the spaces at the end.
    return [padded("", to: left) + hours.dropLast(3 * perHour - 2)] + lines + [sentence]
  }

  /// `9:00 to 17:00 in all: 10:00 to 12:00 in Tallinn, EE`.
  private var sentence: String {
    let common = cells(60, areAllAtWork)
    var parts: [String] = []
    for minute in common.indices where common[minute] && (minute == 0 || !common[minute - 1]) {
      let end = common[minute...].firstIndex(of: false) ?? Self.day
      parts.append("\(WeekText.clock(minute)) to \(WeekText.clock(end))")
    }
    guard !parts.isEmpty else { return "9:00 to 17:00 has no hour in common" }
    return "9:00 to 17:00 in all: \(parts.joined(separator: " and ")) in \(visible(places[0].title))"
  }

  private func cells(_ perHour: Int, _ isMarked: (Int) -> Bool) -> [Bool] {
    (0..<24 * perHour).map { isMarked($0 * 60 / perHour) }
  }

  private func areAllAtWork(_ minute: Int) -> Bool { places.allSatisfy { isWork(minute, $0.ahead) } }

  private func isWork(_ minute: Int, _ ahead: Int) -> Bool {
    Self.work.contains(((minute + ahead) % Self.day + Self.day) % Self.day)
  }

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - cellWidth(text)))
  }
}

extension CityTime.Row {
  /// The seconds by which the local time is ahead of another's; `nil` if one is unknown.
  func ahead(of other: CityTime.Row) -> Int? {
    let times = [local, other.local].compactMap { $0.flatMap { try? RFC3339.parse($0 + "Z") } }
    return times.count == 2 ? Int(times[0] - times[1]) : nil
  }

  /// `+7 h`, `-3:30 h` or `0 h`, as compared with another place.
  func difference(from other: CityTime.Row) -> String? {
    ahead(of: other).map { seconds in
      let minutes = abs(seconds) / 60
      let rest = minutes % 60 == 0 ? "" : ":\(zeroPadded(String(minutes % 60), 2))"
      return "\(seconds < 0 ? "-" : seconds > 0 ? "+" : "")\(minutes / 60)\(rest) h"
    }
  }
}
