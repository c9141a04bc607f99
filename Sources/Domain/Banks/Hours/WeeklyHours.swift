package import CivilTime

/// When a location is open in a week: stretches of its own local time.
///
/// A day without a stretch is closed. The opening minute is open, the closing minute closed.
package struct WeeklyHours: Hashable, Sendable, CustomStringConvertible {
  /// A stretch of open time that begins on one day and ends at most 24 hours later.
  package struct Stretch: Hashable, Sendable {
    /// The day on which it begins, 0 is Monday and 6 Sunday.
    package let weekday: Int
    /// The minute of that day at which it begins, 0 to 1,439.
    package let opens: Int
    /// The minute, counted from the same midnight, at which it ends; above 1,440 on the day after.
    package let closes: Int

    /// Makes a stretch; `nil` if it is empty, longer than 24 hours or begins on no day of the week.
    package init?(weekday: Int, opens: Int, closes: Int) {
      guard (0...6).contains(weekday), (0..<WallClock.minutesPerDay).contains(opens), closes > opens,
        closes - opens <= WallClock.minutesPerDay
      else { return nil }
      (self.weekday, self.opens, self.closes) = (weekday, opens, closes)
    }

    /// Whether a minute of the week lies within.
    func contains(minuteOfWeek: Int) -> Bool {
      let since = minuteOfWeek - (weekday * WallClock.minutesPerDay + opens)
      return (since < 0 ? since + WallClock.minutesPerWeek : since) < closes - opens
    }
  }

  /// The stretches by day and opening.
  package let stretches: [Stretch]

  /// Orders stretches, and joins those that begin on the same day and overlap or touch where that gives 24 hours at most.
  package init(_ stretches: some Sequence<Stretch>) {
    var joined: [Stretch] = []
    for stretch in stretches.sorted(by: { ($0.weekday, $0.opens, $0.closes) < ($1.weekday, $1.opens, $1.closes) }) {
      guard let last = joined.last, last.weekday == stretch.weekday, stretch.opens <= last.closes,
        let both = Stretch(weekday: last.weekday, opens: last.opens, closes: max(last.closes, stretch.closes))
      else {
        joined.append(stretch)
        continue
      }
      joined[joined.count - 1] = both
    }
    self.stretches = joined
  }

  /// Open at all times.
  package static let always = WeeklyHours(
    (0...6).compactMap { Stretch(weekday: $0, opens: 0, closes: WallClock.minutesPerDay) })

  /// Whether it is open when its clock shows `clock`.
  ///
  /// - Complexity: O(n) in the stretches.
  package func isOpen(at clock: WallClock) -> Bool {
    stretches.contains { $0.contains(minuteOfWeek: clock.minuteOfWeek) }
  }

  /// The stretches that begin on a day.
  package func stretches(on weekday: Int) -> [Stretch] { stretches.filter { $0.weekday == weekday } }

  /// All stretches, as `0 540-1080, 5 600-900`: day and minutes.
  package var description: String {
    stretches.map { "\($0.weekday) \($0.opens)-\($0.closes)" }.joined(separator: ", ")
  }
}

/// Whether a location is open: what is not known is never guessed.
package enum OpenState: String, Sendable, CaseIterable {
  /// It is open.
  case yes
  /// It is closed.
  case no
  /// Its hours, or its zone, are not known.
  case unknown

  /// The state of a location with `hours` at a moment, on the clock of its own zone.
  package init(_ hours: WeeklyHours?, at moment: Int64, in zone: ZoneRules?) {
    guard let hours, let zone else {
      self = .unknown
      return
    }
    self = hours.isOpen(at: WallClock(at: moment, in: zone)) ? .yes : .no
  }
}
