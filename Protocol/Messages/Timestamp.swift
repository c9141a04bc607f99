import CBOR

/// A moment as RFC 3339 text in UTC with whole seconds (`2026-03-01T12:00:00Z`), tag 0 on the wire.
public struct Timestamp: Codable, Hashable, Sendable {
  /// The text.
  public var text: String

  /// Takes RFC 3339 text as it is.
  public init(text: String) { self.text = text }

  /// The moment `seconds` after 1970-01-01T00:00:00Z, in the proleptic Gregorian calendar without leap seconds.
  ///
  /// The date follows from the day number in closed form ("chrono-Compatible Low-Level Date Algorithms", H. Hinnant).
  public init(secondsSince1970 seconds: Int64) {
    let (day, second) = seconds.flooredDivision(by: 86_400)
    let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = [padded(year, 4), padded(month, 2), padded(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, 2)]
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
    text = "\(date.joined(separator: "-"))T\(time.joined(separator: ":"))Z"
  }

  /// Reads tag 0.
  ///
  /// - Throws: if the tag is another, or its content no RFC 3339 text.
  public init(from decoder: any Decoder) throws {
    let tagged = try CBORTagged<String>(from: decoder)
    text = tagged.content
    guard tagged.tag == 0, secondsSince1970 != nil else {
      let problem = "expected tag 0 with RFC 3339 text, found tag \(tagged.tag) with \"\(text.prefix(40))\""
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
    }
  }

  /// Writes tag 0.
  public func encode(to encoder: any Encoder) throws {
    try CBORTagged(tag: 0, content: text).encode(to: encoder)
  }
}

private func padded(_ value: Int64, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
