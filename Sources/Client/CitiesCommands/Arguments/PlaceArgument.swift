import Base
internal import CBOR
internal import CitiesProtocol

/// Parses a place: `LAT,LON`, degrees with compass letters, a `geo:` URI (RFC 5870), or the id or a name of a city.
///
/// The order is latitude, longitude; with compass letters, either.
enum PlaceArgument {
  /// The place in `word`.
  ///
  /// - Throws: `ValidationError` for an invalid position, or an empty word.
  static func parse(_ word: String) throws -> Place {
    guard !word.isEmpty else {
      throw ValidationError("a place is missing or empty: it is LAT,LON, a geo: URI, or the id or name of a city")
    }
    if let position = try position(word) { return Place(at: position) }
    if let id = cityID(word) { return Place(id: id) }
    return Place(query: word)
  }

  /// The position in two words, such as `59.437 24.7536`; `nil` for other words, and for two integers, which may be
  /// ids.
  ///
  /// - Throws: `ValidationError` for degrees out of range.
  static func position(_ words: [String]) throws -> Position? {
    // Decimal commas: the number after one is out of range.
    if words.count == 2, words.allSatisfy({ $0.contains(",") }) { for word in words { _ = try position(word) } }
    guard words.count == 2, words.contains(where: { $0.contains(".") }), let lat = degrees(words[0][...]),
      let lon = degrees(words[1][...])
    else { return nil }
    return try checked(lat, lon)
  }

  /// The id in `word`; `nil` unless it consists of digits.
  static func cityID(_ word: String) -> UInt64? {
    word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(word) : nil
  }

  /// The position in `word`; `nil` if it does not look like one.
  static func position(_ word: String) throws -> Position? {
    if word.utf8.count >= 4, word.prefix(4).lowercased() == "geo:" { return try geo(word.dropFirst(4), in: word) }
    if let position = try compass(word) { return position }
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let lat = degrees(parts[0]), let lon = degrees(parts[1]) else {
      guard parts.count > 1, isMeantAsPosition(word, parts) else { return nil }
      throw ValidationError("not a position: '\(word)'; write LAT,LON in degrees, such as -33.9,18.4")
    }
    return try checked(lat, lon)
  }

  /// Whether a word with a comma cannot be a title: it starts with a sign, or consists of numbers of any kind, such as
  /// `1,`, `1,2,3`, `1e3,2` and `nan,nan`.
  private static func isMeantAsPosition(_ word: String, _ parts: [Substring]) -> Bool {
    if word.hasPrefix("-"), degrees(parts[0]) != nil { return true }
    return parts.map { part in part.drop { $0 == " " } }.allSatisfy { $0.isEmpty || Double($0) != nil }
  }

  /// Parses `geo:LAT,LON[,ALT][;PARAMETERS]`; the only reference system is WGS 84, the default (RFC 5870 §3.4.2).
  private static func geo(_ rest: Substring, in word: String) throws -> Position {
    let parts = rest.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = (parts.first ?? "").split(separator: ",", omittingEmptySubsequences: false).map(degrees)
    guard (2...3).contains(numbers.count), !numbers.contains(nil), let lat = numbers[0], let lon = numbers[1] else {
      throw ValidationError("not a geo: URI; write geo:LAT,LON, such as geo:59.437,24.7536")
    }
    let system = parts.dropFirst().first { $0.lowercased().hasPrefix("crs=") }
    guard system == nil || system?.lowercased() == "crs=wgs84" else {
      throw ValidationError("a geo: URI must use the reference system wgs84")
    }
    return try checked(lat, lon)
  }

  /// Parses `43.74° N 7.42° E` as on maps, also with minutes and seconds, such as `59°26′13″N, 24°45′E`.
  ///
  /// A comma stands between both, never in a number.
  private static func compass(_ word: String) throws -> Position? {
    guard let last = word.utf8.last(where: { $0 != 0x20 }), "NSEWnsew".utf8.contains(last) else { return nil }
    let separated = word.uppercased().map { character in
      ",NSEW".contains(character)
        ? " \(character) " : character.isWhitespace || "°º'′’´\"″”".contains(character) ? " " : String(character)
    }
    var (angles, parts): ([Bool: Double], [Double]) = ([:], [])
    for token in separated.joined().split(separator: " ") where token != "," || !parts.isEmpty {
      if let part = degrees(token), part >= 0 {
        parts.append(part)
        continue
      }
      let angle = parts.reversed().reduce(0) { $1 + $0 / 60 }
      guard ["N", "S", "E", "W"].contains(token), (1...3).contains(parts.count),
        parts.dropFirst().allSatisfy({ $0 < 60 }), parts.dropLast().allSatisfy({ $0 == $0.rounded() }),
        angles.updateValue("SW".contains(token) ? 0 - angle : angle, forKey: "NS".contains(token)) == nil
      else { return nil }
      parts = []
    }
    guard parts.isEmpty, let lat = angles[true], let lon = angles[false] else { return nil }
    return try checked(lat, lon)
  }

  private static func checked(_ lat: Double, _ lon: Double) throws -> Position {
    guard (-90...90).contains(lat) else {
      throw ValidationError(
        "the latitude must be from -90 to 90, not \(decimalText(lat)); the order is LAT,LON, with decimal points")
    }
    guard (-180...180).contains(lon) else {
      throw ValidationError(
        "the longitude must be from -180 to 180, not \(decimalText(lon)); the order is LAT,LON, with decimal points")
    }
    return Position(lat: lat, lon: lon)
  }

  /// Parses a plain decimal, which may have spaces around it: no exponent, no hexadecimal, no `nan`.
  private static func degrees(_ text: Substring) -> Double? {
    let digits = text.drop { $0 == " " }
    let number = digits.prefix { "+-.0123456789".contains($0) }
    guard digits[number.endIndex...].allSatisfy({ $0 == " " }) else { return nil }
    return Double(number)
  }
}
