package import CivilTime

/// The rules of an index's time zones, in the order of ``BankIndex/zones``: made once when the index is opened.
package struct ZoneTable: Sendable {
  private let zones: [ZoneRules?]

  /// Takes what `rules` gives for each zone's name; a zone without rules makes hours unknown, never wrong.
  package init(for index: BankIndex, rules: (String) -> ZoneRules?) { zones = index.zones.map(rules) }

  /// By zone, the minute of the week that its clocks show at a moment; `nil` for a zone without rules.
  func minutesOfWeek(at moment: Int64) -> [Int?] {
    zones.map { $0.map { WallClock(at: moment, in: $0).minuteOfWeek } }
  }
}
