internal import COutlines

/// Coasts and borders of the world in two scales, from Natural Earth (public domain).
///
/// They leave out bays and headlands of a few kilometres; see ``finestMetresPerDot``.
package struct Outlines: Sendable {
  /// Outlines are drawn only if a dot covers at least this much ground, in metres.
  ///
  /// The source is made for maps of 1:50,000,000, on which half a millimetre is 25 km of ground, and leaves out, for
  /// example, the headland of 10 km beside Tallinn: closer than this, its coast would put towns into the sea.
  package static let finestMetresPerDot = 1_000.0
  /// The largest error of the outlines, in metres: headlands of this size are missing.
  package static let accuracy = 10_000.0
  /// The coarser scale is used from this many metres per dot, about the distance between its points.
  package static let coarseMetresPerDot = 15_000.0

  /// The kinds of lines.
  package enum Kind: UInt64, Hashable, Sendable, CaseIterable {
    /// A coast.
    case coast = 0
    /// A border between two countries.
    case border = 1
  }

  /// A line: a range of its scale's points and their bounding box.
  struct Line: Sendable {
    var kind: Kind
    var points: Range<Int>
    /// The bounding box in degrees.
    var west: Double
    var east: Double
    var south: Double
    var north: Double
  }

  /// A point, in units of 1/``Scale/unitsPerDegree`` degree.
  struct Point: Hashable, Sendable {
    var lon: Int32
    var lat: Int32
  }

  /// The lines for one scale.
  struct Scale: Sendable {
    /// The scale's denominator in millions.
    var millions: UInt64
    /// Units of the points per degree.
    var unitsPerDegree: Double
    var points: [Point] = []
    var lines: [Line] = []
  }

  /// The scales, coarsest first; at least one.
  let scales: [Scale]

  /// The scale for a view; `nil` if the view is too close for the outlines' accuracy.
  func scale(forMetresPerDot metres: Double) -> Scale? {
    guard metres >= Self.finestMetresPerDot else { return nil }
    return metres >= Self.coarseMetresPerDot ? scales.first : scales.last
  }
}

extension Outlines {
  /// The built-in outlines.
  ///
  /// - Throws: ``OutlinesError`` if the built-in outlines are invalid.
  /// - Complexity: O(n) in their 190 KB, about 1 ms; cache the result.
  package static func embedded() throws(OutlinesError) -> Outlines {
    try unsafe Outlines(UnsafeBufferPointer(start: cities_outlines_bytes(), count: cities_outlines_count()))
  }
}

/// Why bytes cannot be read as outlines.
package enum OutlinesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not start with the magic.
  case foreign
  /// Another version of the format than 1.
  case unknownVersion(UInt8)
  /// The checksum does not match.
  case damaged
  /// An impossible value and its offset in bytes.
  case invalid(String, offset: Int)

  /// The fault in a few words.
  package var description: String {
    switch self {
    case .foreign: "not outlines: they do not start with CITYLINE"
    case .unknownVersion(let version): "these outlines are of version \(version), this program reads version 1"
    case .damaged: "the outlines are damaged: their checksum is wrong"
    case .invalid(let what, let offset): "the outlines are invalid: \(what) at byte \(offset)"
    }
  }
}

extension Outlines {
  private static let magic = Array("CITYLINE".utf8)
  /// More than the lines or points of any scale of Natural Earth.
  private static let most: UInt64 = 4_000_000

  /// Reads the format that contrib/data/make-outlines describes and writes.
  ///
  /// Safe for arbitrary bytes.
  ///
  /// - Throws: ``OutlinesError``.
  /// - Complexity: O(n) in the bytes; memory grows with the points read, never with a declared number.
  package init(_ bytes: UnsafeBufferPointer<UInt8>) throws(OutlinesError) {
    var reader = unsafe OutlinesReader(bytes)
    for byte in Self.magic { guard reader.byte() == byte else { throw .foreign } }
    guard let version = reader.byte() else { throw .damaged }
    guard version == 1 else { throw .unknownVersion(version) }
    var sum: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = reader.byte() else { throw .damaged }
      sum = sum << 8 | UInt32(byte)
    }
    guard sum == reader.checksumOfRest() else { throw .damaged }
    let units = try reader.varint(in: 1...10_000, "the units a degree")
    let count = try reader.varint(in: 1...16, "the number of scales")
    var scales: [Scale] = []
    for _ in 0..<count { scales.append(try reader.scale(unitsPerDegree: Int64(units), most: Self.most)) }
    guard reader.isAtEnd else { throw reader.invalid("unexpected bytes after the last scale") }
    self.scales = scales
  }
}

/// Reads numbers in the outlines' format one by one.
///
/// It checks every index itself; a second check by an array would cost a map 9 % of its instructions.
@safe struct OutlinesReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  /// Starts at the first of `bytes`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  var isAtEnd: Bool { unsafe index == bytes.count }

  func invalid(_ what: String) -> OutlinesError { .invalid(what, offset: index) }

  /// The next byte, or `nil` at the end.
  mutating func byte() -> UInt8? {
    guard unsafe index < bytes.count else { return nil }
    defer { index += 1 }
    return unsafe bytes[index]
  }

  /// The checksum of the unread bytes.
  func checksumOfRest() -> UInt32 { unsafe adler32(bytes[index...]) }

  /// A LEB128 number of at most nine bytes within `range`.
  mutating func varint(in range: ClosedRange<UInt64>, _ what: StaticString) throws(OutlinesError) -> UInt64 {
    let number = try varint(what)
    guard range.contains(number) else { throw invalid("\(what) is out of range") }
    return number
  }

  /// Most numbers are differences of one or two bytes.
  @inline(__always)
  private mutating func varint(_ what: StaticString) throws(OutlinesError) -> UInt64 {
    guard unsafe index + 1 < bytes.count else { return try longVarint(what) }
    let (first, second) = unsafe (UInt64(bytes[index]), UInt64(bytes[index + 1]))
    if first < 0x80 {
      index += 1
      return first
    }
    guard second < 0x80 else { return try longVarint(what) }
    index += 2
    return first & 0x7F | second << 7
  }

  private mutating func longVarint(_ what: StaticString) throws(OutlinesError) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while shift <= 56 {
      guard let byte = byte() else { throw invalid("\(what) is cut off") }
      number |= UInt64(byte & 0x7F) &<< shift
      if byte & 0x80 == 0 { return number }
      shift += 7
    }
    throw invalid("\(what) is too long")
  }

  mutating func scale(unitsPerDegree: Int64, most: UInt64) throws(OutlinesError) -> Outlines.Scale {
    let millions = try varint(in: 1...1_000, "a scale")
    let count = try varint(in: 0...most, "the number of lines")
    var (points, lines): ([Outlines.Point], [Outlines.Line]) = ([], [])
    // A point has at least two bytes.
    points.reserveCapacity(unsafe (bytes.count - index) / 2)
    for _ in 0..<count {
      guard let kind = Outlines.Kind(rawValue: try varint("the kind of a line")) else {
        throw invalid("a line is of no known kind")
      }
      let count = try varint(in: 2...most, "the number of points")
      lines.append(try line(kind, of: count, in: &points, unitsPerDegree))
    }
    return Outlines.Scale(millions: millions, unitsPerDegree: Double(unitsPerDegree), points: points, lines: lines)
  }

  /// Reads a line of `count` points, and computes its bounding box.
  private mutating func line(
    _ kind: Outlines.Kind, of count: UInt64, in points: inout [Outlines.Point], _ unitsPerDegree: Int64
  ) throws(OutlinesError) -> Outlines.Line {
    let first = points.count
    let (longitudes, latitudes) = (
      -180 * unitsPerDegree...180 * unitsPerDegree, -90 * unitsPerDegree...90 * unitsPerDegree
    )
    var (lon, lat): (Int64, Int64) = (0, 0)
    var (west, east, south, north): (Int32, Int32, Int32, Int32) = (.max, .min, .max, .min)
    for _ in 0..<count {
      lon += zigzag(try varint("a longitude"))
      lat += zigzag(try varint("a latitude"))
      guard longitudes.contains(lon), latitudes.contains(lat) else { throw invalid("a point lies beyond the globe") }
      let point = Outlines.Point(lon: Int32(truncatingIfNeeded: lon), lat: Int32(truncatingIfNeeded: lat))
      (west, east) = (min(west, point.lon), max(east, point.lon))
      (south, north) = (min(south, point.lat), max(north, point.lat))
      points.append(point)
    }
    let units = Double(unitsPerDegree)
    return Outlines.Line(
      kind: kind, points: first..<points.count, west: Double(west) / units, east: Double(east) / units,
      south: Double(south) / units, north: Double(north) / units)
  }

  /// Nine bytes of seven bits are at most 63 bits, so sums of a coordinate and a difference do not overflow.
  private func zigzag(_ number: UInt64) -> Int64 {
    number & 1 == 0 ? Int64(number >> 1) : -Int64(number >> 1) - 1
  }
}

/// Adler-32 (RFC 1950 §8.2): protects against damage, not against intent.
func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  let modulus: UInt32 = 65_521
  // The sums of this many bytes fit in 32 bits, so reduce only this often.
  let most = 5_552
  var (low, high, left): (UInt32, UInt32, Int) = (1, 0, most)
  for byte in bytes {
    low &+= UInt32(byte)
    high &+= low
    left -= 1
    if left == 0 { (low, high, left) = (low % modulus, high % modulus, most) }
  }
  return (high % modulus) << 16 | (low % modulus)
}
