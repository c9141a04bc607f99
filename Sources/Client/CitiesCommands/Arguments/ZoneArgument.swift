internal import CitiesProtocol

/// Parses a time zone: `UTC`, a fixed offset such as `+05:30` or `UTC-3`, or a name in the IANA database.
enum ZoneArgument {
  /// The length in bytes of the longest name in the database, `America/Argentina/ComodRivadavia`.
  private static let longestName = 32

  /// The zone in `word`, in the protocol's form; `nil` if it does not look like one.
  static func zone(_ word: String) -> String? {
    let upper = word.uppercased()
    let names = ["UTC", "GMT", "Z"]
    if names.contains(upper) { return "UTC" }
    let name = names.first { upper.hasPrefix($0) } ?? ""
    if let offset = offset(upper.dropFirst(name.count)) { return offset }
    guard word.contains("/") else { return nil }
    let area = word.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    if areas.contains(area) { return word }
    // Texts of any length are compared only as bytes.
    guard word.utf8.count <= longestName else { return nil }
    let written = canonical(word)
    return areas.contains(where: { written.hasPrefix("\($0.text)/") }) ? written : nil
  }

  /// A name in small letters or capitals with the case of the IANA database: `America/Port_of_Spain`.
  private static func canonical(_ word: String) -> String {
    var name = ""
    var part = ""
    for letter in word.lowercased() + "/" {
      if letter.isLetter {
        part.append(letter)
      } else {
        let isSmall = ["of", "es", "au"].contains(part)
        name += irregular[part] ?? (isSmall ? part : part.prefix(1).uppercased() + part.dropFirst())
        name.append(letter)
        part = ""
      }
    }
    return String(name.dropLast())
  }

  private static let irregular: [TextKey: String] = [
    "gmt": "GMT", "utc": "UTC", "mcmurdo": "McMurdo", "dumontdurville": "DumontDUrville",
    "comodrivadavia": "ComodRivadavia", "nsw": "NSW", "act": "ACT", "lhi": "LHI",
  ]

  /// `+05:30` for `+5:30`, `+0530` and `+05:30`; `nil` for anything but a sign, hours and optional minutes.
  private static func offset(_ text: Substring) -> String? {
    guard let sign = text.unicodeScalars.first.map({ $0 == "\u{2212}" ? "-" : $0 }), sign == "+" || sign == "-" else {
      return nil
    }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    let isJoined = parts.count == 1 && parts[0].utf8.count == 4
    let digits = isJoined ? [parts[0].prefix(2), parts[0].suffix(2)] : parts
    guard digits.count <= 2, digits.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }),
      let hours = UInt8(digits[0]), let minutes = digits.count == 2 ? UInt8(digits[1]) : 0, hours < 24, minutes < 60
    else { return nil }
    // RFC 3339 has -00:00 for an unknown offset.
    return "\(hours == 0 && minutes == 0 ? "+" : sign)\(twoDigits(hours)):\(twoDigits(minutes))"
  }

  private static func twoDigits(_ number: UInt8) -> String { (number < 10 ? "0" : "") + "\(number)" }

  /// The first parts of names in the IANA database.
  private static let areas: Set<TextKey> = [
    "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Etc", "Europe", "Indian", "Pacific",
  ]

  /// The line about a well-known abbreviation; `nil` for any other word.
  static func meanings(_ word: String) -> String? {
    abbreviations[word.uppercased()].map { "as a time zone, \"\(word)\" may be \($0)" }
  }

  /// The meanings of abbreviations: for each, its offsets and a zone that uses it, which may change to summer time.
  private static let abbreviations: [TextKey: String] = [
    "BST": "UTC+1 (Europe/London) or UTC+6 (Asia/Dhaka)", "CAT": "UTC+2 (Africa/Maputo)",
    "CDT": "UTC-5 (America/Chicago) or UTC-4 (America/Havana)", "CEST": "UTC+2 (Europe/Berlin)",
    "CET": "UTC+1 (Europe/Berlin)", "CST": "UTC-6 (America/Chicago), UTC+8 (Asia/Shanghai) or UTC-5 (America/Havana)",
    "EAT": "UTC+3 (Africa/Nairobi)", "EDT": "UTC-4 (America/New_York)", "EEST": "UTC+3 (Europe/Tallinn)",
    "EET": "UTC+2 (Europe/Tallinn)", "EST": "UTC-5 (America/New_York)", "HST": "UTC-10 (Pacific/Honolulu)",
    "IST": "UTC+5:30 (Asia/Kolkata), UTC+1 (Europe/Dublin) or UTC+2 (Asia/Jerusalem)", "JST": "UTC+9 (Asia/Tokyo)",
    "KST": "UTC+9 (Asia/Seoul)", "MDT": "UTC-6 (America/Denver)", "MSK": "UTC+3 (Europe/Moscow)",
    "MST": "UTC-7 (America/Denver)", "PDT": "UTC-7 (America/Los_Angeles)", "PKT": "UTC+5 (Asia/Karachi)",
    "PST": "UTC-8 (America/Los_Angeles)", "SGT": "UTC+8 (Asia/Singapore)", "WAT": "UTC+1 (Africa/Lagos)",
    "WET": "UTC+0 (Europe/Lisbon)", "WIB": "UTC+7 (Asia/Jakarta)",
  ]

  /// The failure for `word`, which is the code of `city`.
  static func ambiguous(_ word: String, of city: CityRow) -> CommandFailure {
    let message = "\"\(word)\" is a code; name a city, or a time zone such as Europe/Tallinn or UTC+2"
    var failure = CommandFailure(.ambiguous, code: "ambiguous", message)
    failure.hint = "cities with this code:"
    (failure.query, failure.candidates) = (word, [city])
    failure.advice = meanings(word).map { [$0] } ?? []
    return failure
  }
}
