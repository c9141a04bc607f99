import Base
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct PositionTextTests {
  /// Whether two positions are the same but for the error of sums of doubles.
  private func isSame(_ position: Position?, _ lat: Double, _ lon: Double, within error: Double) -> Bool {
    position.map { abs($0.lat - lat) <= error && abs($0.lon - lon) <= error } ?? false
  }

  private static let angles: [(String, Double, Double)] = [
    ("N 45° 25.495' W 075° 41.740'", 45.42491666666667, -75.69566666666667),
    ("N45 25.495 W075 41.740", 45.42491666666667, -75.69566666666667), ("52.5N 13.4E", 52.5, 13.4),
    ("S33.8688 E151.2093", -33.8688, 151.2093), ("E13.4 N52.5", 52.5, 13.4), ("13.4e, 52.5n", 52.5, 13.4),
    ("N52.5, E13.4", 52.5, 13.4), ("N 1 E 2", 1, 2), ("+52.5N +13.4E", 52.5, 13.4), ("52.5° 13.4°", 52.5, 13.4),
    ("48 deg 51' 30.24\" N, 2 deg 17' 40.20\" E", 48.8584, 2.2945), ("48°51′30.24″N 2°17′40.2″E", 48.8584, 2.2945),
    ("48º51’30.24”N 2º17’40.2”E", 48.8584, 2.2945), ("48°51'30.24''N 2°17'40.2''E", 48.8584, 2.2945),
    ("-33°30'36\" 151°12'", -33.51, 151.2), ("-0°30', 1°", -0.5, 1), ("31 42 36 N 34 36 0 E", 31.71, 34.6),
    ("\u{2212}33.8688,151.2093", -33.8688, 151.2093), ("\u{2013}33.9, \u{FE63}18.4", -33.9, -18.4),
    ("\u{FF0D}３３．９，１８．４", -33.9, 18.4), ("٥٢٫٥، ١٣٫٤", 52.5, 13.4), ("۵۲.۵,۱۳.۴", 52.5, 13.4),
    ("\u{200E}52.5,\u{A0}13.4\u{200F}", 52.5, 13.4), ("52.5;13.4", 52.5, 13.4), ("52.5\t13.4", 52.5, 13.4),
    ("(52.5061, 13.358)", 52.5061, 13.358), ("[52.5, 13.4]", 52.5, 13.4), ("(52.5N 13.4E)", 52.5, 13.4),
    ("geo:0,0?q=52.5,13.4(Berlin)", 52.5, 13.4), ("geo:52.5,13.4?z=11", 52.5, 13.4),
    ("geohash:u33dc1", 52.52288818359375, 13.4088134765625),
    ("52° 30′ 22″ Nord, 13° 21′ 29″ Ost", 52.50611111111111, 13.358055555555556), ("33.5 Süd 70.6 West", -33.5, -70.6),
    ("48.5 sud 2.3 est", -48.5, 2.3), ("19.4 norte, 99.1 oeste", 19.4, -99.1),
    ("1.5 South 2.5 East", -1.5, 2.5), ("NORD 1° OUEST 2°", 1, -2), ("34.6 sur 58.4 oeste", -34.6, -58.4),
    ("lat: 52.5061, lon: 13.358", 52.5061, 13.358), ("Latitude 52.5, Longitude 13.4", 52.5, 13.4),
    ("lat=-33.9&lon=18.4", -33.9, 18.4), ("lng=18.4;lat=-33.9", -33.9, 18.4), ("Lat 5, Long 6", 5, 6),
    ("Latitude: 52° 30' N Longitude: 13° 24' E", 52.5, 13.4), ("Latitud 19.4 Longitud -99.1", 19.4, -99.1),
    ("+52.5061+013.3580/", 52.5061, 13.358), ("-33.8688+151.2093+035.000/", -33.8688, 151.2093),
    ("+5230.5-00024CRSWGS_84/", 52.50833333333333, -0.4), ("+40-075", 40, -75), ("+403000-0750000/", 40.5, -75),
    ("+27.5916+086.5640+8850CRSWGS_84/", 27.5916, 86.564), ("\u{2212}00.5+000.25/", -0.5, 0.25),
    (" +52.5061+013.3580 ", 52.5061, 13.358), (" geohash:u33dc1 ", 52.52288818359375, 13.4088134765625),
  ]

  @Test(arguments: angles)
  func `notation is read`(text: String, lat: Double, lon: Double) throws {
    let position = try PositionText.position(text)
    #expect(isSame(position, lat, lon, within: 1e-9), "\(String(describing: position))")
  }

  private static let others: [(String, Double, Double)] = [
    ("POINT(13.358 52.5061)", 52.5061, 13.358), ("SRID=4326;POINT (13.358 52.5061)", 52.5061, 13.358),
    ("point z (13.4 52.5 34)", 52.5, 13.4), ("{\"type\":\"Point\",\"coordinates\":[13.4,52.5]}", 52.5, 13.4),
    ("{\"type\": \"Feature\", \"geometry\": {\"coordinates\": [ 13.4, 52.5, 0 ], \"type\": \"Point\"}}", 52.5, 13.4),
    ("https://www.openstreetmap.org/#map=15/52.5/13.4", 52.5, 13.4),
    ("https://www.openstreetmap.org/?mlat=52.5&mlon=13.4#map=12/1/2", 52.5, 13.4),
    ("https://www.google.com/maps/@52.5,13.4,15z", 52.5, 13.4), ("https://maps.google.com/?q=52.5,13.4", 52.5, 13.4),
    ("https://maps.google.com/maps?q=loc:52.5%2C+13.4&z=3", 52.5, 13.4),
    ("https://www.google.de/maps/place/Caf%C3%A9+1/@1,2,17z/data=!3m1!4b1!4m6!8m2!3d52.5!4d13.4!16s", 52.5, 13.4),
    ("https://www.google.com/maps/place/52%C2%B030'00.0%22N+13%C2%B024'00.0%22E/", 52.5, 13.4),
    ("https://www.google.com/maps/search/?api=1&query=52.5%2C13.4", 52.5, 13.4),
    ("https://maps.apple.com/?ll=52.5,13.4&q=Berlin", 52.5, 13.4),
    ("https://www.bing.com/maps?cp=52.5~13.4&lvl=11", 52.5, 13.4), ("www.openstreetmap.org/#map=3/-5/6", -5, 6),
    ("https://plus.codes/9F4MGC2M+H4", 52.5014375, 13.4328125),
    ("9F4MGC2M+H4", 52.5014375, 13.4328125), ("9f4mgc2m+h4, Berlin", 52.5014375, 13.4328125),
    ("7FG49Q00+", 20.375, 2.775), ("7FG49QCJ+2VX", 20.3701125, 2.782234375),
    ("7FG49QCJ+2VXGJ", 20.3701135, 2.78223535156), ("22220000+", -89.5, -179.5),
  ]

  @Test(arguments: others)
  func `point, link and code are read`(text: String, lat: Double, lon: Double) throws {
    let position = try PositionText.position(text)
    #expect(isSame(position, lat, lon, within: 1e-9), "\(String(describing: position))")
  }

  /// Points, and their references by the packages mgrs and pyproj.
  private static let grids: [(String, Double, Double)] = [
    ("33UUU8855518597", 52.5061, 13.358), ("33U UU 88555 18597", 52.5061, 13.358),
    ("56HLH3436850948", -33.8688, 151.2093), ("32VKN9723000510", 60.39, 5.32), ("33XWG1481383004", 78.22, 15.65),
    ("16NHG1408476621", 1.5959973, -84.1774597), ("15RWH2964713539", 24.5354305, -92.7072885),
    ("59mlt1330634572", -2.4003529, 169.3210137), ("33U 388555.4 5818597.7", 52.5061, 13.358),
    ("33N 388555 5818597", 52.5061, 13.358), ("56H 334368mE 6250948mN", -33.8688, 151.2093),
    ("56 S 334368 6250948", -33.8688, 151.2093),
  ]

  @Test(arguments: grids)
  func `reference of a grid is read within a metre`(text: String, lat: Double, lon: Double) throws {
    let position = try PositionText.position(text)
    // Degrees; those of longitude are shorter.
    let error = 0.00001
    #expect(isSame(position, lat, lon, within: error * 3), "\(String(describing: position))")
    #expect(position.map { abs($0.lat - lat) < error } ?? false)
  }

  @Test(arguments: [
    ("52,5 13,4", "'52,5 13,4' has decimal commas; write 52.5,13.4"), ("52,5;13,4", "write 52.5,13.4"),
    ("52,5, 13,4", "write 52.5,13.4"), ("43,44° N 7,42° E", "write 43.44,7.42"), ("1 2,3", "has decimal commas"),
    ("0,200", "not 200.0; it is counted from 0 to 360: write 0.0,-160.0"), ("1.5,359.9", "write 1.5,-0.1"),
    ("151.2093,-33.8688", "not 151.2093; if it is the longitude, write -33.8688,151.2093"),
    ("POINT(52.5 113.4)", "if it is the longitude, write 52.5,113.4"), ("0,437", "the order is LAT,LON"),
    ("-5 S 3 E", "a minus sign and a compass letter"), ("SRID=3857;POINT(1 2)", "SRID 4326"),
    ("POINT(1, 2)", "not a point"), ("{\"type\":\"MultiPoint\",\"coordinates\":[[1,2]]}", "not a point"),
    ("G972+R2", "short plus code"), ("GC2M+H4 Berlin", "short plus code"), ("X2222222+", "not a plus code"),
    ("33UAU9070026000", "not a place in MGRS"), ("33UUW9070026000", "not a place in MGRS"),
    ("33U 390700 4820000", "not in the band of the letter"), ("33S 354347 3896395", "in band S or in the south"),
    ("lat: 52,5, lon: 13,4", "has decimal commas; write 52.5,13.4"), ("lat: 95, lon: 1", "the latitude must be"),
    ("+52.5+13.4", "one looks like +52.5061+013.3580/"), ("+5261+01324/", "not a position in ISO 6709"),
    ("+52.5061+013.3580CRSEPSG:3857/", "reference system WGS 84"),
    ("-5 Süd 3 Ost", "a minus sign and a compass letter"),
    ("lat: -5 S, lon: 3", "a minus sign and a compass letter"),
    ("https://maps.app.goo.gl/abc1", "not a link of OpenStreetMap"), ("https://osm.org/", "not a link"),
    ("https://yandex.com/maps/?ll=13.4,52.5", "'yandex.com'; write LAT,LON"), ("http://", "not a link"),
    ("https://www.google.com/maps", "the link has no position"), ("geo:0,0?q=Berlin", "a name in place of"),
    ("https://www.google.com/maps/dir/52.5,13.4/48,11/@50,12,7z", "a route"),
    ("https://www.openstreetmap.org/#map=3/95/6", "latitude"), ("geohash:aa", "not a geohash"),
  ])
  func `doubtful text is refused with advice`(text: String, reason: String) {
    let message = #expect(throws: (any Error).self) { try PositionText.position(text) }.map { "\($0)" } ?? ""
    #expect(message.contains(reason), "\(message)")
  }

  @Test(arguments: [
    "Point", "Point Pleasant, US", "Long Beach", "Lat", "Latitude 5", "33UUU", "Long 5", "West 5, US", "Geo", "Geohash",
    "12 DEC 2024", "+372-5551234", "33U 12 388555 5818598", "33U 388555abc 5818598",
    "N", "N E", "Srid", "CH+FR", "{\"a\": 1}", "AB12+C", "9F4MG972",
    "u33d", "1 2", "52", "52.5N", "Baden–Baden", "Ünye, TR", "St. John's, CA", "6th of October City", "Lat 5", "",
    "10 de Mayo, MX", "2 E", "52.5N 13.4", "30' N 20' E", "S 6, N 1", "60 Mile, US", "Wellington's 1°",
  ])
  func `names are not positions`(text: String) throws { #expect(try PositionText.position(text) == nil) }

  @Test(
    arguments: [
      ("52.5N", true, 52.5), ("13.4E", false, 13.4), ("52°30'N", true, 52.5), ("W 75 30", false, -75.5),
      ("−33.9", true, -33.9), ("S33°30′36″", true, -33.51), ("5°", false, 5), ("52.5N", false, nil),
      ("13.4E", true, nil),
      ("52,5", true, nil), ("52.5,13.4", true, nil), ("x", true, nil), ("", true, nil), ("1 30", true, nil),
      ("-5 S", true, nil),
    ] as [(String, Bool, Double?)])
  func `coordinate of one axis is read`(text: String, isLatitude: Bool, degrees: Double?) {
    #expect(PositionText.coordinate(text, isLatitude: isLatitude) == degrees)
  }

  /// The parts of an angle without its sign: degrees, minutes and seconds with `digits` decimals.
  private func sexagesimal(_ angle: Double) -> (degrees: Int, minutes: Int, seconds: String, wholeMinutes: String) {
    let hundredths = Int((angle.magnitude * 360_000).rounded())
    let (minutes, rest) = (hundredths / 6_000, hundredths % 6_000)
    let thousandths = Int((angle.magnitude * 60_000).rounded())
    return (
      minutes / 60, minutes % 60, "\(rest / 100).\(zeroPadded("\(rest % 100)", 2))",
      "\(thousandths / 60_000) \(thousandths % 60_000 / 1_000).\(zeroPadded("\(thousandths % 1_000)", 3))"
    )
  }

  @Test func `every notation of a point is read within its precision`() throws {
    var random = SeededGenerator(seed: 31)
    for _ in 0..<3_000 {
      let lat = (Double.random(in: -90...90, using: &random) * 1e6).rounded() / 1e6
      let lon = (Double.random(in: -180...180, using: &random) * 1e6).rounded() / 1e6
      let (north, east) = (lat < 0 ? "S" : "N", lon < 0 ? "W" : "E")
      let (plainLat, plainLon) = (decimalText(lat), decimalText(lon))
      let (sizeLat, sizeLon) = (decimalText(lat.magnitude), decimalText(lon.magnitude))
      let (first, second) = (sexagesimal(lat), sexagesimal(lon))
      let exact: [String] = [
        "\(plainLat),\(plainLon)", "(\(plainLat), \(plainLon))", "\(plainLat) \(plainLon)",
        "\(plainLat)°, \(plainLon)°", "\(sizeLat)\(north) \(sizeLon)\(east)", "\(north)\(sizeLat) \(east)\(sizeLon)",
        "\(east) \(sizeLon)°, \(north) \(sizeLat)°", "\(sizeLon)° \(east), \(sizeLat)° \(north)",
        "POINT(\(plainLon) \(plainLat))", "{\"type\":\"Point\",\"coordinates\":[\(plainLon),\(plainLat)]}",
        "geo:\(plainLat),\(plainLon)", "https://www.openstreetmap.org/#map=5/\(plainLat)/\(plainLon)",
        "https://www.google.com/maps/@\(plainLat),\(plainLon),15z",
        "https://www.bing.com/maps?cp=\(plainLat)~\(plainLon)",
      ]
      for text in exact { #expect(try PositionText.position(text) == Position(lat: lat, lon: lon), "\(text)") }
      let minutes = "\(north) \(first.wholeMinutes) \(east) \(second.wholeMinutes)"
      #expect(isSame(try PositionText.position(minutes), lat, lon, within: 0.00001), "\(minutes)")
      let angle = "\(first.degrees)°\(first.minutes)′\(first.seconds)″\(north)"
      let tool = "\(second.degrees) deg \(second.minutes)' \(second.seconds)\" \(east)"
      #expect(isSame(try PositionText.position("\(angle), \(tool)"), lat, lon, within: 0.000002), "\(angle), \(tool)")
    }
  }

  @Test func `every plus code is read within its cell`() throws {
    let digits = Array("23456789CFGHJMPQRVWX")
    var random = SeededGenerator(seed: 32)
    for _ in 0..<3_000 {
      let lat = Double.random(in: -90..<90, using: &random)
      let lon = Double.random(in: -180..<180, using: &random)
      // Printed as its description does it: pair by pair.
      var (code, size, north, east) = ("", 20.0, lat + 90, lon + 180)
      for pair in 0..<5 {
        for part in [north, east] { code.append(digits[min(19, Int(part / size))]) }
        (north, east) = (north.truncatingRemainder(dividingBy: size), east.truncatingRemainder(dividingBy: size))
        size /= 20
        if pair == 3 { code.append("+") }
      }
      #expect(isSame(try PositionText.position(code), lat, lon, within: 0.0000626), "\(code) \(lat),\(lon)")
    }
  }

  @Test func `hostile text takes linear time and never traps`() {
    let parts = [
      "1", "°", "'", "N", "e", ",", " ", "-", ".", "+", "(", "!3d", "/", "geo:", "http://", "{", "９", "é", "\u{301}",
    ]
    var random = SeededGenerator(seed: 33)
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &random)]
      }
      _ = try? PositionText.position(text.joined())
    }
    for part in parts { _ = try? PositionText.position(String(repeating: part, count: 20_000)) }
  }
}
