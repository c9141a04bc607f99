internal import Base
internal import CCountries
package import Geodesy

/// The country of a point.
package struct PointCountry: Equatable, Sendable {
  /// The two letters of its code (ISO 3166-1 alpha-2; `XK` for Kosovo), the first one in the upper byte.
  ///
  /// 0 at sea and on land without a country, north of ``CountryMap/antarcticLatitude``.
  package let letters: UInt16
  /// Whether no other country is within ``CountryMap/borderMetres``; at sea, whether no land is within
  /// ``CountryMap/coastMetres``.
  package let isCertain: Bool

  /// Makes a result.
  package init(letters: UInt16, isCertain: Bool) { (self.letters, self.isCertain) = (letters, isCertain) }

  /// The code; empty for none.
  package var code: String {
    letters == 0 ? "" : String(decoding: [UInt8(letters >> 8), UInt8(truncatingIfNeeded: letters)], as: UTF8.self)
  }
}

/// The country of each point of the Earth, in the form that `contrib/data/make-countries` writes and describes.
///
/// The bytes are borrowed and, as part of the program, not checked. A lookup reads a single cell, which has the edges
/// of all countries that matter within it.
///
/// `Sendable` because its properties are constants, and the bytes are read-only.
@safe package struct CountryMap: @unchecked Sendable {
  /// The built-in map, `contrib/data/countries.bin`.
  package static let shipped = unsafe CountryMap(
    borrowing: UnsafeRawBufferPointer(start: cities_countries_bytes(), count: cities_countries_count()))
  /// The distance to another country, in metres, within which the country is uncertain.
  ///
  /// By more exact borders (OpenStreetMap's time zones), the country is right for 98 % of the points 3 to 10 km from a
  /// border, and for 55 % of those within 500 m.
  package static let borderMetres = 3_000.0
  /// The distance from the coast, in metres, within which a point at sea belongs to the nearest country.
  package static let coastMetres = 6_000.0

  /// The latitude south of which, by ISO 3166-1, everything is Antarctica: land, sea, and shelf ice, which the map
  /// lacks.
  package static let antarcticLatitude = -60.0

  private static let antarctica = UInt16(UInt8(ascii: "A")) << 8 | UInt16(UInt8(ascii: "Q"))
  /// Marks a mixed cell.
  private static let mixed = 0x8000
  /// Metres in a degree of latitude.
  private static let metresPerDegree = 111_195.0

  private let bytes: UnsafeRawBufferPointer
  private let rows, height, margin: Int
  // The offsets of the parts.
  private let codes, starts, widths, cells, offsets, body: Int

  /// Borrows bytes, which must outlive the map.
  package init(borrowing bytes: UnsafeRawBufferPointer) {
    func number(_ index: Int) -> Int { unsafe Int(bytes.load(littleEndian: UInt16.self, at: 8 + 2 * index)) }
    (rows, height, margin) = (number(1), number(2), number(3))
    codes = 20
    starts = codes + 2 * number(5)
    widths = starts + 4 * (rows + 1)
    cells = widths + 2 * rows
    offsets = unsafe cells + 2 * Int(bytes.load(littleEndian: UInt32.self, at: starts + 4 * rows))
    body = offsets + 4 * (number(4) + 1)
    unsafe self.bytes = bytes
  }

  /// The country of a point; none, and uncertain, if a coordinate is out of range.
  ///
  /// - Complexity: O(1) far from borders and coasts, otherwise O(e) in the edges of the point's cell, 44 on average.
  package func country(at point: GeoPoint) -> PointCountry {
    guard abs(point.latitude) <= 90, abs(point.longitude) <= 180 else {
      return PointCountry(letters: 0, isCertain: false)
    }
    let found = onMap(point)
    return found.letters == 0 && point.latitude < Self.antarcticLatitude
      ? PointCountry(letters: Self.antarctica, isCertain: false) : found
  }

  /// Whether the country with `code` is within about 50 km of a point; `nil` if the map does not have it.
  ///
  /// It is looked up at the points of a grid of 25 km: a smaller country may be missed from outside.
  ///
  /// - Complexity: as of 25 look-ups for a point outside of the country.
  package func isNear(_ code: String, _ point: GeoPoint) -> Bool? {
    let wanted = code.utf8.reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    let known = (starts - codes) / 2
    guard code.utf8.count == 2, (0..<known).contains(where: { named($0, isCertain: true).letters == wanted }) else {
      return nil
    }
    let steps = [0, -25_000, 25_000, -50_000, 50_000] as [Double]
    return steps.contains { north in
      steps.contains { east in country(at: point.moved(north: north, east: east)).letters == wanted }
    }
  }

  private func onMap(_ point: GeoPoint) -> PointCountry {
    let northing = (point.latitude + 90) * (Double(rows) / 180)
    let row = min(Int(northing), rows - 1)
    let (first, end) = (long(starts, row), long(starts, row + 1))
    let easting = (point.longitude + 180) * Double(end - first) / 360
    let column = min(Int(easting), end - first - 1)
    let cell = short(cells, first + column)
    guard cell >= Self.mixed else { return named(cell, isCertain: true) }
    let x = margin + Int((easting - Double(column)) * Double(short(widths, row)))
    let y = margin + Int((northing - Double(row)) * Double(height))
    return country(inMixed: cell - Self.mixed, x, y)
  }

  private func country(inMixed cell: Int, _ x: Int, _ y: Int) -> PointCountry {
    let (start, end) = (body + 2 * long(offsets, cell), body + 2 * long(offsets, cell + 1))
    let around = short(start, 0)
    var (found, current, isInside, isAlone) = (around, -1, false, around == 0)
    var next = start + 2
    while next < end {
      let ring = unsafe Ring(bytes, at: next)
      if ring.country != current {
        if isInside { found = current }
        if current >= 0 { isAlone = false }
        (current, isInside) = (ring.country, false)
      }
      if ring.contains(x, y) { isInside.toggle() }
      next = ring.end
    }
    if isInside { found = current }
    // The only country in the cell, by the sea.
    if found != 0, isAlone { return named(found, isCertain: true) }
    let reach = (found == 0 ? Self.coastMetres : Self.borderMetres) * unitsPerMetre
    var (nearest, owner) = (reach * reach, 0)
    next = start + 2
    while next < end {
      let ring = unsafe Ring(bytes, at: next)
      // With sea around, skip the country's own edges: they are coasts, or also edges of another one.
      if ring.country != found || around != 0 {
        let square = ring.square(to: x, y, within: nearest)
        if square < nearest { (nearest, owner) = (square, ring.country) }
      }
      next = ring.end
    }
    return found == 0 ? named(owner, isCertain: owner == 0) : named(found, isCertain: owner == 0)
  }

  private var unitsPerMetre: Double { Double(height * rows) / 180 / Self.metresPerDegree }

  private func named(_ country: Int, isCertain: Bool) -> PointCountry {
    let letters = unsafe bytes.load(bigEndian: UInt16.self, at: codes + 2 * country)
    return PointCountry(letters: letters, isCertain: isCertain && (letters != 0 || country == 0))
  }

  private func short(_ base: Int, _ index: Int) -> Int {
    unsafe Int(bytes.load(littleEndian: UInt16.self, at: base &+ 2 &* index))
  }

  private func long(_ base: Int, _ index: Int) -> Int {
    unsafe Int(bytes.load(littleEndian: UInt32.self, at: base &+ 4 &* index))
  }
}

/// A closed ring of a country in a cell.
@safe private struct Ring {
  let country, end: Int
  private let points: UnsafeRawPointer
  private let count: Int

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    country = unsafe Int(bytes.load(littleEndian: UInt16.self, at: start))
    count = unsafe Int(bytes.load(littleEndian: UInt16.self, at: start &+ 2))
    end = start &+ 4 &+ 4 &* count
    unsafe points = UnsafeRawBufferPointer(rebasing: bytes[(start &+ 4)..<end]).baseAddress.unsafelyUnwrapped
  }

  @inline(__always)
  private func point(_ index: Int) -> (x: Int, y: Int) {
    let both = unsafe points.load(littleEndian: UInt32.self, at: 4 &* index)
    return (Int(both & 0xFFFF), Int(both >> 16))
  }

  /// Whether a ray to the east crosses an odd number of edges (even-odd rule).
  @inline(__always)
  func contains(_ x: Int, _ y: Int) -> Bool {
    var isOdd = false
    var before = point(0)
    for index in 1..<max(1, count) {
      let point = point(index)
      if (before.y > y) != (point.y > y) {
        let across = (x &- before.x) &* (point.y &- before.y) &- (y &- before.y) &* (point.x &- before.x)
        if point.y > before.y ? across < 0 : across > 0 { isOdd.toggle() }
      }
      before = point
    }
    return isOdd
  }

  /// The square of the distance to the nearest edge, if that is below `limit`, else `limit`.
  func square(to x: Int, _ y: Int, within limit: Double) -> Double {
    var least = limit
    let reach = Int(limit.squareRoot()) &+ 1
    var before = point(0)
    for index in 1..<max(1, count) {
      let (from, to) = (before, point(index))
      before = to
      guard max(from.x, to.x) &+ reach >= x, min(from.x, to.x) &- reach <= x,
        max(from.y, to.y) &+ reach >= y, min(from.y, to.y) &- reach <= y
      else { continue }
      let (east, north) = (Double(to.x &- from.x), Double(to.y &- from.y))
      let (dx, dy) = (Double(x &- from.x), Double(y &- from.y))
      let length = east * east + north * north
      let share = length > 0 ? min(1, max(0, (dx * east + dy * north) / length)) : 0
      let (restX, restY) = (dx - share * east, dy - share * north)
      least = min(least, restX * restX + restY * restY)
    }
    return least
  }
}
