package import CitiesProtocol

/// A position in the notations that people copy: `LAT,LON`, angles with compass letters or labels, ISO 6709, a `geo:`
/// URI (RFC 5870), a WKT or GeoJSON point, a link of a map, a plus code, a geohash, MGRS or UTM.
///
/// A text that may be meant in two ways is refused, never guessed.
package enum PositionText {
  /// The position in `text`; `nil` if it does not look like one.
  ///
  /// - Throws: `ValidationError`, which names the form that the text looks like, and what to write.
  static func position(_ text: String) throws -> Position? {
    let plain = plain(text)
    if plain.utf8.count >= 4, plain.prefix(4).lowercased() == "geo:" { return try geo(plain) }
    if MapLink.isLink(plain) { return try MapLink.position(plain) }
    let parts = plain.split(separator: ",", omittingEmptySubsequences: false)
    if parts.count == 2, let lat = degrees(parts[0]), let lon = degrees(parts[1]) { return try checked(lat, lon) }
    // Names rarely have one of these, and every other notation has.
    let isNotation = plain.utf8.contains { $0 &- 0x30 < 10 || "+:".utf8.contains($0) }
    if isNotation, let position = try notation(plain) { return position }
    guard parts.count > 1, isMeantAsPosition(plain, parts) else { return nil }
    throw ValidationError("not a position: '\(text)'; write LAT,LON in degrees, such as -33.9,18.4")
  }

  /// The position in a text that is being typed, which may as well be a name; `nil` for any other text.
  package static func typed(_ text: String) -> Position? { (try? position(text)) ?? nil }

  /// The single coordinate in `text`, in degrees; `nil` for any other text, and with a letter of the other axis.
  package static func coordinate(_ text: String, isLatitude: Bool) -> Double? {
    (try? degrees(text, isLatitude: isLatitude)) ?? nil
  }

  private static func degrees(_ text: String, isLatitude: Bool) throws -> Double? {
    guard let angles = try AngleText.angles(plain(text)), angles.count == 1 else { return nil }
    return angles[0].isLatitude ?? isLatitude == isLatitude ? angles[0].degrees : nil
  }

  /// The position given by two numbers or two angles, with or without brackets; `nil` for any other text.
  static func pair(_ text: String) throws -> Position? {
    var text = text[...].trimmed
    if let position = try labelled(text) { return position }
    if text.isEnclosed("(", ")") || text.isEnclosed("[", "]") { text = text.dropFirst().dropLast() }
    guard let angles = try AngleText.angles(String(text)), angles.count == 2 else { return nil }
    guard let isLatitude = angles[0].isLatitude else {
      // Two integers may be ids.
      guard text.utf8.contains(where: { ".,;\u{B0}'\"".utf8.contains($0) }) else { return nil }
      return try checked(angles[0].degrees, angles[1].degrees)
    }
    guard let other = angles[1].isLatitude, other != isLatitude else { return nil }
    let (lat, lon) = isLatitude ? (angles[0], angles[1]) : (angles[1], angles[0])
    return try checked(lat.degrees, lon.degrees, isOrderKnown: true)
  }

  /// The labels of coordinates, and whether they are those of latitudes: English, French, German and Spanish.
  private static let labels: [TextKey: Bool] = [
    "lat": true, "latitude": true, "latitud": true, "breite": true, "lon": false, "lng": false, "long": false,
    "longitude": false, "longitud": false, "länge": false,
  ]

  /// The position in a text that starts with a label, such as `lat: 52.5061, lon: 13.358`; `nil` for any other text.
  private static func labelled(_ text: Substring) throws -> Position? {
    var (parts, rest): ([(isLatitude: Bool, text: String)], Substring) = ([], text)
    while !rest.isEmpty {
      let word = rest.prefix { $0.isLetter }
      let isLatitude = labels[TextKey(word.lowercased())]
      if let isLatitude { parts.append((isLatitude, "")) }
      guard !parts.isEmpty, parts.count < 3 else { return nil }
      if isLatitude == nil { parts[parts.count - 1].text += word.isEmpty ? rest.prefix(1) : word }
      rest = rest.dropFirst(max(word.count, 1))
    }
    let angles = try parts.compactMap { part in
      try degrees(String(part.text.split { " :=,;&".contains($0) }.joined(separator: " ")), isLatitude: part.isLatitude)
    }
    guard angles.count == 2, parts.count == 2, parts[0].isLatitude != parts[1].isLatitude else { return nil }
    let (lat, lon) = parts[0].isLatitude ? (angles[0], angles[1]) : (angles[1], angles[0])
    return try checked(lat, lon, isOrderKnown: true)
  }

  /// A position within the range of degrees.
  ///
  /// - Throws: `ValidationError`, with advice if the order or the count of longitudes seems to be another one.
  static func checked(_ lat: Double, _ lon: Double, isOrderKnown: Bool = false) throws -> Position {
    let isLatitude = (-90...90).contains(lat)
    if isLatitude, (-180...180).contains(lon) { return Position(lat: lat, lon: lon) }
    let (name, range, number) = isLatitude ? ("longitude", 180, lon) : ("latitude", 90, lat)
    var advice = "the order is LAT,LON, with decimal points"
    if isLatitude, (180...360).contains(lon) {
      // Subtracted in whole parts of a degree, so that 200.1 gives -159.9.
      advice = "it is counted from 0 to 360: write \(text(lat, ((lon - 360) * 1e10).rounded() / 1e10))"
    } else if !isLatitude, !isOrderKnown, (-180...180).contains(lat), (-90...90).contains(lon) {
      advice = "if it is the longitude, write \(text(lon, lat))"
    }
    throw ValidationError(
      "the \(name) must be from -\(range) to \(range), not \(decimalText(number)); \(advice)")
  }

  /// `LAT,LON`.
  private static func text(_ lat: Double, _ lon: Double) -> String { "\(decimalText(lat)),\(decimalText(lon))" }

  /// Parses a plain decimal, which may have spaces around it: no exponent, no hexadecimal, no `nan`.
  static func degrees(_ text: Substring) -> Double? {
    let digits = text.drop { $0.is(" ") }
    let number = digits.prefix { "+-.0123456789".contains($0) }
    guard digits[number.endIndex...].allSatisfy({ $0.is(" ") }) else { return nil }
    return Double(number)
  }
}

// The notations.
extension PositionText {
  /// The position in a text that is not `LAT,LON`.
  private static func notation(_ text: String) throws -> Position? {
    if let position = try pair(text) ?? point(text) ?? iso(text) ?? PlusCode.position(text) ?? Geohash.position(text) {
      return position
    }
    if let position = try GridReference.position(text) { return position }
    // A comma within a number is a decimal one if the text is a position with points in their place.
    let bytes = Array(text.utf8)
    let commas = bytes.indices.filter { index in
      bytes[index] == UInt8(ascii: ",") && index > 0 && index + 1 < bytes.count && bytes[index - 1] &- 0x30 < 10
        && bytes[index + 1] &- 0x30 < 10
    }
    let pointed = commas.reduce(into: bytes) { $0[$1] = UInt8(ascii: ".") }
    guard !commas.isEmpty, let meant = try pair(String(decoding: pointed, as: UTF8.self)) else { return nil }
    throw ValidationError("'\(text)' has decimal commas; write \(self.text(meant.lat, meant.lon))")
  }

  /// Parses `geo:LAT,LON[,ALT][;PARAMETERS][?QUERY]`; the only reference system is WGS 84, the default (RFC 5870
  /// §3.4.2), and the query of Android may have the position in place of 0,0.
  private static func geo(_ text: String) throws -> Position {
    let halves = text.dropFirst(4).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = (halves.first ?? "").split(separator: ";", omittingEmptySubsequences: false)
    let numbers = (parts.first ?? "").split(separator: ",", omittingEmptySubsequences: false).map(degrees)
    guard (2...3).contains(numbers.count), !numbers.contains(nil), let lat = numbers[0], let lon = numbers[1] else {
      throw ValidationError("not a geo: URI; write geo:LAT,LON, such as geo:59.437,24.7536")
    }
    let system = parts.dropFirst().first { $0.lowercased().hasPrefix("crs=") }
    guard system.map({ $0.lowercased() == "crs=wgs84" }) ?? true else {
      throw ValidationError("a geo: URI must use the reference system wgs84")
    }
    guard lat == 0, lon == 0, halves.count > 1, halves[1].hasPrefix("q=") else { return try checked(lat, lon) }
    guard let position = try MapLink.position(in: halves[1]) else {
      throw ValidationError("the geo: URI has a name in place of a position; write LAT,LON or the name")
    }
    return position
  }

  /// Parses `POINT(LON LAT)`, also with a height and an SRID, and a point of GeoJSON (RFC 7946), also in a feature.
  private static func point(_ text: String) throws -> Position? {
    var rest = text.lowercased()[...].trimmed
    var numbers: [Substring] = []
    if rest.hasPrefix("srid=") || rest.hasPrefix("point") {
      guard rest.hasPrefix("srid=4326;") || rest.hasPrefix("point") else {
        throw ValidationError("a point must have the SRID 4326; write LAT,LON in degrees")
      }
      rest = (rest.split(separator: ";").last ?? "").trimmed.dropFirst(5).drop { " zm".contains($0) }
      guard rest.hasPrefix("(") else { return nil }
      numbers = rest.isEnclosed("(", ")") ? rest.dropFirst().dropLast().split(separator: " ") : []
    } else if rest.hasPrefix("{"), rest.utf8.firstRange(of: "coordinates".utf8) != nil {
      // The coordinates of a line or an area start with another bracket.
      let json = String(rest.filter { !$0.is(" ") })
      let start = json.utf8.firstRange(of: "\"coordinates\":[".utf8)?.upperBound ?? json.endIndex
      numbers = json[start...].prefix { !$0.is("]") }.split(separator: ",")
    } else {
      return nil
    }
    guard (2...4).contains(numbers.count), let lon = degrees(numbers[0]), let lat = degrees(numbers[1]) else {
      throw ValidationError("not a point; write LAT,LON in degrees, POINT(LON LAT) or a GeoJSON point")
    }
    return try checked(lat, lon)
  }

  /// Parses the form of ISO 6709 for machines, such as `+52.5061+013.3580/` or `+5230+01321+35CRSWGS_84/`.
  private static func iso(_ text: String) throws -> Position? {
    let halves = text[...].trimmed.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = (halves.first ?? "").prefix { "+-.0123456789".contains($0) }
    let signs = numbers.indices.filter { "+-".contains(numbers[$0]) }
    guard (2...3).contains(signs.count), signs[0] == numbers.startIndex else { return nil }
    let system = halves[0][numbers.endIndex...]
    guard system.isEmpty || system.lowercased().hasPrefix("crs") else { return nil }
    guard system.isEmpty || ["crswgs_84", "crswgs84", "crsepsg:4326"].contains(where: system.lowercased().hasPrefix)
    else { throw ValidationError("a position in ISO 6709 must use the reference system WGS 84") }
    let ends = signs.dropFirst() + [numbers.endIndex]
    let parts = zip(signs, ends).map { numbers[$0..<$1] }
    guard let lat = isoAngle(parts[0], digits: 2), let lon = isoAngle(parts[1], digits: 3) else {
      // Without them it may be a telephone number.
      guard halves.count > 1 || numbers.contains(".") else { return nil }
      throw ValidationError("not a position in ISO 6709: '\(text)'; one looks like +52.5061+013.3580/")
    }
    return try checked(lat, lon, isOrderKnown: true)
  }

  /// The angle in a sign and `digits` for the degrees, with two more for the minutes, and for the seconds.
  private static func isoAngle(_ text: Substring, digits: Int) -> Double? {
    let whole = text.dropFirst().prefix { !$0.is(".") }
    guard let number = Double(text.dropFirst()), [0, 2, 4].contains(whole.count - digits) else { return nil }
    let (size, parts) = whole.count == digits ? (1.0, 0) : whole.count == digits + 2 ? (100, 1) : (10_000, 2)
    let degrees = (number / size).rounded(.down)
    let rest = number - degrees * size
    let minutes = parts == 2 ? (rest / 100).rounded(.down) : parts == 1 ? rest : 0
    let seconds = parts == 2 ? rest - minutes * 100 : 0
    guard minutes < 60, seconds < 60 else { return nil }
    let angle = parts == 0 ? number : degrees + minutes / 60 + seconds / 3_600
    return text.hasPrefix("-") ? 0 - angle : angle
  }

  /// Whether a word with a comma cannot be a title: it starts with a sign, or consists of numbers of any kind, such as
  /// `1,`, `1,2,3`, `1e3,2` and `nan,nan`.
  private static func isMeantAsPosition(_ word: String, _ parts: [Substring]) -> Bool {
    if word.hasPrefix("-"), degrees(parts[0]) != nil { return true }
    return parts.map { part in part.drop { $0.is(" ") } }.allSatisfy { $0.isEmpty || Double($0) != nil }
  }
}

// The plain form.
extension PositionText {
  /// `text` with the digits, signs, primes and spaces of ASCII in place of their other forms; other characters stay.
  static func plain(_ text: String) -> String {
    // Every form of more than a byte starts with one from 0xC2.
    guard text.utf8.contains(where: { $0 > 0x7F || $0 < 0x20 }) else { return text }
    return text.unicodeScalars.reduce(into: "") { plain, scalar in
      if let scalar = Self.plain(scalar) { plain.unicodeScalars.append(scalar) }
    }
  }

  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let value = scalar.value
    switch value {
    // Arabic-Indic and extended Arabic-Indic digits.
    case 0x660...0x669, 0x6F0...0x6F9: return Unicode.Scalar(0x30 + UInt8(value & 0xF))
    case 0x66B: return "."
    case 0x60C, 0x3001: return ","
    // Full-width forms of ASCII.
    case 0xFF01...0xFF5E: return Unicode.Scalar(UInt8(value - 0xFEE0))
    case 0x2212, 0x2013, 0xFE63: return "-"
    case 0xBA, 0x2DA: return "°"
    case 0x2018, 0x2019, 0x2032, 0xB4, 0x2B9: return "'"
    case 0x201C, 0x201D, 0x2033, 0x2BA: return "\""
    // Marks of direction, which have no width.
    case 0x200E, 0x200F, 0xFEFF: return nil
    default: return scalar.properties.isWhitespace ? " " : scalar
    }
  }
}

extension Substring {
  fileprivate func isEnclosed(_ start: String, _ end: String) -> Bool {
    utf8.count > 1 && hasPrefix(start) && hasSuffix(end)
  }

  /// Without spaces at both ends.
  var trimmed: Substring {
    let rest = drop { $0.is(" ") }
    return rest.lastIndex { !$0.is(" ") }.map { rest[...$0] } ?? ""
  }
}
