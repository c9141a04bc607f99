import Base

/// The past and future offsets of a time zone from UTC, from a file below `/usr/share/zoneinfo`.
///
/// A pure value: the reader of the file passes its bytes.
///
///     let tallinn = try ZoneRules(tzif: bytes)
///     tallinn.offset(at: 1_774_746_000).seconds   // 10800: summer time has begun
package struct ZoneRules: Equatable, Sendable {
  /// Moments beyond this are answered as this one: 142 million years are enough, and nothing overflows.
  private static let bound: Int64 = 1 << 52

  /// The moments at which local time changes, ascending.
  let transitions: [Int64]
  /// For each transition, the index of the offset that begins with it.
  let indices: [UInt8]
  /// The offsets; the first is that of the time before all transitions.
  let offsets: [ZoneOffset]
  /// The rule for the time after the last transition; without one its offset stays.
  let rule: PosixZone?

  /// The rules of an offset that never changes, written as `+05:30`; `nil` for any other text.
  package init?(offset text: String) {
    guard text.utf8.count == 6, let sign = text.first, sign == "+" || sign == "-",
      let rule = try? PosixZone("<\(text.filter { $0 != ":" })>\(sign == "+" ? "-" : "+")\(text.dropFirst())")
    else { return nil }
    (transitions, indices, offsets, self.rule) = ([], [], [rule.standard], rule)
  }

  /// The offset at a moment, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// A zone without transitions follows its rule at all times (RFC 9636, section 3.2).
  ///
  /// - Complexity: O(log n) in the transitions.
  package func offset(at moment: Int64) -> ZoneOffset {
    let moment = bounded(moment)
    let next = transitions.partitionPoint { $0 <= moment }
    if next == transitions.count, let rule { return rule.offset(at: moment) }
    return next == 0 ? offsets[0] : offsets[Int(indices[next - 1])]
  }

  /// Whether a text can name a zone: `Europe/Vilnius`, `Etc/GMT+12`.
  ///
  /// It has one to 64 bytes of letters, digits, `_`, `+`, `-`, in parts divided by `/`, none of them empty; so it leads
  /// nowhere but below the folder of zones.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.allSatisfy { isLetter($0) || isDigit($0) || "_+-".utf8.contains($0) }
      }
  }

  /// The moment, kept to where no arithmetic on dates can overflow.
  func bounded(_ moment: Int64) -> Int64 { min(max(moment, -Self.bound), Self.bound) }
}

/// One way in which local time differs from UTC.
package struct ZoneOffset: Equatable, Sendable {
  /// Seconds east of UTC.
  package var seconds: Int32
  /// Whether it is daylight-saving time.
  package var isDaylight: Bool
  /// Its abbreviation, as `EEST`.
  package var abbreviation: String

  /// Makes an offset.
  package init(seconds: Int32, isDaylight: Bool, abbreviation: String) {
    (self.seconds, self.isDaylight, self.abbreviation) = (seconds, isDaylight, abbreviation)
  }
}
