/// A moment at which the clocks of a zone are put forward or back.
package struct ZoneChange: Equatable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  package let moment: Int64
  /// The offset until then.
  package let before: ZoneOffset
  /// The offset from then on.
  package let after: ZoneOffset
}

extension ZoneRules {
  /// The local time at a moment, in seconds from 1970-01-01 00:00.
  ///
  /// - Complexity: O(log n) in the transitions.
  package func localSeconds(at moment: Int64) -> Int64 { bounded(moment) + Int64(offset(at: moment).seconds) }

  /// The first clock change after `moment`; `nil` if there is none.
  ///
  /// A transition that changes only the abbreviation does not count.
  ///
  /// - Complexity: O(log n) in the transitions, times those skipped.
  package func nextChange(after moment: Int64) -> ZoneChange? {
    let moment = bounded(moment)
    for next in transitions.partitionPoint(where: { $0 <= moment })..<transitions.count {
      // Beyond the supported range.
      guard transitions[next] == bounded(transitions[next]) else { return nil }
      if let change = change(at: transitions[next]) { return change }
    }
    let last = max(moment, transitions.last ?? moment)
    return rule?.changes(around: last).lazy.map(\.moment).filter { $0 > last }.compactMap(change).first
  }

  /// The change at `moment`, if the offsets before and after it differ.
  private func change(at moment: Int64) -> ZoneChange? {
    let (before, after) = (offset(at: moment - 1), offset(at: moment))
    return before.seconds == after.seconds ? nil : ZoneChange(moment: moment, before: before, after: after)
  }

  /// The moment of a local time (`seconds` from 1970-01-01 00:00), in seconds since 1970-01-01T00:00:00Z.
  ///
  /// A skipped local time uses the offset before the change; of a repeated one, the first is meant (as in iCalendar,
  /// RFC 5545, section 3.3.5).
  ///
  /// - Complexity: O(log n) in the transitions, times the changes within two days.
  package func moment(localSeconds seconds: Int64) -> Int64 {
    let seconds = bounded(seconds)
    var start = seconds - Int64(Self.offsetRange.upperBound) - 1
    var offset = offset(at: start)
    while let change = nextChange(after: start),
      seconds >= change.moment + Int64(max(change.before.seconds, change.after.seconds))
    {
      (start, offset) = (change.moment, change.after)
    }
    return seconds - Int64(offset.seconds)
  }
}

extension ZoneOffset {
  /// The offset in ISO 8601, with seconds only if not 0: `+02:00`, `-00:44:30`.
  package var text: String {
    let magnitude = seconds.magnitude
    let parts = [magnitude / 3_600, magnitude / 60 % 60] + (magnitude % 60 == 0 ? [] : [magnitude % 60])
    let digits = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }
    return (seconds < 0 ? "-" : "+") + digits.joined(separator: ":")
  }
}
