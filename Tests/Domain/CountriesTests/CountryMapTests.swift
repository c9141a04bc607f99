import CCountries
import Countries
import Geodesy
import TestSupport
import Testing

/// The country of a point, by the shipped map and by a plain reading of its bytes.
@Suite struct CountryMapTests {
  @Test(arguments: [
    (59.437, 24.7535, "EE", true), (51.5, -0.12, "GB", true), (47.56, 7.59, "CH", false), (43.94, 12.45, "SM", false),
    (-29.31, 27.48, "LS", false), (-29.6, 28.2, "LS", true), (18.4, -66.06, "PR", true), (4.93, -52.33, "GF", true),
    (78.22, 15.65, "SJ", true), (59.91, 10.75, "NO", true), (22.3, 114.17, "HK", true), (42.66, 21.16, "XK", true),
    (-90, 0, "AQ", true), (-85, 180, "AQ", true), (-85, -180, "AQ", true), (66.5, 180, "RU", true),
    (66.5, -180, "RU", true), (90, 12, "", true), (0, 0, "", true), (40, -40, "", true),
    (42, 51, "", true), (67.52, 12.11, "NO", true), (12.1, -68.9, "CW", true), (12.15, -68.27, "BQ", true),
    (-10.45, 105.68, "CX", true), (21.87, 33.74, "", false), (91, 0, "", false), (0, 180.5, "", false),
    (.nan, 0, "", false), (-77.867, 167.057, "AQ", false), (-60.001, -120, "AQ", false), (-60, -120, "", true),
  ])
  func `a point is in its country`(latitude: Double, longitude: Double, code: String, isCertain: Bool) {
    let found = CountryMap.shipped.country(at: GeoPoint(latitude: latitude, longitude: longitude))
    #expect(found.code == code && found.isCertain == isCertain, "\(latitude), \(longitude): \(found)")
  }

  @Test(
    arguments: [
      ("EE", 59.437, 24.7535, true), ("EE", 24.7535, 59.437, false), ("EE", 57.6, 25, true), ("EE", 56.95, 24.1, false),
      ("FI", 59.6, 24.9, true), ("LS", -29.6, 28.2, true), ("FJ", -16.8, -179.9, true), ("FR", 91, 0, false),
      ("FR", .nan, 0, false), ("ZZ", 0, 0, nil), ("EEE", 59, 25, nil), ("", 59, 25, nil), ("AQ", -89, 5, true),
    ] as [(String, Double, Double, Bool?)])
  func `a point is near a country or not`(code: String, latitude: Double, longitude: Double, isNear: Bool?) {
    #expect(CountryMap.shipped.isNear(code, GeoPoint(latitude: latitude, longitude: longitude)) == isNear)
  }

  @Test func `a point off the coast is in the nearest country but not certain`() {
    // From a beach of Denmark to the west.
    let found = [8.6, 8.08, 8.0].map { CountryMap.shipped.country(at: GeoPoint(latitude: 56, longitude: $0)) }
    #expect(found.map(\.code) == ["DK", "DK", ""] && found.map(\.isCertain) == [true, false, true], "\(found)")
  }

  @Test func `every point has the country of a plain reading`() {
    let map = PlainMap()
    var generator = SeededGenerator(seed: 24)
    var (mixed, seen) = (0, Set<String>())
    for number in 0..<20_000 {
      // Every second one is near a corner of a ring.
      let point = number % 2 == 0 ? map.anyPoint(&generator) : map.pointNearARing(&generator)
      let (found, expected) = (CountryMap.shipped.country(at: point), map.country(at: point))
      seen.insert(found.code)
      mixed += found.isCertain ? 0 : 1
      guard let expected else { continue }
      #expect(found == expected, "\(point)")
    }
    #expect(seen.count > 150 && mixed > 2_000, "\(seen.count) countries, \(mixed) uncertain points")
  }

  @Test func `the bytes are whole`() {
    let map = PlainMap()
    #expect(map.cells.count == 41_344 && map.body == map.end)
    for cell in map.cells {
      #expect(cell.rings.allSatisfy { $0.points.count > 3 && $0.points.first == $0.points.last })
    }
  }
}

/// The map read in whole, and searched without a short cut.
private struct PlainMap {
  struct Ring {
    var country: Int
    var points: [SIMD2<Double>]
  }
  struct Cell {
    var (row, column): (Int, Int)
    var around: Int
    var rings: [Ring] = []
  }

  let height, margin: Double
  var codes: [UInt16] = []
  var cells: [Cell] = []
  var (starts, widths): ([Int], [Double]) = ([], [])
  /// Where reading ended, and where the bytes end.
  let body, end: Int

  init() {
    let bytes = UnsafeRawBufferPointer(start: cities_countries_bytes(), count: cities_countries_count())
    end = bytes.count
    var offset = 8
    func short() -> Int {
      defer { offset += 2 }
      return Int(bytes[offset]) + Int(bytes[offset + 1]) << 8
    }
    func long() -> Int { short() + short() << 16 }
    precondition(short() == 1)
    let rows = short()
    (height, margin) = (Double(short()), Double(short()))
    let mixed = short()
    for _ in 0..<short() { codes.append(UInt16(short()).byteSwapped) }
    for _ in 0...rows { starts.append(long()) }
    for _ in 0..<rows { widths.append(Double(short())) }
    for row in 0..<rows {
      for column in 0..<(starts[row + 1] - starts[row]) {
        cells.append(Cell(row: row, column: column, around: short()))
      }
    }
    let offsets = (0...mixed).map { _ in long() }
    let start = offset
    for index in cells.indices where cells[index].around >= 0x8000 {
      let number = cells[index].around - 0x8000
      precondition(offset == start + 2 * offsets[number])
      cells[index].around = short()
      while offset < start + 2 * offsets[number + 1] {
        let country = short()
        let points = (0..<short()).map { _ in SIMD2(Double(short()), Double(short())) }
        cells[index].rings.append(Ring(country: country, points: points))
      }
    }
    body = offset
  }

  func anyPoint(_ generator: inout SeededGenerator) -> GeoPoint {
    GeoPoint(
      latitude: .random(in: -90...90, using: &generator), longitude: .random(in: -180...180, using: &generator))
  }

  func pointNearARing(_ generator: inout SeededGenerator) -> GeoPoint {
    while true {
      let cell = cells[Int.random(in: 0..<cells.count, using: &generator)]
      guard let point = cell.rings.randomElement(using: &generator)?.points.randomElement(using: &generator) else {
        continue
      }
      let (x, y) = (
        point.x + .random(in: -3_000...3_000, using: &generator),
        point.y + .random(in: -3_000...3_000, using: &generator)
      )
      let count = Double(starts[cell.row + 1] - starts[cell.row])
      let east = (Double(cell.column) + (x - margin) / widths[cell.row]) * 360 / count - 180
      let north = -90 + Double(cell.row) + (y - margin) / height
      if abs(north) <= 90, abs(east) <= 180 { return GeoPoint(latitude: north, longitude: east) }
    }
  }

  /// The country; `nil` within a few metres of where the answer changes.
  func country(at point: GeoPoint) -> PointCountry? {
    let row = min(Int(point.latitude + 90), 179)
    let count = starts[row + 1] - starts[row]
    let easting = (point.longitude + 180) * Double(count) / 360
    let column = min(Int(easting), count - 1)
    let cell = cells[starts[row] + column]
    let place = SIMD2(
      margin + (easting - Double(column)) * widths[row], margin + (point.latitude + 90 - Double(row)) * height)
    var inside: [Int] = []
    var distances: [Int: Double] = [:]
    for country in Set(cell.rings.map(\.country)) {
      let rings = cell.rings.filter { $0.country == country }
      let edges = rings.flatMap { ring in zip(ring.points, ring.points.dropFirst()).map { ($0, $1) } }
      if edges.count(where: { Self.crosses($0, place) }) % 2 == 1 { inside.append(country) }
      distances[country] = edges.map { Self.distance($0, place) }.min().map { $0 * 111_195 / height }
    }
    guard distances.values.allSatisfy({ $0 > 5 && abs($0 - 3_000) > 5 && abs($0 - 6_000) > 5 }) else { return nil }
    let found = inside.min() ?? cell.around
    if found == 0 {
      guard let near = distances.min(by: { $0.value < $1.value }), near.value < 6_000 else {
        let isAntarctica = point.latitude < -60
        return PointCountry(letters: isAntarctica ? 0x4151 : 0, isCertain: !isAntarctica)
      }
      return PointCountry(letters: codes[near.key], isCertain: false)
    }
    let others = distances.filter { $0.key != found || cell.around != 0 }.values
    return PointCountry(letters: codes[found], isCertain: codes[found] != 0 && others.allSatisfy { $0 > 3_000 })
  }

  private static func crosses(_ edge: (SIMD2<Double>, SIMD2<Double>), _ place: SIMD2<Double>) -> Bool {
    let (a, b) = edge
    guard (a.y > place.y) != (b.y > place.y) else { return false }
    return place.x < a.x + (place.y - a.y) * (b.x - a.x) / (b.y - a.y)
  }

  private static func distance(_ edge: (SIMD2<Double>, SIMD2<Double>), _ place: SIMD2<Double>) -> Double {
    let (side, way) = (edge.1 - edge.0, place - edge.0)
    let length = (side * side).sum()
    let rest = way - side * (length > 0 ? min(1, max(0, (side * way).sum() / length)) : 0)
    return (rest * rest).sum().squareRoot()
  }
}
