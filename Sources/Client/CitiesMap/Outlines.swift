internal import COutlines

/// Coasts and borders of the world in two scales, from Natural Earth (public domain).
///
/// They leave out bays and headlands of a few kilometres; see ``finestMetresPerDot``.
package struct Outlines: Sendable {
  /// The outlines are drawn where a dot covers at least so much ground, in metres.
  ///
  /// The source is made for maps of 1:50,000,000, on which half a millimetre is 25 km of ground, and leaves out, for
  /// example, the headland of 10 km beside Tallinn: closer than this, its coast would put towns into the sea.
  package static let finestMetresPerDot = 1_000.0
  /// How far the outlines may be off, in metres: headlands of this size are left out.
  package static let accuracy = 10_000.0
  /// The coarser of both scales is drawn from this many metres per dot up, about the distance between its points.
  package static let coarseMetresPerDot = 15_000.0

  /// The kinds of lines.
  package enum Kind: UInt64, Hashable, Sendable, CaseIterable {
    /// Where land meets the sea.
    case coast = 0
    /// Where two countries meet.
    case border = 1
  }

  /// One line: a range of its scale's points and the box that holds them.
  struct Line: Sendable {
    var kind: Kind
    var points: Range<Int>
    /// The outermost coordinates, in degrees.
    var west: Double
    var east: Double
    var south: Double
    var north: Double
  }

  /// A point in units, ``Scale/unitsPerDegree`` of which are a degree.
  struct Point: Hashable, Sendable {
    var lon: Int32
    var lat: Int32
  }

  /// The lines for one scale.
  struct Scale: Sendable {
    /// The scale's denominator in millions.
    var millions: UInt64
    /// Units of the points in a degree.
    var unitsPerDegree: Double
    var points: [Point] = []
    var lines: [Line] = []
  }

  /// The scales, the coarsest first; at least one.
  let scales: [Scale]

  /// The scale for a view, or `nil` where it is closer than the outlines are true.
  func scale(forMetresPerDot metres: Double) -> Scale? {
    guard metres >= Self.finestMetresPerDot else { return nil }
    return metres >= Self.coarseMetresPerDot ? scales.first : scales.last
  }
}

extension Outlines {
  /// The outlines that are part of the program.
  ///
  /// - Throws: ``OutlinesError`` if the program was built with others than it reads.
  /// - Complexity: O(n) in their 190 KB, about a millisecond; keep the result.
  package static func embedded() throws(OutlinesError) -> Outlines {
    try unsafe Outlines(UnsafeBufferPointer(start: cities_outlines_bytes(), count: cities_outlines_count()))
  }
}

/// Why bytes cannot be read as outlines.
package enum OutlinesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not start as the format does.
  case foreign
  /// Another version of the format than 1.
  case unknownVersion(UInt8)
  /// The checksum says that they were changed.
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
  /// More lines or points than any of Natural Earth's scales has.
  private static let most: UInt64 = 4_000_000

  /// Reads the format that contrib/data/make-outlines describes and writes.
  ///
  /// Any bytes are safe: they are read as outlines, or an error gives the reason.
  ///
  /// - Throws: ``OutlinesError``.
  /// - Complexity: O(n) in the bytes; memory is taken as points are read, never by a number that the bytes announce.
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

/// Reads numbers of the outlines' format one after the other.
///
/// It checks each index. An array that checks them once more would cost a map 9 % of its instructions.
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

  /// The checksum of what was not yet read.
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
    // A point has two bytes at least.
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

  /// Reads a line of `count` points, and finds the box that holds them.
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

  /// At most nine bytes of seven bits fit into 63, so that no sum of a coordinate and a difference overflows.
  private func zigzag(_ number: UInt64) -> Int64 {
    number & 1 == 0 ? Int64(number >> 1) : -Int64(number >> 1) - 1
  }
}

/// Adler-32 (RFC 1950 §8.2): it guards against damage, not against intent.
func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  let modulus: UInt32 = 65_521
  // The sums of this number of bytes fit into 32 bits; only then are they reduced.
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
