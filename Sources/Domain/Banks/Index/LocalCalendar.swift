package import CivilTime

/// The rules of an index's time zones and the public holidays of its countries; built when the index is opened.
package struct LocalCalendar: Sendable {
  /// The rules, in the order of ``BankIndex/zones``.
  private let zones: [ZoneRules?]
  private let holidays: [TextKey: [Holiday]]

  /// Gets the rules of each zone from `rules`; hours in a zone without rules are unknown, never wrong.
  package init(for index: BankIndex, holidays table: HolidayTable = .shipped, rules: (String) -> ZoneRules?) {
    zones = index.zones.map(rules)
    let codes = Set(index.headings.countries.map { TextKey($0.code) })
    holidays = Dictionary(uniqueKeysWithValues: codes.map { ($0, table.holidays(of: $0.text)) })
  }

  /// The local times and the holidays at the time of a query.
  ///
  /// - Complexity: O(z + h) in the zones and holidays.
  package func moment(_ time: AskedMoment) -> LocalMoment {
    let clocks = zones.map { $0.map { LocalMoment.Clock(localSeconds: time.localSeconds(in: $0)) } }
    let days = clocks.compactMap { $0?.day }
    guard let first = days.min(), let last = days.max() else { return LocalMoment(clocks: clocks, holidays: [:]) }
    let near = holidays.mapValues { $0.filter { (first - 1...last).contains($0.day) } }
    return LocalMoment(clocks: clocks, holidays: near.filter { !$0.value.isEmpty })
  }
}

/// The local times and the holidays of an index's locations at the time of a query.
package struct LocalMoment: Sendable {
  /// A zone's local time.
  struct Clock {
    /// The day, counted from 1970-01-01.
    let day: Int64
    let minuteOfWeek: Int

    init(localSeconds seconds: Int64) {
      day = seconds.flooredDivision(by: 86_400).quotient
      minuteOfWeek = WallClock(localSeconds: seconds).minuteOfWeek
    }
  }

  /// The clocks, in the order of ``BankIndex/zones``; `nil` for a zone without rules.
  let clocks: [Clock?]
  /// The holidays around that time, by country; usually none.
  let holidays: [TextKey: [Holiday]]
}

extension BankIndex {
  /// Whether the location at `rank` is open, by its local time and its country's holidays.
  ///
  /// - Complexity: O(1); O(log r) in the regions if there is a holiday anywhere.
  package func openState(at rank: Int, _ moment: LocalMoment) -> OpenState {
    guard let clock = clock(at: rank, moment) else { return .unknown }
    return PackedHours.openState(
      hours[rank], minuteOfWeek: clock.minuteOfWeek, on: clock.day,
      isHoliday: holiday(on: clock.day, at: rank, moment) != nil,
      followsHoliday: holiday(on: clock.day - 1, at: rank, moment) != nil)
  }

  /// The public holiday at the location of `rank`, if there is one.
  ///
  /// - Complexity: as ``openState(at:_:)``.
  package func holiday(at rank: Int, _ moment: LocalMoment) -> String? {
    clock(at: rank, moment).flatMap { holiday(on: $0.day, at: rank, moment) }
  }

  private func clock(at rank: Int, _ moment: LocalMoment) -> LocalMoment.Clock? {
    let zone = zoneOfRank[rank]
    return moment.clocks.indices.contains(zone) ? moment.clocks[zone] : nil
  }

  private func holiday(on day: Int64, at rank: Int, _ moment: LocalMoment) -> String? {
    guard !moment.holidays.isEmpty, let country = headings.country(ofRank: rank) else { return nil }
    return moment.holidays[country]?.first { $0.day == day }?.name
  }
}
