package import Base

/// The moment that a question is about is one for all zones, or what the clocks of each zone show.
extension AskedMoment {
  /// The local time of a zone then, in seconds from 1970-01-01 00:00.
  ///
  /// - Complexity: O(log n) in the transitions of the zone.
  package func localSeconds(in zone: ZoneRules) -> Int64 {
    switch self {
    case .instant(let moment): zone.localSeconds(at: moment)
    case .date(let date): date.daysSince1970 * secondsPerDay + secondsPerDay / 2
    case .time(let second, let now):
      zone.localSeconds(at: now).flooredDivision(by: secondsPerDay).quotient * secondsPerDay + second
    }
  }

  /// The moment in seconds since 1970-01-01T00:00:00Z, with a day and a time of day on the clocks of `zone`.
  ///
  /// - Complexity: as ``ZoneRules/moment(localSeconds:)``.
  package func moment(in zone: ZoneRules) -> Int64 {
    if case .instant(let moment) = self { return moment }
    return zone.moment(localSeconds: localSeconds(in: zone))
  }
}

private let secondsPerDay: Int64 = 86_400
