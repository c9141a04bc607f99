internal import CitiesProtocol
internal import Glibc

/// What local times do not say by themselves.
enum ClockNote {
  /// The distance in metres from which the zone of a city may not be that of a position.
  private static let farMetres = 100_000.0
  private static let earthRadius = 6_371_008.8

  /// How far the city of a position is, if it is far away.
  static func far(_ place: Place, _ row: CityTime.Row) -> String? {
    guard let position = place.at, let city = row.city else { return nil }
    let metres = metres(position, Position(lat: city.lat, lon: city.lon))
    guard metres > farMetres else { return nil }
    let away = ValueForm.distance(UInt64(metres.rounded()))
    return "the nearest city is \(city.title), \(away) away; the zone of the place itself may differ"
  }

  /// By the haversine formula.
  private static func metres(_ one: Position, _ other: Position) -> Double {
    let degree = Double.pi / 180
    let (up, east) = (sin((other.lat - one.lat) * degree / 2), sin((other.lon - one.lon) * degree / 2))
    let half = up * up + cos(one.lat * degree) * cos(other.lat * degree) * east * east
    return 2 * earthRadius * asin(min(half.squareRoot(), 1))
  }

  /// That clocks skip or repeat the asked time; `nil` for other times, and for those that name their offset.
  ///
  /// The server shows a skipped time by the offset before the change, and the first of a repeated one. `change` returns
  /// the next change as of some seconds before the shown time.
  static func changed(
    _ asked: SpokenMoment, _ row: CityTime.Row, changeBefore change: (Int64) -> CityTime.Change?
  ) -> String? {
    guard let shown = seconds(row.local), let wanted = asked.localSeconds(on: shown) else { return nil }
    let (day, time) = (dayText(wanted), timeText(wanted))
    if wanted == shown {
      guard let after = seconds(row.change?.local), after <= shown else { return nil }
      return "\(time) happens twice there on \(day): the first is shown"
    }
    let skipped = shown - wanted
    guard let after = seconds(change(skipped)?.local) else { return "\(time) does not exist there on \(day)" }
    let isOneDay = dayText(after - skipped).utf8.elementsEqual(dayText(after).utf8)
    let ends = [after - skipped, after].map { isOneDay ? timeText($0) : "\(dayText($0)) \(timeText($0))" }
    return "\(time) does not exist there on \(day): clocks go from \(ends[0]) to \(ends[1])"
  }

  private static func seconds(_ local: String?) -> Int64? { local.flatMap { try? RFC3339.parse($0 + "Z") } }

  private static func dayText(_ seconds: Int64) -> Substring { RFC3339.localText(seconds).prefix(10) }

  /// `02:30`, with seconds if there are any.
  private static func timeText(_ seconds: Int64) -> Substring {
    RFC3339.localText(seconds).dropFirst(11).prefix(seconds % 60 == 0 ? 5 : 8)
  }
}

extension SpokenMoment {
  /// The asked local time, in seconds since 1970-01-01 00:00, if the server shows `shown` for it; `nil` if it is an
  /// instant.
  fileprivate func localSeconds(on shown: Int64) -> Int64? {
    let text: String
    switch self {
    case .now: return nil
    case .text(let asked), .day(_, let asked): text = asked
    }
    switch try? AskedMoment(text) {
    case .local(let seconds): return seconds
    case .date(let date): return date.daysSince1970 * 86_400 + 43_200
    case .time(let second, _):
      let day = (shown - second).flooredDivision(by: 86_400).quotient
      return day * 86_400 + second
    case .instant, nil: return nil
    }
  }
}
