/// The past and future UTC offsets of a time zone, from a file below `/usr/share/zoneinfo`.
///
/// A pure value: the caller reads the file.
///
///     let tallinn = try ZoneRules(tzif: bytes)
///     tallinn.offset(at: 1_774_746_000).seconds   // 10800: summer time has begun
package struct ZoneRules: Equatable, Sendable {
  /// Moments are clamped to this: 142 million years are enough, and nothing overflows.
  private static let bound: Int64 = 1 << 52

  /// The moments at which local time changes, ascending.
  let transitions: [Int64]
  /// For each transition, the index of the offset that follows it.
  let indices: [UInt8]
  /// The offsets; the first applies before all transitions.
  let offsets: [ZoneOffset]
  /// The rule after the last transition; without one, the last offset stays.
  let rule: PosixZone?

  /// The rules of a fixed offset, such as `+05:30`; `nil` for any other text.
  package init?(offset text: String) {
    guard text.utf8.count == 6, let sign = text.unicodeScalars.first, sign == "+" || sign == "-",
      let rule = try? PosixZone("<\(text.filter { !$0.is(":") })>\(sign == "+" ? "-" : "+")\(text.dropFirst())")
    else { return nil }
    (transitions, indices, offsets, self.rule) = ([], [], [rule.standard], rule)
  }

  /// Whether both follow the same rule after their last transitions.
  package func agrees(with other: ZoneRules) -> Bool { rule != nil && rule == other.rule }

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

  /// Whether a text is a well-formed zone name: `Europe/Vilnius`, `Etc/GMT+12`.
  ///
  /// It has 1 to 64 bytes: letters, digits, `_`, `+`, `-`, in non-empty parts separated by `/`. So as a path it cannot
  /// leave the folder of zones.
  package static func isName(_ text: String) -> Bool {
    // One pass, without arrays of parts: an import asks for each city.
    var isPartEmpty = true
    for byte in text.utf8 {
      let isSeparator = byte == UInt8(ascii: "/")
      guard isSeparator ? !isPartEmpty : isLetter(byte) || isDigit(byte) || "_+-".utf8.contains(byte) else {
        return false
      }
      isPartEmpty = isSeparator
    }
    return !isPartEmpty && text.utf8.count <= 64
  }

  /// The moment, clamped so that arithmetic on dates cannot overflow.
  func bounded(_ moment: Int64) -> Int64 { min(max(moment, -Self.bound), Self.bound) }
}

/// An offset of local time from UTC.
package struct ZoneOffset: Equatable, Sendable {
  /// Seconds east of UTC.
  package var seconds: Int32
  /// Whether it is daylight-saving time.
  package var isDaylight: Bool
  /// Its abbreviation, such as `EEST`.
  package var abbreviation: String

  /// Makes an offset.
  package init(seconds: Int32, isDaylight: Bool, abbreviation: String) {
    (self.seconds, self.isDaylight, self.abbreviation) = (seconds, isDaylight, abbreviation)
  }
}
