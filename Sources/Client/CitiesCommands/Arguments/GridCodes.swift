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
    let text = text.lowercased()[...].trimmed
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

/// A reference of military and survey maps, such as `33UUU8855518597` (MGRS, the centre of its square) or
/// `33U 388555 5818598` (UTM).
enum GridReference {
  /// The bands of latitude, of 8 degrees each from 80 degrees south; X has 12.
  private static let bands = Array("CDEFGHJKLMNPQRSTUVWX".utf8)
  private static let columns = Array("ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  /// The position in `text`; `nil` if it does not have the shape of a reference.
  ///
  /// - Throws: `ValidationError` for a reference to no place, and one whose letter S may mean a band or the south.
  static func position(_ text: String) throws -> Position? {
    let words = text.uppercased().utf8.split(separator: UInt8(ascii: " "))
    let code = Array(words.joined())
    let zone = code.prefix { $0 &- 0x30 < 10 }
    let letters = code[zone.endIndex...].prefix { (0x41...0x5A).contains($0) }
    let digits = code[letters.endIndex...]
    guard let number = Int(String(decoding: zone, as: UTF8.self)), (1...60).contains(number),
      let letter = letters.first, let band = bands.firstIndex(of: letter)
    else { return nil }
    let isWhole = digits.allSatisfy { $0 &- 0x30 < 10 }
    if letters.count == 3, isWhole, [2, 4, 6, 8, 10].contains(digits.count) {
      guard let position = square(number, band, Array(letters), digits) else {
        // `12 DEC 2024` is a day.
        guard words[0].count > zone.count else { return nil }
        throw ValidationError("not a place in MGRS: '\(text)'; a reference looks like 33UUU8855518597")
      }
      return position
    }
    // The easting has six digits and the northing up to seven, perhaps with a fraction and a letter.
    guard letters.count == 1, words.count == (words[0].count > zone.count ? 3 : 4) else { return nil }
    return try metric(text, zone: number, band: band, words.suffix(2))
  }

  /// What may follow an easting or a northing.
  private static let units = Set(["", "M", "E", "N", "ME", "MN", ",", "M,", "E,", "ME,"].map { Array($0.utf8) })

  /// The position given by an easting and a northing in metres; `nil` for other words.
  private static func metric(
    _ text: String, zone: Int, band: Int, _ words: some Sequence<Substring.UTF8View>
  ) throws -> Position? {
    let metres = words.compactMap { word -> Double? in
      let number = word.prefix { ".0123456789".utf8.contains($0) }
      guard units.contains(Array(word[number.endIndex...])) else { return nil }
      return Double(String(decoding: number, as: UTF8.self))
    }
    guard metres.count == 2, (100_000..<1_000_000).contains(metres[0]), (0...10_000_000).contains(metres[1]) else {
      return nil
    }
    let north = TransverseMercator.position(zone: zone, easting: metres[0], northing: metres[1])
    let south = TransverseMercator.position(zone: zone, easting: metres[0], northing: metres[1] - 10_000_000)
    let inBand = band < 10 ? south : north
    let letter = bands[band]
    // Many write N and S for the halves of the earth, which differ only for S.
    let isHalf = letter == UInt8(ascii: "S") && south.lat > -80.1 || letter == UInt8(ascii: "N") && north.lat < 84.1
    switch (holds(band, inBand), isHalf) {
    case (true, true) where letter == UInt8(ascii: "S"):
      throw ValidationError("'\(text)' may be in band S or in the south; write MGRS, or LAT,LON in degrees")
    case (true, _): return inBand
    case (false, true): return letter == UInt8(ascii: "S") ? south : north
    case (false, false):
      throw ValidationError("not a place in UTM: '\(text)'; the northing is not in the band of the letter")
    }
  }

  /// The centre of a square of MGRS; `nil` if there is no such square.
  private static func square(_ zone: Int, _ band: Int, _ letters: [UInt8], _ digits: ArraySlice<UInt8>) -> Position? {
    guard let first = columns.firstIndex(of: letters[1]), let second = columns.firstIndex(of: letters[2]) else {
      return nil
    }
    // The letters of columns repeat every three zones. Those of rows repeat every 2,000 km, in even zones five later.
    let column = first - (zone - 1) % 3 * 8
    guard (0..<8).contains(column), second < 20 else { return nil }
    let row = (second + (zone % 2 == 0 ? 15 : 0)) % 20
    let half = digits.count / 2
    let size = [100_000, 10_000, 1_000, 100, 10, 1][half]
    func metres(_ digits: ArraySlice<UInt8>) -> Double {
      (digits.reduce(0) { $0 * 10 + Double($1 - 0x30) } + 0.5) * Double(size)
    }
    let (east, north) = (metres(digits.prefix(half)), metres(digits.suffix(half)))
    let positions = (-5..<5).lazy.map {
      let northing = Double($0 * 20 + row) * 100_000 + north
      return TransverseMercator.position(zone: zone, easting: Double(column + 1) * 100_000 + east, northing: northing)
    }
    return positions.first { holds(band, $0) }
  }

  /// Whether `position` is in a band, with a margin for the centre of a large square.
  private static func holds(_ band: Int, _ position: Position) -> Bool {
    let south = Double(band * 8 - 80)
    return (south - 0.1..<south + (band == 19 ? 12.1 : 8.1)).contains(position.lat)
  }
}
