internal import CitiesProtocol

/// A plus code (Open Location Code), such as `9F4MG972+R2`: the centre of the cell that it names.
enum PlusCode {
  private static let digits = Array("23456789CFGHJMPQRVWX".utf8)

  /// The position in `text`, of which the first word may be a plus code; `nil` for any other text.
  ///
  /// - Throws: `ValidationError` for a short code, which is relative to a city, and for one beyond the poles.
  static func position(_ text: String) throws -> Position? {
    let word = Array((text.split { " ,".contains($0) }.first ?? "").uppercased().utf8)
    guard let mark = word.firstIndex(of: UInt8(ascii: "+")), [4, 6, 8].contains(mark) else { return nil }
    let area = Array(word[..<mark].reversed().drop { $0 == UInt8(ascii: "0") }.reversed())
    let code = (area + word[(mark + 1)...]).compactMap(digits.firstIndex)
    let isPadded = area.count < mark
    guard code.count == area.count + word.count - mark - 1, area.count % 2 == 0, code.count >= 2,
      isPadded ? mark == 8 && code.count == area.count : word.count - mark != 2 && word.count - mark <= 8
    else { return nil }
    guard mark == 8 else {
      throw ValidationError(
        "'\(text)' is a short plus code, which needs its city; write the full one, such as 9F4MG972+R2")
    }
    guard code[0] < 9, code[1] < 18 else {
      throw ValidationError("not a plus code: '\(text)'; one looks like 9F4MG972+R2")
    }
    // In the smallest units of a code: pairs divide a cell by 20 and 20, each later digit by 5 and 4.
    var (lat, lon, height, width) = (0, 0, 20 * 8_000 * 3_125, 20 * 8_000 * 1_024)
    for (index, digit) in code.enumerated() {
      let isPair = index < 10
      if isPair ? index > 1 && index % 2 == 0 : true {
        height /= isPair ? 20 : 5
        width /= isPair ? 20 : 4
      }
      if !isPair || index % 2 == 0 { lat += (isPair ? digit : digit / 4) * height }
      if !isPair || index % 2 == 1 { lon += (isPair ? digit : digit % 4) * width }
    }
    return Position(
      lat: Double(2 * lat + height) / (2 * 8_000 * 3_125) - 90,
      lon: Double(2 * lon + width) / (2 * 8_000 * 1_024) - 180)
  }
}

/// A geohash with its prefix, such as `geohash:u33d`: the centre of the cell that it names.
enum Geohash {
  private static let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

  /// The position in `text`; `nil` without the prefix, as the code alone may be a name.
  ///
  /// - Throws: `ValidationError` for an invalid code.
  static func position(_ text: String) throws -> Position? {
    let text = text.lowercased()
    guard text.hasPrefix("geohash:") else { return nil }
    let code = text.utf8.dropFirst(8).map(digits.firstIndex)
    guard (1...12).contains(code.count), !code.contains(nil) else {
      throw ValidationError("not a geohash: '\(text)'; one looks like geohash:u33dc1")
    }
    // The bits halve the longitudes and the latitudes in turn.
    var ranges = [(start: -180.0, size: 360.0), (start: -90.0, size: 180.0)]
    for bit in 0..<code.count * 5 {
      ranges[bit % 2].size /= 2
      if let digit = code[bit / 5], digit >> (4 - bit % 5) & 1 == 1 { ranges[bit % 2].start += ranges[bit % 2].size }
    }
    return Position(lat: ranges[1].start + ranges[1].size / 2, lon: ranges[0].start + ranges[0].size / 2)
  }
}

/// The references of military and survey maps.
enum GridReference {
  /// The name of the grid if `text` has the shape of a reference in it, such as `33UUU9070026000` (MGRS) or
  /// `33U 390700 5820000` (UTM).
  static func name(of text: String) -> String? {
    let words = text.uppercased().utf8.split(separator: UInt8(ascii: " "))
    let code = Array(words.joined())
    let zone = code.prefix { $0 &- 0x30 < 10 }
    let letters = code[zone.endIndex...].prefix { (0x41...0x5A).contains($0) }
    let digits = code[letters.endIndex...]
    guard let number = Int(String(decoding: zone, as: UTF8.self)), (1...60).contains(number),
      let band = letters.first, (UInt8(ascii: "C")...UInt8(ascii: "X")).contains(band)
    else { return nil }
    let isWhole = digits.allSatisfy { $0 &- 0x30 < 10 }
    if letters.count == 3, isWhole, [2, 4, 6, 8, 10].contains(digits.count) { return "MGRS" }
    // The easting has six digits and the northing up to seven, perhaps with a fraction and a letter.
    let lengths = words.suffix(2).map { $0.prefix { $0 &- 0x30 < 10 }.count }
    return letters.count == 1 && words.count > 2 && lengths[0] >= 6 && lengths[1] >= 5 ? "UTM" : nil
  }
}
