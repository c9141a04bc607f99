/// The time of a query is an instant, or a local time in each zone.
extension AskedMoment {
  /// The local time of a zone at that moment, in seconds from 1970-01-01 00:00.
  ///
  /// - Complexity: O(log n) in the transitions of the zone.
  package func localSeconds(in zone: ZoneRules) -> Int64 {
    switch self {
    case .instant(let moment): zone.localSeconds(at: moment)
    case .local(let seconds): seconds
    case .date(let date): date.daysSince1970 * secondsPerDay + secondsPerDay / 2
    case .time(let second, let now):
      zone.localSeconds(at: now).flooredDivision(by: secondsPerDay).quotient * secondsPerDay + second
    }
  }

  /// The moment in seconds since 1970-01-01T00:00:00Z; all but an instant is local to `zone`.
  ///
  /// - Complexity: as ``ZoneRules/moment(localSeconds:)``.
  package func moment(in zone: ZoneRules) -> Int64 {
    if case .instant(let moment) = self { return moment }
    return zone.moment(localSeconds: localSeconds(in: zone))
  }
}

private let secondsPerDay: Int64 = 86_400
